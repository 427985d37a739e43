import { randomInt } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { CfdiError } from '@acuse/contract';
import {
  type ConsultaEnCurso,
  type CredencialEfirma,
  PaqueteSatInvalido,
  type Periodo,
  type Retencion,
  SatError,
  type TipoDescarga,
} from '@acuse/core';
import { type FilaMetadata, readMetadata } from '@acuse/storage';
import type { ContextoBase } from '../http/operation.ts';
import { askSat, sinRespuesta } from './ask-sat.ts';

type ContextoSat = Pick<ContextoBase, 'deps' | 'pase' | 'signal' | 'now'>;

/**
 * Another second is another request to the SAT. When it says that an equal one is in force, or spent for good (5005, 5002), so many seconds of
 * the day before are tried, chosen at random: counted from the year's first one they would be used up by a caller who asks now and then.
 */
const MAX_DESFASES = 5;
const DIA_SEGUNDOS = 86_400;
const MEXICO_OFFSET_MS = 6 * 3_600_000;

/**
 * The CFDI de retenciones of a fiscal year, received and issued, by the SAT's own asynchronous service. What is not ready within the
 * budget of the call is answered 503/5041; the request stays noted, and the next call goes on with it.
 */
export async function listRetencionesSoap(
  contexto: ContextoSat,
  { rfc, ejercicio }: { readonly rfc: string; readonly ejercicio: number },
  credencial: CredencialEfirma,
): Promise<readonly Retencion[]> {
  const [recibidas, emitidas] = await Promise.all(
    (['recibidos', 'emitidos'] as const).map((tipo) =>
      collect(contexto, { rfc, ejercicio, tipo }, credencial),
    ),
  );
  const own = String(ejercicio);
  return [
    ...(recibidas ?? []).map((fila) => toRetencion(fila, 'RECIBIDA')),
    ...(emitidas ?? []).map((fila) => toRetencion(fila, 'EMITIDA')),
  ]
    .filter(({ fecha }) => fecha.startsWith(own))
    .sort((a, b) => compare(a.fecha, b.fecha) || compare(a.uuid, b.uuid));
}

interface Pregunta {
  readonly rfc: string;
  readonly ejercicio: number;
  readonly tipo: TipoDescarga;
}

/** The rows of one side. A request that the SAT gave up, or whose packages are spent, is made anew once. */
async function collect(
  contexto: ContextoSat,
  pregunta: Pregunta,
  credencial: CredencialEfirma,
): Promise<readonly FilaMetadata[]> {
  const { deps, pase } = contexto;
  const clave = `retenciones:${pregunta.ejercicio}:${pregunta.tipo}`;
  for (let isAnew = false; ; isAnew = true) {
    const enCurso =
      (await deps.consultasEnCurso.find(pase.contribuyenteId, clave)) ??
      (await request(contexto, pregunta, credencial, clave));
    if (enCurso === null) return [];
    const fin = await awaitRequest(contexto, pregunta, credencial, enCurso);
    const filas =
      fin.resultado === 'TERMINADA'
        ? await fetchAll(contexto, pregunta, credencial, enCurso, fin.paquetes)
        : null;
    await deps.consultasEnCurso.drop(pase.contribuyenteId, clave, enCurso.folio);
    if (fin.resultado === 'VACIA') return [];
    if (filas !== null) return filas;
    if (isAnew) throw sinRespuesta(`El SAT no entregó las retenciones (${fin.resultado}).`, 300);
  }
}

