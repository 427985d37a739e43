import type { PageFeature } from '@acuse/page';
import { listsPage, readPendientes } from './listas.tsx';

export const listasPanel: PageFeature = {
  rutas: listsPage.rutas,
  operacion: [['/operador/listas', 'Listas']],
  pendientes: readPendientes,
};
