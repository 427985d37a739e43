import type { ConsultaPortal } from '../consulta-portal.ts';
import { readEtiquetas } from '../paginas/etiquetas.ts';
import { readCampos } from '../paginas/formulario.ts';
import { assertRfcNombrado } from '../paginas/rfc-nombrado.ts';
import { isDespedida, SesionVencida } from '../sesion/sesion-vencida.ts';
import { PORTAL_NOTIFICACIONES } from './portal-notificaciones.ts';
import { createNavegadorSoloLista, LISTA_NOTIFICACIONES } from './solo-lista.ts';
import { readNotificaciones } from './tabla-notificaciones.ts';

/**
 * Lists the notifications that wait, with one GET of the page that lists them. No link, button or form of that page is ever followed, and
 * the browser used here cannot: to open one has legal effect.
 */
export const listarNotificaciones: ConsultaPortal<'listar-notificaciones'> = {
  portal: PORTAL_NOTIFICACIONES,
  credenciales: ['ciec', 'efirma'],
  async ask(navegador, { rfc }, { signal }) {
    const lista = createNavegadorSoloLista(navegador);
    const answer = await lista.request(
      { ...LISTA_NOTIFICACIONES, method: 'GET', expect: 'text', acceptStatus: [401, 403] },
      signal,
    );
    if (answer.status >= 300 || isDespedida(answer.body)) throw new SesionVencida();
    const etiquetas = readEtiquetas(answer.body);
    if (readCampos(etiquetas).has('SAMLRequest')) throw new SesionVencida();
    assertRfcNombrado(etiquetas, rfc, true);
    return { notificaciones: readNotificaciones(etiquetas) };
  },
};
