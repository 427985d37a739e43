import type { PageFeature } from '@acuse/page';
import { showContrapartes } from './contrapartes.tsx';
import { frases } from './frases.ts';
import { readReminders, suppliersPage } from './proveedores.tsx';

export const riesgoPanel: PageFeature = {
  rutas: suppliersPage.rutas,
  frases,
  rfc: [['/proveedores', 'Contrapartes', 'paquetes']],
  recordatorios: readReminders,
  solicitud: showContrapartes,
};
