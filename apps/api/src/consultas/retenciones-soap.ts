import { randomInt } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { CfdiError } from '@acuse/contract';
import {
  type ConsultaEnCurso,
  type CredencialEfirma,
  fromSeconds,
  PaqueteSatInvalido,
  type Periodo,
  type Retencion,
  SatError,
  type TipoDescarga,
  toSeconds,
  wallClock,
} from '@acuse/core';
import { linkSignals } from '@acuse/runtime';
import type { FilaMetadata } from '@acuse/storage/metadata/read-metadata';
import type { ContextoBase } from '../operation.ts';
import { askSat, sinRespuesta } from './ask-sat.ts';

type ContextoSat = Pick<ContextoBase, 'deps' | 'access' | 'signal' | 'now'> & {
  /**
   * Aborts with `signal`, and when the other side of the year has failed. Running questions end; no new one starts.
   */
  readonly alto: AbortSignal;
};

/**
 * Another second is another request to the SAT. When it says that an equal one is in force, or spent for good (5005,
 * 5002), so many seconds of the day before are tried, chosen at random: counted from the year's first one they would be
 * used up by a caller who asks now and then.
 */
const MAX_DESFASES = 5;
const DIA_SEGUNDOS = 86_400;

/**
 * Lists the CFDI de retenciones of a fiscal year, received and issued, by the SAT's own asynchronous service. A side
 * that is not ready within the budget of the call answers 503/5041; its request stays noted, and the next call goes on
 * with it. Packages are fetched once both sides are ready, because the SAT serves each package only twice.
 */
export async function listRetencionesSoap(
  contexto: Omit<ContextoSat, 'alto'>,
  { rfc, ejercicio }: { readonly rfc: string; readonly ejercicio: number },
  credencial: CredencialEfirma,
): Promise<readonly Retencion[]> {
  const preguntas = (['recibidos', 'emitidos'] as const).map((tipo) => ({ rfc, ejercicio, tipo }));
  const listas = await juntos(contexto, preguntas, (pregunta, propio) => awaitReady(propio, pregunta, credencial));
  const [recibidas, emitidas] = await juntos(contexto, listas, (lista, propio) => collect(propio, lista, credencial));
  const own = String(ejercicio);
  return [
    ...(recibidas ?? []).map((fila) => toRetencion(fila, 'RECIBIDA')),
    ...(emitidas ?? []).map((fila) => toRetencion(fila, 'EMITIDA')),
  ]
    .filter(({ fecha }) => fecha.startsWith(own))
    .sort((a, b) => compare(a.fecha, b.fecha) || compare(a.uuid, b.uuid));
}

/**
 * Works on all sides at once and waits for every one of them, also when one fails: the credential is wiped when the
 * call ends, and nothing may go on asking with it. Throws what failed first.
 */
