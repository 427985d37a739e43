import type { PageFeature } from '@acuse/page';
import { frases } from './frases.ts';
import { listsPage, readPendientes } from './listas.tsx';

export const listasPanel: PageFeature = {
  rutas: listsPage.rutas,
  frases,
  operacion: [['/operador/listas', 'Listas']],
  pendientes: readPendientes,
};
