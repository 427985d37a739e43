import { Readable } from 'node:stream';
import type {
  DescargarPaquete,
  RespuestaDescargarPaquete,
  RespuestaVerificarMetadata,
  VerificarMetadata,
} from '@acuse/core';
import { ilegible } from '../../texto.ts';
import type { PageClient } from '../page-client.ts';
import { type Etiqueta, readBloques, readTags } from '../paginas/etiquetas.ts';
import { encodeForm, readCampos, readForms } from '../paginas/formulario.ts';
import { readTablas } from '../paginas/tablas.ts';
import { openPage } from '../portal-cfdi.ts';
import { isFarewell, SesionVencida, SIN_SESION } from '../sesion/sesion-vencida.ts';
import { HOST_PORTAL } from '../settings.ts';

/**
 * Looks for the folio among the packages that the portal offers.
 *
 * A folio that is not offered is EN_PROCESO, always. The page shows nothing of a request that is being prepared (up to
 * 48 hours), and nothing any more three days after it was ready, and nothing of a folio it never gave: one and the same
 * absence. A folio is a random UUID without a date in it and the question does not say when it was asked for, so only
 * the caller, who knows, can decide that it has waited too long. For the same reason VACIA, ERROR and the like never
 * come from here.
 */
export async function verificarMetadata(
  pageClient: PageClient,
  consulta: VerificarMetadata,
): Promise<RespuestaVerificarMetadata> {
  const lista = await openDescargas(pageClient, consulta.rfc);
  const paquetes = listPaquetes(lista, consulta.folio);
  if (paquetes.size === 0) return { resultado: 'EN_PROCESO' };
  let registros: number | null = 0;
  for (const paquete of paquetes.values()) {
    registros = registros === null || paquete.registros === null ? null : registros + paquete.registros;
  }
  return { resultado: 'TERMINADA', paquetes: [...paquetes.keys()], registros };
}

/**
 * Fetches one package: a full postback of the list with the two hidden values of the package; the answer is the ZIP
 * itself (phpcfdi/cfdi-sat-scraper, pull request 97). The package was offered when its id was made, so AGOTADO when the
 * list does not offer it any more (three days) or the portal says so; RESPUESTA_ILEGIBLE for any other page in place of
 * the ZIP.
 */
export async function descargarPaquete(
  pageClient: PageClient,
  consulta: DescargarPaquete,
  maxBytes: number,
): Promise<RespuestaDescargarPaquete> {
  const lista = await openDescargas(pageClient, consulta.rfc);
  const paquetes = listPaquetes(lista, consulta.folio);
  if (paquetes.size === 0) return agotado('NO_LISTADO', 'El portal del SAT ya no ofrece el paquete');
  const paquete = paquetes.get(consulta.paquete.toUpperCase());
  if (paquete === undefined) throw ilegible('los paquetes del folio cambiaron');

  const body = encodeForm(
    new Map([
      ...lista.campos,
      ['__EVENTTARGET', 'ctl00$MainContent$setLinkButtonDescarga'],
      ['__EVENTARGUMENT', ''],
      [CAMPO_FOLIO, paquete.folio],
      [CAMPO_URL, paquete.url],
    ]),
  );
  const answer = await pageClient.request({
    ...DIRECCION_DESCARGAS,
    method: 'POST',
    expect: 'stream',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
    maxBytes,
    acceptStatus: SIN_SESION,
  });
  if (answer.status >= 300) {
    answer.body.destroy();
    throw new SesionVencida();
  }
  return readPaquete(answer.body);
}

async function readPaquete(body: Readable): Promise<RespuestaDescargarPaquete> {
  const { zip, pagina } = await openZip(body);
  if (zip !== null) return { resultado: 'PAQUETE', zip };
  if (isFarewell(pagina)) throw new SesionVencida();
  // Hidden fields are random text, which may contain any word.
  if (/ya no (?:se encuentra|est[aá]) disponible|caduc|expir|vencid/i.test(readBloques(readTags(pagina)).join(' '))) {
    return agotado('VENCIDO', 'El portal del SAT dice que el paquete ya no está disponible');
  }
  throw ilegible('una página en lugar del ZIP');
}

function agotado(codigo: string, mensaje: string): RespuestaDescargarPaquete {
  return { resultado: 'AGOTADO', codigo, mensaje };
}

const DIRECCION_DESCARGAS = { host: HOST_PORTAL, path: '/ConsultaDescargaMasiva.aspx' };

/** The packages that the portal offers now to this RFC. */
async function openDescargas(pageClient: PageClient, rfc: string): Promise<ListaDescargas> {
  const pagina = await openPage(pageClient, DIRECCION_DESCARGAS, rfc);
  return readListaDescargas(pagina.texto);
}

/**
 * The ids of the packages of a folio with what the page says of each. One package is named like its folio; several get
 * a number in the order of the page, so that a page which later shows another count is noticed instead of losing rows.
 */
function listPaquetes(lista: ListaDescargas, folio: string): Map<string, DescargaListada> {
  const propias = lista.descargas.filter((d) => d.folio === folio.toUpperCase());
  const [unica] = propias;
  if (unica === undefined || propias.length > 1) {
    return new Map(propias.map((d, i) => [`${d.folio}_${String(i + 1).padStart(2, '0')}`, d]));
  }
  return new Map([[unica.folio, unica]]);
}

/** One package that `ConsultaDescargaMasiva.aspx` offers. */
interface DescargaListada {
  /** Upper case. */
  readonly folio: string;
  /** Opaque; goes back to the portal as it came. */
  readonly url: string;
  /** `Cantidad de documentos`, when the page has that column. */
  readonly registros: number | null;
}