/** Asks for the year and notes the request; null when the SAT says at once that there is nothing. */
async function request(
  contexto: ContextoSat,
  pregunta: Pregunta,
  credencial: CredencialEfirma,
  clave: string,
): Promise<ConsultaEnCurso | null> {
  const { deps, pase, now } = contexto;
  const { rfc, tipo } = pregunta;
  for (let intento = 0; intento <= MAX_DESFASES; intento += 1) {
    const desfase = intento === 0 ? 0 : randomInt(1, DIA_SEGUNDOS);
    const periodo = periodoDe(pregunta.ejercicio, now, desfase);
    const consulta = {
      consulta: 'solicitar-metadata',
      documento: 'retenciones',
      rfc,
      tipo,
      periodo,
    } as const;
    const respuesta = await askSat(contexto, consulta, credencial);
    switch (respuesta.resultado) {
      case 'ACEPTADA':
        return deps.consultasEnCurso.keep(pase.contribuyenteId, clave, { folio: respuesta.folio, periodo });
      case 'VACIA':
        return null;
      case 'DEMASIADOS':
        throw new CfdiError('PERIODO_DEMASIADO_GRANDE');
      case 'RECHAZADA':
        throw sinRespuesta(`El SAT no aceptó la solicitud de retenciones (${respuesta.codigo}).`);
      case 'REPETIDA':
        break;
    }
  }
  throw sinRespuesta('El SAT tiene en curso demasiadas solicitudes iguales de retenciones.', 3_600);
}

/** Looks at the request, in growing intervals, until the SAT has an answer or the call's time is over. */
async function awaitRequest(
  contexto: ContextoSat,
  { rfc, tipo }: Pregunta,
  credencial: CredencialEfirma,
  { folio, periodo }: ConsultaEnCurso,
) {
  const { signal, deps } = contexto;
  let wait = deps.settings.satEsperaMs;
  for (;;) {
    const consulta = {
      consulta: 'verificar-metadata',
      documento: 'retenciones',
      rfc,
      tipo,
      periodo,
      folio,
    } as const;
    const respuesta = await askSat(contexto, consulta, credencial);
    if (respuesta.resultado === 'DEMASIADOS') throw new CfdiError('PERIODO_DEMASIADO_GRANDE');
    if (respuesta.resultado !== 'EN_PROCESO') return respuesta;
    if (!(await sleep(wait, signal))) {
      throw sinRespuesta(
        'El SAT sigue preparando las retenciones. La solicitud sigue en curso: repita la consulta y continuará donde se quedó.',
        60,
      );
    }
    wait *= 1.5;
  }
}

/** Every row of the packages; null when the SAT does not give one of them any more. */
async function fetchAll(
  contexto: ContextoSat,
  { rfc, tipo }: Pregunta,
  credencial: CredencialEfirma,
  { folio, periodo }: ConsultaEnCurso,
  paquetes: readonly string[],
): Promise<readonly FilaMetadata[] | null> {
  const filas: FilaMetadata[] = [];
  for (const paquete of paquetes) {
    const base = { documento: 'retenciones', rfc, tipo, periodo, folio, paquete } as const;
    const respuesta = await askSat(contexto, { ...base, consulta: 'descargar-paquete' }, credencial);
    if (respuesta.resultado === 'AGOTADO') return null;
    try {
      filas.push(...(await readMetadata(await buffer(respuesta.zip), contexto.signal)));
    } catch (error) {
      if (error instanceof PaqueteSatInvalido)
        throw sinRespuesta('El SAT entregó un paquete de retenciones que no se puede leer.', 300);
      if (error instanceof SatError)
        throw sinRespuesta('La entrega del paquete de retenciones se cortó.', 30);
      throw error;
    }
  }
  return filas;
}

/** The year, clipped to now. A shifted request begins some seconds earlier; rows of the year before are left out afterwards. */
function periodoDe(ejercicio: number, now: Date, desfase: number): Periodo {
  const wall = (ms: number) => new Date(ms).toISOString().slice(0, 19);
  const start = Date.UTC(ejercicio, 0, 1) - desfase * 1_000;
  const end = Math.min(Date.UTC(ejercicio, 11, 31, 23, 59, 59), now.getTime() - MEXICO_OFFSET_MS);
  return { inicio: wall(start), fin: wall(Math.max(end, start + 2_000)) };
}

function toRetencion(fila: FilaMetadata, tipo: Retencion['tipo']): Retencion {
  return {
    uuid: fila.uuid,
    tipo,
    emisorRfc: fila.emisorRfc,
    receptorRfc: fila.receptorRfc === '' ? null : fila.receptorRfc,
    total: fila.monto,
    fecha: fila.fechaEmision.slice(0, 10),
    estado: fila.isVigente ? 'VIGENTE' : 'CANCELADO',
  };
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** False when the signal ended the wait. */
function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve(true);
    }, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
