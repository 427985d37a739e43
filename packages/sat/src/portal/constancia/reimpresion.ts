import type { TipoCredencial } from '@acuse/core';
import type { DireccionSat } from '../../http/direcciones.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { isPaginaAcceso } from '../paginas/acceso/pagina-acceso.ts';
import { type Etiqueta, readTexto } from '../paginas/etiquetas.ts';
import { type Formulario, readFormularios } from '../paginas/formulario.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { SesionVencida } from '../sesion/sesion-vencida.ts';
import { HOSTS_ACCESO } from '../settings.ts';
import { findFormularioSaml, sendFormulario } from './saml.ts';

export const HOST_REGISTRO = 'rfcampc.siat.sat.gob.mx';

/**
 * The way in for each credential: phpcfdi/csf-sat-scraper, `URL::$thrower`; SAT-CFDI/python-satcfdi,
 * `SATPortalConstancia`.
 */
const ENTRADAS: Readonly<Record<TipoCredencial, DireccionSat>> = {
  ciec: {
    host: 'wwwmat.sat.gob.mx',
    path:
      '/app/seg/faces/pages/lanzador.jsf?url=/operacion/53027/genera-tu-constancia-de-situacion-fiscal' +
      '&tipoLogeo=c&target=principal&hostServer=https://wwwmat.sat.gob.mx',
  },
  efirma: {
    host: HOST_REGISTRO,
    path:
      '/app/seg/SessionBroker?url=/PTSC/IdcSiat/autc/ReimpresionTramite/ConsultaTramite.jsf' +
      '&parametro=c&idSessionBit=&idSessionBit=null',
  },
};

const MAX_PASOS = 8;

export interface Reimpresion {
  readonly pagina: Pagina;
  readonly formulario: Formulario;
}

/**
 * Goes from the entry to the page "Reimpresión de Acuses" with its form `formReimpAcuse`: messages between provider and
 * services are passed on, and the frame `iframetoload` is entered. Throws SesionVencida when the provider asks to log
 * in, RESPUESTA_ILEGIBLE on any other page.
 */
export async function openReimpresion(
  pageClient: PageClient,
  tipo: TipoCredencial,
  signal: AbortSignal,
): Promise<Reimpresion> {
  let pagina = await pageClient.open(ENTRADAS[tipo], signal);
  for (let paso = 0; paso < MAX_PASOS; paso += 1) {
    if (isPaginaAcceso(pagina.etiquetas)) throw new SesionVencida();
    const formulario = readFormularios(pagina.etiquetas).find(({ id }) => id === 'formReimpAcuse');
    if (formulario !== undefined && pagina.direccion.host === HOST_REGISTRO) return { pagina, formulario };
    pagina = await goOn(pageClient, pagina, signal);
  }
  throw ilegible('demasiados pasos hacia la constancia');
}

async function goOn(pageClient: PageClient, pagina: Pagina, signal: AbortSignal): Promise<Pagina> {
  const saml = findFormularioSaml(pagina);
  if (saml !== undefined) return sendFormulario(pageClient, pagina, saml, signal);
  const marco = pagina.etiquetas.find((e) => e.nombre === 'iframe' && e.atributos.get('id') === 'iframetoload');
  const src = marco === undefined ? undefined : marco.atributos.get('src')?.trim();
  if (src !== undefined && src !== '') return pageClient.open(pageClient.resolve(src, pagina.direccion), signal);
  if (HOSTS_ACCESO.includes(pagina.direccion.host)) throw new SesionVencida();
  throw ilegible('ni la página de la constancia ni el camino a ella');
}

/** Both public clients name this button, whose number JavaServer Faces gives by position. */
const BOTON_CONOCIDO = 'formReimpAcuse:j_idt50';

/** The id of the button that makes the constancia: the one that says so, else the one that is known. */
export function botonDe({ etiquetas }: Formulario): string {
  for (const [i, etiqueta] of etiquetas.entries()) {
    if (!['button', 'input', 'a'].includes(etiqueta.nombre) || etiqueta.cierra) continue;
    const id = etiqueta.atributos.get('id') ?? etiqueta.atributos.get('name') ?? '';
    const rotulo = `${etiqueta.atributos.get('value') ?? ''} ${textoHastaElCierre(etiquetas, i)}`;
    if (id !== '' && /generar\s+constancia/i.test(rotulo)) return id;
  }
  return BOTON_CONOCIDO;
}

function textoHastaElCierre(etiquetas: readonly Etiqueta[], from: number): string {
  const nombre = etiquetas[from]?.nombre;
  if (nombre === 'input') return '';
  const length = etiquetas.slice(from + 1, from + 8).findIndex((e) => e.nombre === nombre);
  return readTexto(etiquetas.slice(from, length === -1 ? from + 1 : from + 1 + length));
}