interface ListaDescargas {
  readonly descargas: readonly DescargaListada[];
  /** Fields of the page for the postback. */
  readonly campos: ReadonlyMap<string, string>;
}

export const CAMPO_FOLIO = 'ctl00$MainContent$hfFolioDescargaActual';
export const CAMPO_URL = 'ctl00$MainContent$hfUrlDescargaActual';

const ACCION =
  /AccionRetencion\(\s*'([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})'\s*,\s*'([^']{1,8192})'\s*,\s*'(\w{0,64})'\s*\)/gi;

/**
 * Reads the list of packages ready to be fetched (three days back). A package shows as a call
 * `AccionRetencion('folio','url','Recuperacion')` in an attribute or a script (phpcfdi/cfdi-sat-scraper, pull request
 * 97). Throws RESPUESTA_ILEGIBLE for a page without the two hidden fields of the list, or with a call that cannot be
 * read.
 */
export function readListaDescargas(html: string): ListaDescargas {
  const etiquetas = readTags(html);
  const formulario = readForms(etiquetas).find((f) => readCampos(f.etiquetas).has(CAMPO_FOLIO));
  const campos = formulario && readCampos(formulario.etiquetas);
  if (campos === undefined || !campos.has(CAMPO_URL)) throw ilegible('lista de descargas');
  const cuentas = new Map(readCuentas(etiquetas));
  const offers = new Map(readOffers(etiquetas));
  const descargas = [...offers].map(([clave, offer]) => ({ ...offer, registros: cuentas.get(clave) ?? null }));
  return { descargas, campos };
}

/** The packages that tags offer, by what they are known by. */
function* readOffers(etiquetas: readonly Etiqueta[]): Generator<[string, Omit<DescargaListada, 'registros'>]> {
  for (const source of etiquetas.map(sourceOf)) {
    const calls = [...source.matchAll(ACCION)];
    if (calls.length !== source.split(/AccionRetencion\(\s*'/).length - 1)
      throw ilegible('lista de descargas: AccionRetencion');
    for (const [, folio = '', url = '', accion] of calls) {
      const offer = { folio: folio.toUpperCase(), url };
      if (accion === 'Recuperacion') yield [`${offer.folio} ${url}`, offer];
    }
  }
}

/** What of a tag may hold a call: the source of a script, else its attributes. */
function sourceOf(etiqueta: Etiqueta): string {
  if (etiqueta.closes) return '';
  return etiqueta.nombre === 'script' ? etiqueta.texto : [...etiqueta.attrs.values()].join('\n');
}

/** The number under the heading `Cantidad …` in the row of each package, where there is one. */
function* readCuentas(etiquetas: readonly Etiqueta[]): Generator<[string, number]> {
  const tabla = readTablas(etiquetas).find(({ id }) => /tblResult$/.test(id));
  const column = tabla?.encabezados[0]?.findIndex(({ textoEntero }) => /^cantidad/i.test(textoEntero)) ?? -1;
  for (const fila of tabla?.filas ?? []) {
    const digits = /^(?:\d{1,3}(?:,\d{3})+|\d{1,12})$/.exec(fila[column]?.textoEntero ?? '')?.[0].replaceAll(',', '');
    if (digits === undefined) continue;
    for (const celda of fila) for (const [clave] of readOffers(celda.etiquetas)) yield [clave, Number(digits)];
  }
}

/** Either the ZIP or the page that came in its place (its first 256 KiB). */
type CuerpoDelPortal =
  | { readonly zip: Readable; readonly pagina: null }
  | { readonly zip: null; readonly pagina: string };

const MAX_PAGINA = 256 * 1024;
/** An end record is 22 bytes, followed by a comment of at most 65,535 (APPNOTE.TXT, 4.3.16). */
const MAX_QUEUED = 22 + 65_535;
const FIRMA_FIN = Buffer.from('PK\x05\x06', 'latin1');
const FIRMAS = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'];

/**
 * Decides by the first bytes, whatever the headers say, whether a body is a ZIP. The stream ends with
 * RESPUESTA_ILEGIBLE when the ZIP has no end record: a body that was cut at the other side of a proxy comes with a
 * complete HTTP answer.
 */
async function openZip(body: Readable): Promise<CuerpoDelPortal> {
  const source = body.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  const head = await readHead(source, 4);
  if (!FIRMAS.includes(head.subarray(0, 4).toString('latin1'))) {
    const pagina = Buffer.concat([head, await readHead(source, MAX_PAGINA)]).toString();
    body.destroy();
    return { zip: null, pagina };
  }
  const zip = Readable.from(watchEnd(head, source), { objectMode: false });
  zip.on('error', () => {});
  zip.once('close', () => body.destroy());
  return { zip, pagina: null };
}

async function readHead(source: AsyncIterableIterator<Buffer>, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let size = 0; size < bytes; ) {
    const next = await source.next();
    if (next.done === true) break;
    chunks.push(next.value);
    size += next.value.length;
  }
  return Buffer.concat(chunks);
}

async function* watchEnd(head: Buffer, source: AsyncIterableIterator<Buffer>): AsyncGenerator<Buffer> {
  let tail = head;
  yield head;
  for await (const chunk of source) {
    tail =
      chunk.length >= MAX_QUEUED ? chunk : Buffer.concat([tail.subarray(-MAX_QUEUED), chunk]).subarray(-MAX_QUEUED);
    yield chunk;
  }
  if (!tail.includes(FIRMA_FIN)) throw ilegible('ZIP sin final');
}