async function juntos<T, R>(
  contexto: Omit<ContextoSat, 'alto'>,
  sides: readonly T[],
  work: (side: T, propio: ContextoSat) => Promise<R>,
): Promise<readonly R[]> {
  const fallo = new AbortController();
  const { signal: alto, release } = linkSignals([contexto.signal, fallo.signal], contexto.deps.settings.presupuestoMs);
  const done = await Promise.allSettled(
    sides.map((side) =>
      work(side, { ...contexto, alto }).catch((error: unknown) => {
        // The call's time may end between two questions, where nothing of the SAT's tells so.
        const told = error === alto.reason && !(error instanceof CfdiError) ? sigueEnCurso() : error;
        fallo.abort(told);
        throw told;
      }),
    ),
  );
  release();
  if (fallo.signal.aborted) throw fallo.signal.reason;
  return done.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

interface Pregunta {
  readonly rfc: string;
  readonly ejercicio: number;
  readonly tipo: TipoDescarga;
}

/** One side of the year, with the packages that the SAT has ready for it. */
interface Lista extends Pregunta {
  /** Null when the SAT answered at once that the year is empty. */
  readonly enCurso: ConsultaEnCurso | null;
  readonly paquetes: readonly string[];
}

/** Requests to a simulator have keys of their own, apart from those to the SAT. */
const claveDe = ({ access }: ContextoSat, { ejercicio, tipo }: Pregunta) =>
  `${access.apiKey.modo === 'live' ? '' : 'pruebas:'}retenciones:${ejercicio}:${tipo}`;

/** Waits for one side. Repeats once a request that the SAT gave up. */
async function awaitReady(contexto: ContextoSat, pregunta: Pregunta, credencial: CredencialEfirma): Promise<Lista> {
  const { deps, access } = contexto;
  const clave = claveDe(contexto, pregunta);
  for (let isAnew = false; ; isAnew = true) {
    const enCurso =
      (await deps.consultasEnCurso.find(access.contribuyenteId, clave)) ??
      (await request(contexto, pregunta, credencial, clave));
    if (enCurso === null) return { ...pregunta, enCurso, paquetes: [] };
    const fin = await awaitRequest(contexto, pregunta, credencial, enCurso);
    if (fin.resultado === 'TERMINADA') return { ...pregunta, enCurso, paquetes: fin.paquetes };
    if (fin.resultado === 'VACIA') return { ...pregunta, enCurso, paquetes: [] };
    await deps.consultasEnCurso.drop(access.contribuyenteId, clave, enCurso.folio);
    if (isAnew) throw noEntrego(fin.resultado);
  }
}

const sigueEnCurso = () =>
  sinRespuesta(
    'El SAT sigue preparando las retenciones. La solicitud sigue en curso: repita la consulta y continuará donde se quedó.',
    60,
  );

const noEntrego = (resultado: string) =>
  sinRespuesta(
    `El SAT no entregó las retenciones (${resultado}). Repita la consulta en unos minutos; si vuelve a pasar, avise al operador de este servicio.`,
    300,
  );

/**
 * Returns the rows of a side that is ready and forgets its request. When its packages are spent, it asks the SAT again,
 * once.
 */
async function collect(
  contexto: ContextoSat,
  ready: Lista,
  credencial: CredencialEfirma,
): Promise<readonly FilaMetadata[]> {
  const { deps, access } = contexto;
  for (let lista = ready; ; lista = await awaitReady(contexto, ready, credencial)) {
    const { enCurso } = lista;
    if (enCurso === null) return [];
    const filas = await fetchAll(contexto, lista, credencial, enCurso);
    await deps.consultasEnCurso.drop(access.contribuyenteId, claveDe(contexto, lista), enCurso.folio);
    if (filas !== null) return filas;
    if (lista !== ready) throw noEntrego('AGOTADO');
  }
}

/** Asks for the year and notes the request; null when the SAT answers at once that the year is empty. */
async function request(
  contexto: ContextoSat,
  pregunta: Pregunta,
  credencial: CredencialEfirma,
  clave: string,
): Promise<ConsultaEnCurso | null> {
  const { deps, access, now } = contexto;
  const { rfc, tipo } = pregunta;
  for (let intento = 0; intento <= MAX_DESFASES; intento += 1) {
    const desfase = intento === 0 ? 0 : randomInt(1, DIA_SEGUNDOS);
    const periodo = periodoDe(pregunta.ejercicio, now, desfase);
    contexto.alto.throwIfAborted();
    const consulta = { consulta: 'solicitar-metadata', documento: 'retenciones', rfc, tipo, periodo } as const;
    const respuesta = await askSat(contexto, consulta, credencial);
    switch (respuesta.resultado) {
      case 'ACEPTADA':
        return deps.consultasEnCurso.keep(access.contribuyenteId, clave, { folio: respuesta.folio, periodo });
      case 'VACIA':
        return null;
      case 'DEMASIADOS':
        throw new CfdiError('PERIODO_DEMASIADO_GRANDE');
      case 'RECHAZADA':
        throw sinRespuesta(
          `El SAT no aceptó la solicitud de retenciones (${respuesta.codigo}). Intente más tarde; si vuelve a pasar, avise al operador de este servicio.`,
        );
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
  const { alto, deps } = contexto;
  let wait = deps.settings.satEsperaMs;
  for (;;) {
    const consulta = { consulta: 'verificar-metadata', documento: 'retenciones', rfc, tipo, periodo, folio } as const;
    const respuesta = await askSat(contexto, consulta, credencial);
    if (respuesta.resultado === 'DEMASIADOS') throw new CfdiError('PERIODO_DEMASIADO_GRANDE');
    if (respuesta.resultado !== 'EN_PROCESO') return respuesta;
    if (!(await sleep(wait, true, { signal: alto }).catch(() => false))) {
      throw sigueEnCurso();
    }
    wait *= 1.5;
  }
}

/** Every row of the packages; null when the SAT does not give one of them any more. */
async function fetchAll(
  contexto: ContextoSat,
  { rfc, tipo, paquetes }: Lista,
  credencial: CredencialEfirma,
  { folio, periodo }: ConsultaEnCurso,
): Promise<readonly FilaMetadata[] | null> {
  const filas: FilaMetadata[] = [];
  // Its libraries are loaded by the calls that need them.
  const { readMetadata } = await import('@acuse/storage/metadata/read-metadata');
  for (const paquete of paquetes) {
    contexto.alto.throwIfAborted();
    const base = { documento: 'retenciones', rfc, tipo, periodo, folio, paquete } as const;
    const respuesta = await askSat(contexto, { ...base, consulta: 'descargar-paquete' }, credencial);
    if (respuesta.resultado === 'AGOTADO') return null;
    try {
      filas.push(...(await readMetadata(await buffer(respuesta.zip), contexto.signal)));
    } catch (error) {
      if (error instanceof PaqueteSatInvalido)
        throw sinRespuesta('El SAT entregó un paquete de retenciones que no se puede leer.', 300);
      if (error instanceof SatError) throw sinRespuesta('La entrega del paquete de retenciones se cortó.', 30);
      throw error;
    }
  }
  return filas;
}

/**
 * The year, clipped to now. A shifted request begins some seconds earlier; rows of the year before are left out
 * afterwards.
 */
function periodoDe(ejercicio: number, now: Date, desfase: number): Periodo {
  const start = toSeconds(`${ejercicio}-01-01T00:00:00`) - desfase;
  const end = Math.min(toSeconds(`${ejercicio}-12-31T23:59:59`), toSeconds(wallClock(now)));
  return { inicio: fromSeconds(start), fin: fromSeconds(Math.max(end, start + 2)) };
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
