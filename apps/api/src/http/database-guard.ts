import { CfdiError } from '@acuse/contract';
import type { DatabasePorts } from '../api-deps.ts';

/**
 * The same ports, but whatever keeps the database from answering within `timeoutMs` is 503/5041 (specification, Errors: the balance could
 * not be validated), with the reason as its cause.
 */
export function guardDatabase(ports: DatabasePorts, timeoutMs: number): DatabasePorts {
  const guard =
    <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      withinTime(call(...args), timeoutMs);
  const { puerta, saldos, solicitudes, boveda, idempotencia, consultasEnCurso, documentos, sesiones } = ports;
  return {
    puerta: { load: guard((id) => puerta.load(id)), noteUse: guard((usos) => puerta.noteUse(usos)) },
    saldos: {
      charge: guard((cargo) => saldos.charge(cargo)),
      settle: guard((opId) => saldos.settle(opId)),
      refund: guard((opId, detalle) => saldos.refund(opId, detalle)),
      refundAbandoned: guard((limit) => saldos.refundAbandoned(limit)),
    },
    solicitudes: {
      accept: guard((nueva) => solicitudes.accept(nueva)),
      find: guard((contribuyenteId, id) => solicitudes.find(contribuyenteId, id)),
      cancel: guard((contribuyenteId, id) => solicitudes.cancel(contribuyenteId, id)),
    },
    boveda: {
      register: guard((input) => boveda.register(input)),
      store: guard((nueva, ip) => boveda.store(nueva, ip)),
      waitingForEfirma: guard((id) => boveda.waitingForEfirma(id)),
      resume: guard((sellada) => boveda.resume(sellada)),
      refuse: guard((contribuyenteId, credencialId, canal) =>
        boveda.refuse(contribuyenteId, credencialId, canal),
      ),
      reap: guard(() => boveda.reap()),
      now: guard(() => boveda.now()),
    },
    idempotencia: {
      begin: guard((inicio) => idempotencia.begin(inicio)),
      finish: guard((respuesta) => idempotencia.finish(respuesta)),
      release: guard((clave) => idempotencia.release(clave)),
    },
    listas: { consultar: guard((rfc) => ports.listas.consultar(rfc)) },
    consultasEnCurso: {
      find: guard((contribuyenteId, clave) => consultasEnCurso.find(contribuyenteId, clave)),
      keep: guard((contribuyenteId, clave, consulta) =>
        consultasEnCurso.keep(contribuyenteId, clave, consulta),
      ),
      drop: guard((contribuyenteId, clave, folio) => consultasEnCurso.drop(contribuyenteId, clave, folio)),
    },
    documentos: { note: guard((documento) => documentos.note(documento)) },
    sesiones: { forget: guard((rfc) => sesiones.forget(rfc)) },
  };
}

const RETRY_SECONDS = 5;

function withinTime<R>(answer: Promise<R>, timeoutMs: number): Promise<R> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: unknown) => {
      clearTimeout(timer);
      reject(new CfdiError('SALDO_NO_DISPONIBLE', { reintentar_en: RETRY_SECONDS }, { cause }));
    };
    const timer = setTimeout(() => refuse(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    answer.then((value) => {
      clearTimeout(timer);
      resolve(value);
    }, refuse);
  });
}
