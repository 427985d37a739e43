import type { PageFeature } from '@acuse/page';
import { upToDatePage } from './al-dia.tsx';
import { cfdiPage } from './cfdi.tsx';
import { frases } from './frases.ts';

export const sincronizacionPanel: PageFeature = {
  rutas: [upToDatePage, cfdiPage].flatMap(({ rutas }) => rutas),
  frases,
  scheduled: ['usar-consentimiento'],
  rfc: [
    ['/al-dia', 'Al día', 'credenciales'],
    ['/cfdi', 'CFDI', 'paquetes'],
  ],
};
