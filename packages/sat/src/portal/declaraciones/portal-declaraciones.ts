import { entrar } from '../entrada.ts';
import { assertRfcNombrado } from '../paginas/rfc-nombrado.ts';
import type { Portal } from '../sesion/portal.ts';

export const HOST_DECLARACIONES = 'pstcdypisr.clouda.sat.gob.mx';

/**
 * The portal of provisional and definitive returns from 2022 on (luffynando/sat-scrapers-auth,
 * src/Portals/SatPstcdAndPisrPortal.php). Its first page names the RFC of the session.
 */
export const PORTAL_DECLARACIONES: Portal = {
  nombre: 'declaraciones',
  async enter(deps, pageClient, credencial, signal) {
    const puerta = { host: HOST_DECLARACIONES, path: '/' };
    const entrada = { puerta, hostAcceso: 'loginda.siat.sat.gob.mx' };
    const pagina = await entrar(deps, pageClient, credencial, entrada, signal);
    assertRfcNombrado(pagina.etiquetas, credencial.rfc, true);
  },
  salida: { host: HOST_DECLARACIONES, path: '/Home/LogOut' },
};
