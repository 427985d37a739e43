import type { ConsultaPortal } from '../consulta-portal.ts';
import { readEtiquetas } from '../paginas/etiquetas.ts';
import { readCampos } from '../paginas/formulario.ts';
import { assertRfcNombrado } from '../paginas/rfc-nombrado.ts';
import { pedir } from '../sesion/pedir.ts';
import { SesionVencida } from '../sesion/sesion-vencida.ts';
import { PORTAL_NOTIFICACIONES } from './portal-notificaciones.ts';
import { createListOnlyClient, LISTA_NOTIFICACIONES } from './solo-lista.ts';
import { readNotificaciones } from './tabla-notificaciones.ts';

/**
 * Lists the notifications that wait, with one GET of the page that lists them. No link, button or form of that page is
 * ever followed, and the browser used here cannot: to open one has legal effect.
 */
export const listarNotificaciones: ConsultaPortal<'listar-notificaciones'> = {
  portal: PORTAL_NOTIFICACIONES,
  credenciales: ['ciec', 'efirma'],
  origen: { servidor: 'login.siat y agr.siat.sat.gob.mx', fuentes: ['luffynando/sat-scrapers-auth'] },
  async ask(pageClient, { rfc }, { signal }) {
    const lista = createListOnlyClient(pageClient);
    const etiquetas = readEtiquetas(await pedir(lista, { ...LISTA_NOTIFICACIONES, method: 'GET' }, signal));
    if (readCampos(etiquetas).has('SAMLRequest')) throw new SesionVencida();
    assertRfcNombrado(etiquetas, rfc, true);
    return { notificaciones: readNotificaciones(etiquetas) };
  },
};
