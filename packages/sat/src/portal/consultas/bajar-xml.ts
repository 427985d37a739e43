import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type BajarXml, type Filtros, type RespuestaBajarXml, SatError, type XmlDeCfdi } from '@acuse/core';
import { linkSignals } from '@acuse/runtime';
import { endWithSignal, pullStream } from '../../http/cuerpo.ts';
import type { DireccionSat } from '../../http/direcciones.ts';
import { ilegible, toForma } from '../../texto.ts';
import { cutToPeriodo, readResultado, type TextoDe } from '../facturas/listar-facturas.ts';
import type { PageClient } from '../page-client.ts';
import { readBloques, readTags } from '../paginas/etiquetas.ts';
import { readInstant, readRfc, readUuid } from '../paginas/tablas/valores.ts';
import type { Fila } from '../paginas/tablas.ts';
import type { ContextoPortal } from '../portal.ts';
import { isFarewell, SesionVencida, SIN_SESION } from '../sesion/sesion-vencida.ts';
import { direccionDe, type Panel, readPaneles, search } from './busqueda.ts';

/** XML fetched at the same time, and ahead of the reader (phpcfdi/cfdi-sat-scraper, README). */
const A_LA_VEZ = 10;

/** Largest XML, bytes. */
const MAX_XML = 32 * 1024 * 1024;

/** First bytes of an answer without XML in which its reason is looked for. */
const MAX_PAGINA = 256 * 1024;

/** Code of the SatError when the portal refuses an XML because the quota of the day is used up. */
const CUOTA_DEL_DIA = 'CUOTA_DEL_DIA';

/**
 * Searches the period and fetches the XML of each row in the same session. A row without link has no XML (a cancelled
 * received CFDI) and is left out, as is a row beyond the period or the filters, which would cost quota for nothing.
 *
 * `onAnswer` receives the counts of the list as JSON. VACIA: the page lists nothing. A list without links gives an
 * answer without documents. The first XML is fetched before the answer: a lost session is renewed by asking once more,
 * with another `reserve`, and a quota that others used up is CUOTA. Later on the stream ends with a SatError:
 * SERVICIO_CON_ERROR with codigo CUOTA_DEL_DIA or SESION_VENCIDA, or the second error of the same document. A document
 * with RESPUESTA_ILEGIBLE twice is left out, at most `omitibles` of a list and never all of it.
 */
export async function bajarXml(
  pageClient: PageClient,
  consulta: BajarXml,
  { onAnswer }: Pick<ContextoPortal, 'onAnswer'>,
): Promise<RespuestaBajarXml> {
  const { tipo, rfc, periodo, omitibles = 0, reserve } = consulta;
  const paneles = readPaneles(await search(pageClient, { tipo, rfc, periodo, ...camposDe(consulta.filtros) }));
  const { filas, topada } = readResultado(paneles, REQUIRED, (fila, texto) => readListado(fila, texto, consulta));
  const enlaces = new Map<string, DireccionSat>();
  for (const { uuid, enlace, ...fila } of cutToPeriodo(filas, tipo, periodo)) {
    if (enlace === null || !isWanted(fila, consulta.filtros)) continue;
    enlaces.set(uuid, pageClient.resolve(enlace, direccionDe(tipo)));
  }
  onAnswer?.(
    JSON.stringify({ consulta: 'bajar-xml', tipo, ...periodo, renglones: filas.length, con_xml: enlaces.size }),
  );
  if (topada) return { resultado: 'DEMASIADOS' };
  if (filas.length === 0) return { resultado: 'VACIA' };
  if (enlaces.size === 0) return { resultado: 'XML', documentos: Readable.from([]) };
  if (isCuotaCompleta(paneles) || !(await reserve(enlaces.size))) return { resultado: 'CUOTA' };
  try {
    return { resultado: 'XML', documentos: await streamXml(pageClient, [...enlaces], omitibles) };
  } catch (error) {
    if (isCuota(error)) return { resultado: 'CUOTA' };
    throw error;
  }
}

