import { entrar } from '../entrada.ts';
import { assertRfcNombrado } from '../paginas/rfc-nombrado.ts';
import type { Portal } from '../sesion/portal.ts';
import { guardHttp, HOST_NOTIFICACIONES, LISTA_NOTIFICACIONES } from './solo-lista.ts';

const HOST_ACCESO = 'login.siat.sat.gob.mx';
/**
 * The session broker asks for the log-in and comes back to the list (luffynando/sat-scrapers-auth,
 * src/Portals/SatAgrPortal.php).
 */
const PUERTA = {
  host: HOST_NOTIFICACIONES,
  path: `/app/seg/SessionBroker?url=${LISTA_NOTIFICACIONES.path}&parametro=c&idSessionBit=null`,
};

/** The electronic notifications of the mailbox. Its log-in may reach the list and no other page: see `guardHttp`. */
export const PORTAL_NOTIFICACIONES: Portal = {
  nombre: 'notificaciones',
  guard: guardHttp,
  async enter(deps, pageClient, credencial, signal) {
    const entrada = { puerta: PUERTA, hostAcceso: HOST_ACCESO };
    const pagina = await entrar(deps, pageClient, credencial, entrada, signal);
    assertRfcNombrado(pagina.etiquetas, credencial.rfc, false);
  },
  salida: { host: HOST_ACCESO, path: '/nidp/app/plogout' },
};
