import type { PageFeature } from '@acuse/page';
import { showContrapartes } from './contrapartes.tsx';
import { frases } from './frases.ts';
import { readBadges } from './listadas.tsx';
import { readReminders, suppliersPage } from './proveedores.tsx';

export const riesgoPanel: PageFeature = {
  rutas: suppliersPage.rutas,
  frases,
  rfc: [['/proveedores', 'Listas del SAT', 'paquetes']],
  recordatorios: readReminders,
  solicitud: showContrapartes,
  badges: readBadges,
};
