import type { DireccionSat } from '../../http/direcciones.ts';
import { entrar, pasarAcceso } from '../entrada.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { readSaltoScript } from '../paginas/acceso/salto-script.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { assertRfcNombrado } from '../paginas/rfc-nombrado.ts';
import type { Portal } from '../sesion/portal.ts';
import { assertSesionViva } from '../sesion/sesion-vencida.ts';
import { isPaginaComunicados } from './comunicados.ts';

const HOST_ACCESO = 'login.siat.sat.gob.mx';
const PUERTA = { host: 'wwwmat.sat.gob.mx', path: '/iniciar-expediente/mis-comunicados/' };
const HOST_MARCO = 'aplicacionesc.mat.sat.gob.mx';
const CAMINO_MARCO = '/webcomunicados/';
const MAX_SALTOS = 5;

/**
 * The communiqués of the mailbox: a page of the portal with the list in a frame of another host, which shares its
 * log-in (TecnofyMX/buzon-tributario-sat-scraper, src/Url.php, src/Services/CommunicationService.php). Either of the
 * two may be the one that asks for it.
 */
export const PORTAL_COMUNICADOS: Portal = {
  nombre: 'comunicados',
  async enter(deps, pageClient, credencial, signal) {
    const entrada = { puerta: PUERTA, hostAcceso: HOST_ACCESO };
    const pagina = await entrar(deps, pageClient, credencial, entrada, signal);
    assertRfcNombrado(pagina.etiquetas, credencial.rfc, false);
    const marco = await openMarco(pageClient, pagina, signal);
    const after = await pasarAcceso(deps, pageClient, marco, credencial, HOST_ACCESO, signal);
    const lista = isPaginaComunicados(after.etiquetas) ? after : await openMarco(pageClient, pagina, signal);
    if (!isPaginaComunicados(lista.etiquetas)) throw ilegible('el acceso no llegó a los comunicados');
  },
  salida: { host: HOST_ACCESO, path: '/nidp/app/plogout' },
};

/** The page with the list. Throws SesionVencida when a log-in is due, RESPUESTA_ILEGIBLE when another page stays. */
export async function openComunicados(pageClient: PageClient, rfc: string, signal: AbortSignal): Promise<Pagina> {
  const pagina = await pageClient.open(PUERTA, signal);
  assertSesionViva(pagina);
  if (pagina.direccion.host !== PUERTA.host) throw ilegible('el portal de comunicados lleva a otro servidor');
  assertRfcNombrado(pagina.etiquetas, rfc, false);
  const marco = await openMarco(pageClient, pagina, signal);
  assertSesionViva(marco);
  if (!isPaginaComunicados(marco.etiquetas)) throw ilegible('comunicados: otra página');
  return marco;
}

async function openMarco(pageClient: PageClient, pagina: Pagina, signal: AbortSignal): Promise<Pagina> {
  const direccion = findMarco(pageClient, pagina);
  if (direccion === null) {
    if (isPaginaComunicados(pagina.etiquetas)) return pagina;
    throw ilegible('comunicados: sin marco');
  }
  let marco = await pageClient.open(direccion, signal);
  for (let saltos = 0; saltos < MAX_SALTOS; saltos += 1) {
    const url = readSaltoScript(marco.etiquetas);
    if (url === null || isPaginaComunicados(marco.etiquetas)) return marco;
    marco = await pageClient.open(pageClient.resolve(url, marco.direccion), signal);
  }
  throw ilegible('demasiadas redirecciones');
}

function findMarco(pageClient: PageClient, { etiquetas, direccion }: Pagina): DireccionSat | null {
  for (const etiqueta of etiquetas) {
    if (etiqueta.nombre !== 'iframe' || etiqueta.cierra) continue;
    const src = (etiqueta.atributos.get('src') ?? '').trim();
    const esMarco = etiqueta.atributos.get('id')?.toLowerCase() === 'iframetoload';
    if (src === '' || !(esMarco || src.toLowerCase().includes(CAMINO_MARCO))) continue;
    const destino = pageClient.resolve(src, direccion);
    if (destino.host !== HOST_MARCO || !destino.path.toLowerCase().startsWith(CAMINO_MARCO)) {
      throw ilegible('comunicados: marco de otro lugar');
    }
    return destino;
  }
  return null;
}
