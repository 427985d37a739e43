import type { PageFeature } from '@acuse/page';
import { showContrapartes } from './contrapartes.tsx';
import { readRecordatorios, suppliersPage } from './proveedores.tsx';

export const riesgoPanel: PageFeature = {
  rutas: suppliersPage.rutas,
  rfc: [['/proveedores', 'Contrapartes', 'paquetes']],
  recordatorios: readRecordatorios,
  solicitud: showContrapartes,
};
