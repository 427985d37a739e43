import { CfdiError } from '@acuse/contract';
import { ResultadoIncierto } from '@acuse/core';
import type { DatabasePorts } from '../api-deps.ts';

const RETRY_SECONDS = 5;

/**
 * An acceptance waits its turn and is carried out, each within the time of the database: nobody gives it up before it
 * has given itself up.
 */
const ACCEPT_TIMES = 3;

/**
 * The same port, but whatever keeps the database from answering a call of it within `timeoutMs` is 503/5041
 * (specification, Errors: the balance could not be validated), with the reason as its cause: a {@link
 * ResultadoIncierto} when the call may still be carried out.
 */
export function guardPort<P extends object>(port: P, timeoutMs: number): P {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => withinTime(Reflect.apply(member, target, args), timeoutMs);
    },
  });
}

/** All ports of the API that reach the database, each as {@link guardPort} makes it. */
export function guardDatabase(ports: DatabasePorts, timeoutMs: number): DatabasePorts {
  const guard = <P extends object>(port: P) => guardPort(port, timeoutMs);
  return {
    accessSnapshots: guard(ports.accessSnapshots),
    saldos: guard(ports.saldos),
    solicitudes: {
      ...guard(ports.solicitudes),
      accept: guardPort(ports.solicitudes, ACCEPT_TIMES * timeoutMs).accept,
    },
    boveda: guard(ports.boveda),
    idempotencia: guard(ports.idempotencia),
    listas: guard(ports.listas),
    consultasEnCurso: guard(ports.consultasEnCurso),
    documentos: guard(ports.documentos),
    sesiones: guard(ports.sesiones),
  };
}

function withinTime<R>(answer: Promise<R>, timeoutMs: number): Promise<R> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: unknown) => {
      clearTimeout(timer);
      reject(new CfdiError('SALDO_NO_DISPONIBLE', { reintentar_en: RETRY_SECONDS }, { cause }));
    };
    const timer = setTimeout(() => {
      refuse(new ResultadoIncierto({ cause: new Error(`no answer within ${timeoutMs} ms`) }));
    }, timeoutMs);
    answer.then((value) => {
      clearTimeout(timer);
      resolve(value);
    }, refuse);
  });
}
