import { createHash } from 'node:crypto';
import type { Comunicado } from '@acuse/core';
import { readMes, toDia } from '../../fechas.ts';
import type { DireccionSat } from '../../http/direcciones.ts';
import { assertCleanText, compare, ilegible, toForma } from '../../texto.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { type Etiqueta, isEntera, readBloques } from '../paginas/etiquetas.ts';
import { readScriptJump } from '../paginas/pagina-acceso.ts';
import { assertRfcNombrado } from '../paginas/pagina-portal.ts';
import type { ConsultaPortal, Portal } from '../portal.ts';
import { passAcceso, signIn } from '../sesion/log-in.ts';
import { assertSesionViva } from '../sesion/sesion-vencida.ts';

/** A communiqué with the minute that the page shows, `yyyy-MM-ddTHH:mm:ss`, for the order. */
interface ComunicadoFechado extends Comunicado {
  readonly momento: string;
}

interface Renglon {
  readonly momento: string;
  readonly asunto: string;
  readonly leido: boolean;
}

const NO_LEIDOS = /^mensajes no leidos(?: ?\((\d{1,5})\))?:?$/;
const LEIDOS = /^mensajes leidos(?: ?\((\d{1,5})\))?:?$/;
const ORNAMENT = /^[+\-⊞⊟□▶▸►•·\s]+/u;
const RENGLON =
  /^(\d{1,2})\/(\p{L}{3,10}|\d{1,2})\.?\/(\d{4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*hrs?\.?(?=\s|$)\s*(.*)$/iu;
/** What a line begins with that is meant as a date, in whatever shape. */
const LOOKS_LIKE_DATE = /^\d{1,4}\s?[/.-]\s?[\p{L}\d]{1,10}\.?\s?[/.-]\s?\d{1,4}/u;
const OTRA_FECHA = /\d{1,2}\/[\p{L}\d]{1,10}\/\d{4}\s+\d{1,2}:\d{2}(?::\d{2})?\s*hrs?\b/iu;
const MAX_ASUNTO = 1000;

/**
 * Reads the page "Mis comunicados": the sections of unread and read messages, each with lines `dd/mmm/yyyy HH:mm hrs
 * subject` (TecnofyMX/buzon-tributario-sat-scraper, src/Services/CommunicationParser.php). Throws RESPUESTA_ILEGIBLE
 * for a page that was cut, lacks a section, has a line with a date in another shape, or shows only a part of its list.
 *
 * The page gives no key for a communiqué, so `id` is made: the first 32 hexadecimal digits of the SHA-256 of RFC,
 * minute, subject and ordinal among equal ones, in lines. Reading a communiqué does not change it.
 */
export function readComunicados(etiquetas: readonly Etiqueta[], rfc: string): readonly ComunicadoFechado[] {
  if (!isEntera(etiquetas)) throw ilegible('comunicados: página incompleta');
  if (isPaginada(etiquetas)) throw ilegible('comunicados: la lista sigue en otra página');
  const bloques = readBloques(etiquetas);
  const normales = bloques.map(toForma);
  const noLeidos = seccion(normales, NO_LEIDOS);
  const leidos = seccion(normales, LEIDOS);
  const fin = (desde: number, otra: number) => (otra >= desde ? otra : bloques.length);
  const renglones = [
    ...readSection(bloques.slice(noLeidos.desde, fin(noLeidos.desde, leidos.desde - 1)), false, noLeidos.cuenta),
    ...readSection(bloques.slice(leidos.desde, fin(leidos.desde, noLeidos.desde - 1)), true, leidos.cuenta),
  ];
  const iguales = new Map<string, number>();
  return renglones.map(({ momento, asunto, leido }) => {
    const clave = `${rfc.toUpperCase()}\n${momento}\n${asunto}`;
    const ordinal = iguales.get(clave) ?? 0;
    iguales.set(clave, ordinal + 1);
    const id = createHash('sha256').update(`${clave}\n${ordinal}`).digest('hex').slice(0, 32);
    return { id, asunto, fecha: momento.slice(0, 10), leido, momento };
  });
}

/** Whether a page is the one with the two sections. */
function isPaginaComunicados(etiquetas: readonly Etiqueta[]): boolean {
  const normales = readBloques(etiquetas).map(toForma);
  return normales.some((bloque) => NO_LEIDOS.test(bloque)) && normales.some((bloque) => LEIDOS.test(bloque));
}

function seccion(normales: readonly string[], titulo: RegExp): { desde: number; cuenta: number | null } {
  const en = normales.flatMap((bloque, i) => (titulo.test(bloque) ? [i] : []));
  const [indice] = en;
  if (indice === undefined || en.length > 1) throw ilegible('comunicados: secciones');
  const cuenta = titulo.exec(normales[indice] ?? '')?.[1];
  return { desde: indice + 1, cuenta: cuenta === undefined ? null : Number(cuenta) };
}

function readSection(bloques: readonly string[], leido: boolean, cuenta: number | null): readonly Renglon[] {
  const renglones: Renglon[] = [];
  for (const escrito of bloques) {
    const bloque = escrito.replace(ORNAMENT, '');
    const found = RENGLON.exec(bloque);
    if (found === null) {
      if (LOOKS_LIKE_DATE.test(bloque)) throw ilegible('comunicados: renglón con otra forma');
      continue;
    }
    const asunto = found[7] ?? '';
    assertCleanText(asunto);
    if (asunto === '' || asunto.length > MAX_ASUNTO || OTRA_FECHA.test(asunto)) {
      throw ilegible('comunicados: renglón sin asunto propio');
    }
    renglones.push({ momento: toMomento(found), asunto, leido });
  }
  if (cuenta !== null && cuenta !== renglones.length) throw ilegible('comunicados: la cuenta no coincide');
  return renglones;
}

function toMomento([, dia, mes = '', anio, hora = '', minuto = '', segundo = '00']: RegExpExecArray): string {
  const numero = /^\d+$/.test(mes) ? Number(mes) : (readMes(mes) ?? 0);
  const fecha = toDia(Number(anio), numero, Number(dia));
  if (fecha === null || Number(hora) > 23 || Number(minuto) > 59 || Number(segundo) > 59) {
    throw ilegible('comunicados: fecha imposible');
  }
  return `${fecha}T${hora.padStart(2, '0')}:${minuto}:${segundo}`;
}

/** The pager of an ASP.NET list: `__doPostBack('…','Page$2')`. */
function isPaginada(etiquetas: readonly Etiqueta[]): boolean {
  return etiquetas.some(
    ({ nombre, attrs }) => nombre === 'a' && [...attrs.values()].some((valor) => /Page\$\w+/.test(valor)),
  );
}

const HOST_ACCESO = 'login.siat.sat.gob.mx';
const ENTRY = { host: 'wwwmat.sat.gob.mx', path: '/iniciar-expediente/mis-comunicados/' };
const HOST_MARCO = 'aplicacionesc.mat.sat.gob.mx';
const CAMINO_MARCO = '/webcomunicados/';
const MAX_SALTOS = 5;

/**
 * The communiqués of the mailbox: a page of the portal with the list in a frame of another host, which shares its
 * log-in (TecnofyMX/buzon-tributario-sat-scraper, src/Url.php, src/Services/CommunicationService.php). Either of the
 * two may be the one that asks for it.
 */
const PORTAL_COMUNICADOS: Portal = {
  nombre: 'comunicados',
  async enter(login) {
    const { pageClient, credencial } = login;
    const pagina = await signIn(login, ENTRY, HOST_ACCESO);
    assertRfcNombrado(pagina.etiquetas, credencial.rfc, false);
    const marco = await openMarco(pageClient, pagina);
    const after = await passAcceso(login, marco, HOST_ACCESO);
    const lista = isPaginaComunicados(after.etiquetas) ? after : await openMarco(pageClient, pagina);
    if (!isPaginaComunicados(lista.etiquetas)) throw ilegible('el acceso no llegó a los comunicados');
  },
  salida: { host: HOST_ACCESO, path: '/nidp/app/plogout' },
};

/** The page with the list. Throws SesionVencida when a log-in is due, RESPUESTA_ILEGIBLE when another page stays. */
async function openComunicados(pageClient: PageClient, rfc: string): Promise<Pagina> {
  const pagina = await pageClient.open(ENTRY);
  assertSesionViva(pagina, ENTRY.host);
  assertRfcNombrado(pagina.etiquetas, rfc, false);
  const marco = await openMarco(pageClient, pagina);
  assertSesionViva(marco);
  if (!isPaginaComunicados(marco.etiquetas)) throw ilegible('comunicados: otra página');
  return marco;
}

async function openMarco(pageClient: PageClient, pagina: Pagina): Promise<Pagina> {
  const direccion = findMarco(pageClient, pagina);
  if (direccion === null) {
    if (isPaginaComunicados(pagina.etiquetas)) return pagina;
    throw ilegible('comunicados: sin marco');
  }
  let marco = await pageClient.open(direccion);
  for (let saltos = 0; saltos < MAX_SALTOS; saltos += 1) {
    const url = readScriptJump(marco.etiquetas);
    if (url === null || isPaginaComunicados(marco.etiquetas)) return marco;
    marco = await pageClient.open(pageClient.resolve(url, marco.direccion));
  }
  throw ilegible('demasiadas redirecciones');
}

function findMarco(pageClient: PageClient, { etiquetas, direccion }: Pagina): DireccionSat | null {
  for (const etiqueta of etiquetas) {
    if (etiqueta.nombre !== 'iframe' || etiqueta.closes) continue;
    const src = (etiqueta.attrs.get('src') ?? '').trim();
    const esMarco = etiqueta.attrs.get('id')?.toLowerCase() === 'iframetoload';
    if (src === '' || !(esMarco || src.toLowerCase().includes(CAMINO_MARCO))) continue;
    const destino = pageClient.resolve(src, direccion);
    if (destino.host !== HOST_MARCO || !destino.path.toLowerCase().startsWith(CAMINO_MARCO)) {
      throw ilegible('comunicados: marco de otro lugar');
    }
    return destino;
  }
  return null;
}

/** Lists the communiqués of a period from the one page that shows them all; opens none, so that none becomes read. */
export const listarComunicados: ConsultaPortal<'listar-comunicados'> = {
  portal: PORTAL_COMUNICADOS,
  credenciales: ['ciec', 'efirma'],
  origen: {
    servidor: 'login.siat, wwwmat y aplicacionesc.mat.sat.gob.mx',
    fuentes: ['TecnofyMX/buzon-tributario-sat-scraper'],
  },
  async ask(pageClient, { rfc, desde, hasta }) {
    const pagina = await openComunicados(pageClient, rfc);
    const comunicados = readComunicados(pagina.etiquetas, rfc)
      .filter(({ fecha }) => desde <= fecha && fecha <= hasta)
      .toSorted((a, b) => compare(b.momento, a.momento) || compare(a.id, b.id))
      .map(({ momento: _momento, ...comunicado }) => comunicado);
    return { comunicados };
  },
};