/** The filters that the page takes: the state, one counterpart, and the complement. */
function camposDe(filtros: Filtros | null | undefined) {
  const { estado_comprobante: estado, rfc_contraparte: [contraparte, otra] = [], complemento } = filtros ?? {};
  return {
    complemento,
    ...(estado === undefined ? {} : { estado: estado === 'vigente' ? ('VIGENTE' as const) : ('CANCELADO' as const) }),
    ...(contraparte === undefined || otra !== undefined ? {} : { contraparte }),
  };
}

/** Without these the XML of a row is not known to be one of those asked for. */
const REQUIRED = ['uuid', 'emisorRfc', 'receptorRfc', 'fechaEmision'] as const;

/**
 * Reads one row. Throws RESPUESTA_ILEGIBLE for a cell that does not hold what its heading says, and for a CFDI of
 * another taxpayer.
 */
function readListado(fila: Fila, texto: TextoDe, { tipo, rfc }: BajarXml) {
  const [emisor, receptor] = [readRfc(texto('emisorRfc')), readRfc(texto('receptorRfc'))];
  const [propio, contraparte] = tipo === 'emitidos' ? [emisor, receptor] : [receptor, emisor];
  if (propio !== rfc.toUpperCase()) throw ilegible('busqueda: CFDI de otro contribuyente');
  return {
    uuid: readUuid(texto('uuid')),
    fechaEmision: readInstant(texto('fechaEmision')),
    contraparte,
    efecto: toForma(texto('efecto')),
    enlace: readEnlace(fila),
  };
}

const RECUPERA = /'(RecuperaCfdi\.aspx\?[^']{1,8192})'/i;

/**
 * The address behind the icon `BtnDescarga` of a row, `AccionCfdi('RecuperaCfdi.aspx?Datos=…','Recuperacion')`, null
 * without icon (phpcfdi/cfdi-sat-scraper, MetadataExtractor). An icon that leads elsewhere is RESPUESTA_ILEGIBLE.
 */
function readEnlace(fila: Fila): string | null {
  const icon = fila.flatMap(({ etiquetas }) => etiquetas).find((e) => !e.closes && e.attrs.get('id') === 'BtnDescarga');
  if (icon === undefined) return null;
  const enlace = RECUPERA.exec(icon.attrs.get('onclick') ?? '')?.[1];
  if (enlace === undefined) throw ilegible('busqueda: enlace del XML');
  return enlace;
}

const EFECTOS: ReadonlyMap<string, Filtros['tipo_comprobante']> = new Map([
  ['ingreso', 'I'],
  ['egreso', 'E'],
  ['traslado', 'T'],
  ['nomina', 'N'],
  ['pago', 'P'],
]);

/** Whether a row passes the filters that the page does not take. An unknown kind passes: the assembly knows it. */
function isWanted(fila: { contraparte: string; efecto: string }, filtros: Filtros | null | undefined): boolean {
  const { tipo_comprobante: tipo, rfc_contraparte: rfcs } = filtros ?? {};
  const efecto = EFECTOS.get(fila.efecto);
  return (
    (tipo === undefined || efecto === undefined || efecto === tipo) &&
    (rfcs === undefined || rfcs.includes(fila.contraparte))
  );
}

/**
 * Whether the hidden field `hfDescarga` refuses every further XML of the day ("Ya no puedes descargar más documentos,
 * espera hasta mañana" in the script of the page). A recorded search leaves it empty. `CuotaParcial` marks a selection
 * larger than the rest of the quota; `reserve` and the first XML decide then.
 */
function isCuotaCompleta(paneles: readonly Panel[]): boolean {
  const campo = paneles.flatMap(({ etiquetas }) => etiquetas).find((e) => e.attrs.get('id') === 'hfDescarga');
  return campo?.attrs.get('value') === 'CuotaCompleta';
}

type Enlace = readonly [uuid: string, direccion: DireccionSat];

/**
 * The documents in the order of the list; at most {@link A_LA_VEZ} are fetched or wait for their reader. Resolves when
 * the first one is there.
 */
