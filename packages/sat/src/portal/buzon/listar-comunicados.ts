import type { Comunicado } from '@acuse/core';
import type { ConsultaPortal } from '../consulta-portal.ts';
import { type ComunicadoFechado, readComunicados } from './comunicados.ts';
import { openComunicados, PORTAL_COMUNICADOS } from './portal-comunicados.ts';

/** Lists the communiqués of a period from the one page that shows them all; opens none, so that none becomes read. */
export const listarComunicados: ConsultaPortal<'listar-comunicados'> = {
  portal: PORTAL_COMUNICADOS,
  credenciales: ['ciec', 'efirma'],
  origen: {
    servidor: 'login.siat, wwwmat y aplicacionesc.mat.sat.gob.mx',
    fuentes: ['TecnofyMX/buzon-tributario-sat-scraper'],
  },
  async ask(pageClient, { rfc, desde, hasta }, { signal }) {
    const pagina = await openComunicados(pageClient, rfc, signal);
    const comunicados = readComunicados(pagina.etiquetas, rfc)
      .filter(({ fecha }) => desde <= fecha && fecha <= hasta)
      .toSorted(newestFirst)
      .map(toComunicado);
    return { comunicados };
  },
};

function newestFirst(a: ComunicadoFechado, b: ComunicadoFechado): number {
  if (a.momento !== b.momento) return a.momento < b.momento ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

function toComunicado({ id, asunto, fecha, leido }: ComunicadoFechado): Comunicado {
  return { id, asunto, fecha, leido };
}
