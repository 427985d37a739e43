import { calendarDay } from '@acuse/core';
import type { VistaSincronizacion } from '@acuse/sincronizacion/db';
import type { FeaturePorts } from './memory-ports.ts';
import type { MemoryStore, Plain } from './memory-store.ts';

const NADA = { lecturas: 0, porConfirmar: 0 };

/** The port of subscriptions over a store in memory. */
export function memorySincronizaciones(
  store: MemoryStore,
): Plain<Pick<FeaturePorts, 'sincronizaciones'>>['sincronizaciones'] {
  const change = (contribuyenteId: string, cambio: Partial<VistaSincronizacion>) => {
    const vista = store.sincronizaciones.get(contribuyenteId);
    if (vista !== undefined) store.sincronizaciones.set(contribuyenteId, { ...vista, ...cambio });
    return vista !== undefined;
  };
  return {
    idOf: (contribuyenteId) => store.sincronizaciones.get(contribuyenteId)?.id ?? null,
    // In memory no reading is ever merged: all of them are due.
    preview: (_, { tipos, meses, primeraReciente }) =>
      tipos.flatMap(() => [
        ...meses.map((mes) => ({
          ...{ tramo: { clase: 'MES', mes } as const, turno: 'AHORA' as const, dia: calendarDay(store.now) },
          ...NADA,
        })),
        {
          ...{ tramo: { clase: 'RECIENTE' } as const, turno: 'DESPUES' as const, dia: calendarDay(primeraReciente) },
          ...NADA,
        },
      ]),
    subscribe({
      id,
      contribuyenteId,
      apiKeyId,
      rfc,
      tipos,
      desde,
      frecuencia,
      minuto,
      meses,
      consentimiento,
      ...rest
    }) {
      const proximaLectura = rest.primeraReciente;
      const { finalidad, expiraEn, sobre } = consentimiento;
      const isThere = store.sincronizaciones.has(contribuyenteId);
      store.consentimientos.set(id, sobre);
      store.sincronizaciones.set(contribuyenteId, {
        ...{ id, almacenId: 1, rfc, desde, frecuencia, minuto, estado: 'ACTIVA', motivo: null, pausadaEn: null },
        modo: store.keys.get(apiKeyId)?.modo ?? 'live',
        emitidos: tipos.includes('emitidos'),
        recibidos: tipos.includes('recibidos'),
        creadaEn: store.now,
        consentimiento: { finalidad, otorgadoEn: store.now, expiraEn },
        ...{
          cambios: 0n,
          ultimaLectura: null,
          proximaLectura,
          releidoDesde: desde,
          fallando: 0,
          porConfirmar: 0,
          sinConfirmar: 0,
          ultimoFallo: null,
        },
        porLeer: meses.length * tipos.length,
      });
      return isThere ? 'RENOVADA' : 'CREADA';
    },
    find(contribuyenteId, modo) {
      const vista = store.sincronizaciones.get(contribuyenteId) ?? null;
      return (modo ?? vista?.modo) === vista?.modo ? vista : null;
    },
    pause: (id) => change(id, { estado: 'PAUSADA', motivo: 'PEDIDA', pausadaEn: store.now }),
    resume: (id) =>
      store.sincronizaciones.get(id)?.consentimiento != null &&
      change(id, { estado: 'ACTIVA', motivo: null, pausadaEn: null }),
    revoke: (id) => change(id, { consentimiento: null, estado: 'PAUSADA', motivo: 'SIN_CONSENTIMIENTO' }),
    remove: (id) => store.sincronizaciones.delete(id),
  };
}