async function streamXml(pageClient: PageClient, enlaces: readonly Enlace[], omitibles: number): Promise<Readable> {
  let omitidos = 0;
  const left = enlaces.values();
  const omit = (error: unknown) => {
    omitidos += 1;
    if (!isIlegible(error) || omitidos > omitibles) throw error;
  };
  const fetchFirst = async (): Promise<XmlDeCfdi> => {
    let failed: unknown;
    for (const enlace of left) {
      try {
        return await fetchTwice(pageClient, enlace);
      } catch (error) {
        omit(error);
        failed = error;
      }
    }
    throw failed;
  };
  const primero = await fetchFirst();
  const stop = new AbortController();
  const { signal, release } = linkSignals([pageClient.signal, stop.signal]);
  const client = pageClient.withSignal(signal);
  const waiting = [Promise.resolve(primero)];
  const fill = () => {
    while (waiting.length < A_LA_VEZ) {
      const { value, done } = left.next();
      if (done) return;
      const documento = fetchTwice(client, value);
      // An error counts when its turn comes.
      documento.catch(() => {});
      waiting.push(documento);
    }
  };
  const next = async (): Promise<XmlDeCfdi | null> => {
    const turn = waiting.shift();
    try {
      const documento = await turn;
      fill();
      return documento ?? null;
    } catch (error) {
      if (isIlegible(error)) {
        omit(error);
        fill();
        return next();
      }
      throw error instanceof SesionVencida ? new SatError('SERVICIO_CON_ERROR', { codigo: 'SESION_VENCIDA' }) : error;
    }
  };
  const end = () => {
    stop.abort();
    release();
  };
  const stream = pullStream(next, end, { objectMode: true, highWaterMark: 1 });
  endWithSignal(stream, pageClient.signal);
  return stream;
}

/** Fetches an XML, and once more after an error that another try may not meet. */
async function fetchTwice(pageClient: PageClient, enlace: Enlace): Promise<XmlDeCfdi> {
  try {
    return await fetchXml(pageClient, enlace);
  } catch (error) {
    if (!(error instanceof SatError) || error.motivo === 'CANCELADA' || isCuota(error)) throw error;
    return fetchXml(pageClient, enlace);
  }
}

const isIlegible = (error: unknown) => error instanceof SatError && error.motivo === 'RESPUESTA_ILEGIBLE';

function isCuota(error: unknown): boolean {
  return error instanceof SatError && error.codigo === CUOTA_DEL_DIA;
}

/**
 * Fetches one XML. It has to be whole and hold the UUID of its row as phpcfdi/cfdi-sat-scraper wants it
 * (ResourceDownloaderPromiseHandler: `UUID="`); the portal answers everything else with HTTP 200, too.
 */
async function fetchXml(pageClient: PageClient, [uuid, direccion]: Enlace): Promise<XmlDeCfdi> {
  const { status, body } = await pageClient.request({
    ...direccion,
    method: 'GET',
    expect: 'stream',
    maxBytes: MAX_XML,
    acceptStatus: SIN_SESION,
  });
  if (status >= 300) {
    body.destroy();
    throw new SesionVencida();
  }
  const xml = await buffer(body);
  const texto = xml.toString('latin1').toUpperCase();
  if (texto.includes(`UUID="${uuid}"`) && /<\/(?:[\w.-]+:)?COMPROBANTE\s*>/.test(texto)) return { uuid, xml };
  throw refusalOf(xml.subarray(0, MAX_PAGINA).toString());
}

/** Why a page came in the place of an XML. The texts of the portal's script, and like ones, speak of the quota. */
function refusalOf(pagina: string): Error {
  if (isFarewell(pagina)) return new SesionVencida();
  const texto = toForma(readBloques(readTags(pagina)).join(' '));
  if (/descarg/.test(texto) && /limite|cuota|maxim|permitid|manana/.test(texto)) {
    return new SatError('SERVICIO_CON_ERROR', { codigo: CUOTA_DEL_DIA });
  }
  return ilegible('una página en lugar del XML');
}
