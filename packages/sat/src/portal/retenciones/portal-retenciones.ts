import type { DireccionSat } from '../../http/direcciones.ts';
import { entrar } from '../entrada.ts';
import { assertRfcAutenticado } from '../paginas/pagina-portal.ts';
import type { Portal } from '../sesion/portal.ts';
import { HOST_ACCESO } from '../settings.ts';

export const HOST_RETENCIONES = 'prodretencioncontribuyente.clouda.sat.gob.mx';

/** The start page, which asks what is to be consulted. The CFDI portal links to it with this parameter. */
export const INICIO_RETENCIONES: DireccionSat = { host: HOST_RETENCIONES, path: '/?oculta=1' };

/**
 * The portal of CFDI de retenciones e información de pagos. Log-in on the host of the CFDI portal, by WS-Federation; a
 * session of its own. Its way out is a postback of a link (`LnkBtnCierraSesion`), no address, so its sessions end when
 * they are left idle.
 */
export const PORTAL_RETENCIONES: Portal = {
  nombre: 'retenciones',
  salida: null,
  async enter(deps, pageClient, credencial, signal) {
    const entrada = { puerta: INICIO_RETENCIONES, hostAcceso: HOST_ACCESO };
    const pagina = await entrar(deps, pageClient, credencial, entrada, signal);
    assertRfcAutenticado(pagina.etiquetas, credencial.rfc, true);
  },
};
