import type { PageFeature } from '@acuse/page';
import { showContrapartes } from './contrapartes.tsx';
import { readReminders, suppliersPage } from './proveedores.tsx';

export const riesgoPanel: PageFeature = {
  rutas: suppliersPage.rutas,
  rfc: [['/proveedores', 'Contrapartes', 'paquetes']],
  recordatorios: readReminders,
  solicitud: showContrapartes,
};
