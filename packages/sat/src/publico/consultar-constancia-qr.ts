import {
  type Constancia,
  type ConsultarConstanciaQr,
  type RegimenFiscal,
  type RespuestaConsultarConstanciaQr,
  SatError,
} from '@acuse/core';
import { type Campo, claveDeRegimen, toDatos } from '../constancia/campos.ts';
import { readFechaConstancia } from '../fechas.ts';
import type { SatHttp } from '../http/sat-http.ts';
import { type Etiqueta, readTags, readTexto } from '../portal/paginas/etiquetas.ts';
import { assertCleanText, ilegible, toLabel } from '../texto.ts';

const HOST = 'siat.sat.gob.mx';
const MAX_BYTES = 1024 * 1024;

/**
 * Reads the public page that the QR code of a constancia leads to (phpcfdi/csf-scraper; SAT-CFDI/python-satcfdi,
 * `csf`): names, address, regimes and situation, no obligations. Rejects with RESPUESTA_ILEGIBLE for any page but that
 * one and the page's own "not found".
 */
export async function consultarConstanciaQr(
  http: SatHttp,
  { rfc, idCif }: ConsultarConstanciaQr,
  signal: AbortSignal,
): Promise<RespuestaConsultarConstanciaQr> {
  if (!/^\d{1,15}$/.test(idCif)) throw new SatError('PETICION_RECHAZADA', { detalle: 'idCIF' });
  const respuesta = await http.request({
    host: HOST,
    path: `/app/qr/faces/pages/mobile/validadorqr.jsf?D1=10&D2=1&D3=${idCif}_${encodeURIComponent(rfc.toUpperCase())}`,
    method: 'GET',
    headers: { accept: 'text/html,application/xhtml+xml', 'accept-language': 'es-MX,es;q=0.9' },
    expect: 'text',
    maxBytes: MAX_BYTES,
    titular: rfc,
    signal,
  });
  try {
    if (respuesta.status !== 200) throw new SatError('SERVICIO_CON_ERROR', { codigo: `HTTP ${respuesta.status}` });
    const constancia = readQrPage(respuesta.body, rfc, idCif);
    return constancia === null ? { resultado: 'NO_ENCONTRADA' } : { resultado: 'ENCONTRADA', constancia };
  } catch (error) {
    if (error instanceof SatError && error.clase === 'reintentable') await respuesta.markFailed();
    throw error;
  }
}

/** Labels of the page, without accents (phpcfdi/csf-scraper, `PersonaFisica.php` and `PersonaMoral.php`). */
const ETIQUETAS: Readonly<Record<string, Campo>> = {
  curp: 'curp',
  nombre: 'nombres',
  'apellido paterno': 'primerApellido',
  'apellido materno': 'segundoApellido',
  'denominacion o razon social': 'razonSocial',
  'fecha de inicio de operaciones': 'inicioOperaciones',
  'situacion del contribuyente': 'estatus',
  'fecha del ultimo cambio de situacion': 'ultimoCambio',
  'entidad federativa': 'entidad',
  'municipio o delegacion': 'municipio',
  colonia: 'colonia',
  'tipo de vialidad': 'tipoVialidad',
  'nombre de la vialidad': 'vialidad',
  'numero exterior': 'numeroExterior',
  'numero interior': 'numeroInterior',
  cp: 'cp',
};
const REGIMEN = 'regimen';
const FECHA_DE_ALTA = 'fecha de alta';

const TITULAR = /^El RFC: ([A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}),? tiene asociada la siguiente informaci[oó]n\.?$/iu;
const SIN_INFORMACION = /^No se encontr[oó] informaci[oó]n de la c[eé]dula de identificaci[oó]n fiscal\b/iu;

/**
 * Reads the page behind the QR code of a constancia. Null only when the page says in its own words that it has no
 * information for idCIF and RFC. Throws RESPUESTA_ILEGIBLE for a page that is cut, names another RFC, or lacks a field
 * that every constancia has.
 */
