import type { PageFeature } from '@acuse/page';
import { createBuzones } from '../db/index.ts';
import { createBajas, unsubscribePage } from './baja.tsx';
import { mailsPage } from './correos.tsx';
import { frases } from './frases.ts';
import { mailPage } from './preferencias.tsx';
import { verifyPage } from './verificar.tsx';

export const correoPanel: PageFeature = {
  rutas: [verifyPage, mailPage, unsubscribePage, mailsPage].flatMap(({ rutas }) => rutas),
  openApp: createBajas,
  openAccountMail: createBuzones,
  frases,
  operacion: [['/operador/correos', 'Correos']],
  cuenta: () => <a href="/cuenta/correo">Avisos por correo</a>,
};