export function readQrPage(html: string, rfc: string, idCif: string): Constancia | null {
  const etiquetas = readTags(html);
  if (!etiquetas.some((e) => e.nombre === 'html' && e.closes)) throw ilegible('constancia: página incompleta');
  const pares = readPares(etiquetas);
  if (isSinInformacion(etiquetas)) {
    if (pares.length > 0) throw ilegible('constancia: página que se contradice');
    return null;
  }
  const titular = readTitular(etiquetas);
  if (titular?.toUpperCase() !== rfc.toUpperCase()) throw ilegible('constancia: RFC');
  return { rfc: titular.toUpperCase(), idCif, ...readContenido(pares), obligaciones: null };
}

function readContenido(pares: readonly Par[]): Omit<Constancia, 'rfc' | 'idCif' | 'obligaciones'> {
  const campos = new Map<Campo, string>();
  const regimenes: RegimenFiscal[] = [];
  let abierto: string | null = null;
  const close = (desde: string | null) => {
    if (abierto === null) return;
    regimenes.push({ clave: claveDeRegimen(abierto), nombre: abierto, desde });
    abierto = null;
  };
  for (const { etiqueta, valor } of pares) {
    if (etiqueta === REGIMEN) {
      close(null);
      if (valor === '') throw ilegible('constancia: régimen');
      abierto = valor;
    } else if (etiqueta === FECHA_DE_ALTA) {
      if (abierto === null) throw ilegible('constancia: fecha de alta sin régimen');
      close(readAlta(valor));
    } else {
      const campo = Object.hasOwn(ETIQUETAS, etiqueta) ? ETIQUETAS[etiqueta] : undefined;
      if (campo === undefined) continue;
      if (campos.has(campo)) throw ilegible(`constancia: ${etiqueta} dos veces`);
      campos.set(campo, valor);
    }
  }
  close(null);
  if (regimenes.length === 0) throw ilegible('constancia: regímenes');
  return { ...toDatos(campos), regimenes };
}

function readAlta(valor: string): string | null {
  if (valor === '') return null;
  const fecha = readFechaConstancia(valor);
  if (fecha === null) throw ilegible('constancia: fecha de alta');
  return fecha;
}

function isSinInformacion(etiquetas: readonly Etiqueta[]): boolean {
  return etiquetas.some(
    (e) =>
      !e.closes &&
      (e.attrs.get('class') ?? '').split(/\s+/).includes('ui-messages-info-detail') &&
      SIN_INFORMACION.test(readTexto([e])),
  );
}

function readTitular(etiquetas: readonly Etiqueta[]): string | null {
  for (const e of etiquetas) {
    if (e.nombre !== 'li' || e.closes) continue;
    const rfc = TITULAR.exec(readTexto([e]))?.[1];
    if (rfc !== undefined) return rfc;
  }
  return null;
}

interface Par {
  /** Lower case, without accents and colon. */
  readonly etiqueta: string;
  readonly valor: string;
}

const LIMITES = new Set(['td', 'th', 'tr', 'table', 'tbody', 'thead', 'tfoot', 'ul', 'li', 'form', 'body']);
const ORNAMENTS = new Set(['span', 'b', 'strong', 'br', 'label']);

/** The rows of exactly two cells whose first one ends in a colon. */
function readPares(etiquetas: readonly Etiqueta[]): readonly Par[] {
  const pares: Par[] = [];
  let fila: string[] = [];
  const endFila = () => {
    const [etiqueta, valor] = fila;
    if (fila.length === 2 && etiqueta?.endsWith(':')) pares.push({ etiqueta: toLabel(etiqueta), valor: valor ?? '' });
    fila = [];
  };
  for (const [from, e] of etiquetas.entries()) {
    if (e.nombre === 'tr') endFila();
    if (e.nombre === 'td' && !e.closes) fila.push(readCell(etiquetas, from));
  }
  endFila();
  return pares;
}

/** The text of a cell up to the next tag of a table. Markup inside of a value would make it another value. */
function readCell(etiquetas: readonly Etiqueta[], from: number): string {
  let to = from + 1;
  while (to < etiquetas.length && !LIMITES.has(etiquetas[to]?.nombre ?? '')) to += 1;
  const celda = etiquetas.slice(from, to);
  const texto = readTexto(celda);
  assertCleanText(texto);
  const isForeign = celda.slice(1).some((e) => !ORNAMENTS.has(e.nombre));
  if (isForeign && texto !== '') throw ilegible('constancia: marcas dentro de un valor');
  return texto.normalize('NFC');
}
