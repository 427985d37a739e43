import {
  type AccessSnapshot,
  type Aceptacion,
  type Cancelacion,
  type ClaveIdempotencia,
  type CredencialGuardada,
  calendarDay,
  type Modo,
  type NuevaSolicitud,
  type RespuestaIdempotencia,
  type TipoGuardada,
} from '@acuse/core';
import type { Listas } from '@acuse/listas/db';
import type { LugarListado } from '@acuse/riesgo';
import type { Riesgo } from '@acuse/riesgo/db';
import type { Almacenes, Sincronizaciones } from '@acuse/sincronizacion/db';
import type { Webhooks } from '@acuse/webhooks/db';
import type { ApiDeps, DatabasePorts } from '../src/deps.ts';
import { memorySincronizaciones } from './memory-sincronizaciones.ts';
import {
  bump,
  credencialKey,
  credit,
  crossing,
  debit,
  isGivenBack,
  type MemoryStore,
  type Movimiento,
} from './memory-store.ts';
import { memoryWebhooks } from './memory-webhooks.ts';

const DAY_MS = 86_400_000;
const NINGUNO = { cfdi: 0, ingresos: '0.00', egresos: '0.00', nomina: '0.00', otros: '0.00', sinMonto: 0 };
const NADA = { vigentes: NINGUNO, cancelados: NINGUNO, ausentes: NINGUNO };

/** Ports of the features. */
export type FeaturePorts = { listas: Listas; riesgo: Riesgo; almacenes: Almacenes } & Record<'webhooks', Webhooks> &
  Record<'sincronizaciones', Sincronizaciones>;
type Ports = DatabasePorts & FeaturePorts & Pick<ApiDeps, 'sesiones'>;

/**
 * The ports over a store in memory, with the functions that operations call. Two of them over one store are two processes
 * over one database.
 */
export function createMemoryPorts(store: MemoryStore): Ports {
  const enCursoKey = (contribuyenteId: string, clave: string) => `${contribuyenteId}:${clave}`;
  return crossing<Ports>(store, {
    accessSnapshots: {
      load: (id) => loadAccess(store, id),
      noteUse: (usos) => void store.usos.push(...usos),
      rehash(id, antes, nuevo) {
        const key = store.keys.get(id);
        if (key?.hash.equals(antes)) Object.assign(key, { ...nuevo, hash: Buffer.from(nuevo.hash) });
      },
    },
    saldos: {
      charge: (cargo) => debit(store, { ...cargo, importe: 1 }),
      settle(opId, respuesta, devuelve) {
        if (!store.abiertas.delete(opId)) return isGivenBack(store, opId) === (devuelve !== undefined);
        if (respuesta !== null) keep(store, { ...respuesta, opId });
        if (devuelve !== undefined) credit(store, opId);
        return true;
      },
      refund: (opId) => store.abiertas.has(opId) && credit(store, opId),
      undo: (opId) => credit(store, opId),
      refundAbandoned: () => [...store.abiertas].filter((opId) => credit(store, opId)).length,
    },
    solicitudes: {
      accept: (nueva) => accept(store, nueva),
      find: (contribuyenteId, id, modo) => findSolicitud(store, { contribuyenteId, id, modo })?.vista ?? null,
      list(contribuyenteId, { estado, tipo, desde = '', hasta = '9999' }, { antesDe = 'g', limite }, modo) {
        const vistas = [...store.solicitudes.values()]
          .filter((found) => found.contribuyenteId === contribuyenteId)
          .map(({ vista }) => vista)
          .filter((vista) => (modo ?? vista.modo) === vista.modo)
          .filter((vista) => (estado ?? vista.estado) === vista.estado && (tipo ?? vista.tipo) === vista.tipo)
          .filter((vista) => vista.hasta >= desde && vista.desde <= hasta && vista.id < antesDe)
          .sort((a, b) => (a.id < b.id ? 1 : -1));
        return { vistas: vistas.slice(0, limite), hayMas: vistas.length > limite };
      },
      cancel: (contribuyenteId, id, { modo } = {}) => cancel(store, { contribuyenteId, id, modo }),
    },
    boveda: {
      register({ apiKeyId, contribuyenteId, idCif }) {
        const key = store.keys.get(apiKeyId);
        const contribuyente = store.contribuyentes.get(contribuyenteId);
        if (key) key.isRegistrada = true;
        if (contribuyente && idCif !== undefined) contribuyente.idCif = idCif;
        bump(store, contribuyenteId);
      },
      nameContribuyente({ contribuyenteId, nombre }) {
        const contribuyente = store.contribuyentes.get(contribuyenteId);
        if (contribuyente) contribuyente.nombre ??= nombre;
      },
      store(nueva) {
        if (store.keys.get(nueva.apiKeyId)?.estado !== 'ACTIVA') return false;
        const key = credencialKey(nueva.contribuyenteId, nueva.tipo);
        if (nueva.tipo === 'efirma_cer' && store.credenciales.get(key)?.noSerie !== nueva.noSerie) {
          store.credenciales.delete(credencialKey(nueva.contribuyenteId, 'efirma_key'));
        }
        store.credenciales.set(key, { ...nueva, rechazadaEn: { soap: null, portal: null } });
        bump(store, nueva.contribuyenteId);
        return true;
      },
      waitingForEfirma: (contribuyenteId) =>
        [...store.solicitudes.values()]
          .filter((s) => s.contribuyenteId === contribuyenteId && s.canal === 'soap' && s.vista.terminadaEn === null)
          .map((s) => ({ solicitudId: s.vista.id, deadlineAt: s.deadlineAt })),
      resume({ solicitudId, kid, sobre, expiraEn }) {
        const found = store.solicitudes.get(solicitudId);
        if (!found || found.vista.terminadaEn !== null) return false;
        found.sellada = { tipo: 'efirma', kid, sobre, expiraEn };
        found.vista = { ...found.vista, estado: 'EN_PROCESO' };
        return true;
      },
      refuse(contribuyenteId, credencialId, canal) {
        for (const row of store.credenciales.values()) {
          if (row.contribuyenteId === contribuyenteId && row.id === credencialId) row.rechazadaEn[canal] = store.now;
        }
        bump(store, contribuyenteId);
      },
      reap: () => 0,
      now: () => store.now,
    },
    idempotencia: {
      begin(inicio) {
        const name = nameOf(inicio);
        const { opId, cuerpoHash } = inicio;
        const now = store.now.getTime();
        const row = store.idempotencias.get(name);
        if (!row || now - row.createdAt > DAY_MS) {
          const lockedUntil = now + inicio.bloqueoSegundos * 1_000;
          store.idempotencias.set(name, { cuerpoHash, opId, lockedUntil, createdAt: now, answer: null });
          return { resultado: 'ADELANTE', opId };
        }
        if (!row.cuerpoHash.equals(cuerpoHash)) return { resultado: 'OTRO_CUERPO' };
        if (row.answer) return { resultado: 'CONTESTADA', ...row.answer };
        if (row.lockedUntil > now) {
          return { resultado: 'EN_CURSO', libreEn: Math.ceil((row.lockedUntil - now) / 1_000) };
        }
        row.lockedUntil = now + inicio.bloqueoSegundos * 1_000;
        return { resultado: 'ADELANTE', opId: row.opId };
      },
      keepTrozos({ trozos, cuerpoHash, status, opId, ...de }) {
        for (const { clave, sobre } of trozos)
          store.idempotencias.set(nameOf({ ...de, clave }), {
            ...{ cuerpoHash, opId, lockedUntil: 0, createdAt: store.now.getTime(), answer: { status, sobre } },
          });
      },
      trozos({ claves, cuerpoHash, ...de }) {
        const found = claves.flatMap((clave) => {
          const row = store.idempotencias.get(nameOf({ ...de, clave }));
          if (!row?.answer || !row.cuerpoHash.equals(cuerpoHash)) return [];
          return store.now.getTime() - row.createdAt < DAY_MS ? [[clave, row.answer.sobre] as const] : [];
        });
        return new Map(found);
      },
      finish: (respuesta) => keep(store, respuesta),
      reopen({ opId, ...clave }) {
        const row = store.idempotencias.get(nameOf(clave));
        if (row?.opId === opId) row.lockedUntil = store.now.getTime();
      },
      release({ opId, ...clave }) {
        if (store.idempotencias.get(nameOf(clave))?.opId === opId) store.idempotencias.delete(nameOf(clave));
      },
    },
    listas: { consultar: () => ({ fechaCorte: null, edosFuente: null, consultadas: [], rfcs: [] }) },
    consultasEnCurso: {
      find: (contribuyenteId, clave) => store.enCurso.get(enCursoKey(contribuyenteId, clave)) ?? null,
      keep(contribuyenteId, clave, consulta) {
        const name = enCursoKey(contribuyenteId, clave);
        const kept = store.enCurso.get(name) ?? consulta;
        store.enCurso.set(name, kept);
        return kept;
      },
      drop(contribuyenteId, clave, folio) {
        const name = enCursoKey(contribuyenteId, clave);
        if (store.enCurso.get(name)?.folio === folio) store.enCurso.delete(name);
      },
    },
    riesgo: {
      list: () => [],
      listPaquete({ solicitudId, despuesDe, limite }) {
        const placeOf = ({ rfc, lista }: LugarListado) => `${rfc} ${lista}`;
        const after = despuesDe === null ? '' : placeOf(despuesDe);
        return (store.listadas.get(solicitudId) ?? []).filter((one) => placeOf(one) > after).slice(0, limite);
      },
    },
    uso: {
      byDay({ cuentaId, desde, hasta }) {
        const dia = calendarDay(store.now);
        const own = store.movimientos.filter((m) => m.cuentaId === cuentaId && dia >= desde && dia <= hasta);
        return [...new Set(own.map(({ operacion }) => operacion))].sort().map((operacion) => {
          const sum = (tipo: Movimiento['tipo']) =>
            own.reduce((total, m) => total + (m.operacion === operacion && m.tipo === tipo ? m.importe : 0), 0);
          const llamadas = own.filter((m) => m.operacion === operacion && m.tipo === 'cargo').length;
          return { dia, operacion, llamadas, cargados: sum('cargo'), reembolsados: sum('reembolso') };
        });
      },
    },
    sesiones: { forget: (rfc) => void store.olvidados.push(rfc) },
    documentos: { note: (documento) => void store.documentos.push(documento) },
    webhooks: memoryWebhooks(store),
    sincronizaciones: memorySincronizaciones(store),
    almacenes: {
      cambios: () => [],
      lastBefore: () => 0n,
      page: () => ({ filas: [], siguiente: null }),
      resumen: () => ({ total: NADA, meses: [], efectos: [], contrapartes: [], otras: { contrapartes: 0, ...NADA } }),
    },
    saludPublica: { read: () => store.salud },
  });
}

function guardada(
  store: MemoryStore,
  contribuyenteId: string,
  apiKeyId: string,
  tipo: TipoGuardada,
): CredencialGuardada | null {
  const row = store.credenciales.get(credencialKey(contribuyenteId, tipo));
  if (!row || row.apiKeyId !== apiKeyId || (row.expiraEn && row.expiraEn <= store.now)) return null;
  const { id, kid, sobre, rechazadaEn } = row;
  return {
    ...{ id, apiKeyId, kid, sobre, rechazadaEn: { ...rechazadaEn } },
    shred: row.shred ?? null,
    noSerie: row.noSerie ?? null,
    titular: row.titular ?? null,
    vigenteHasta: row.vigenteHasta ?? null,
    advertencias: row.advertencias ?? [],
    expiraEn: row.expiraEn ?? null,
  };
}

function loadAccess(store: MemoryStore, apiKeyId: string): AccessSnapshot | null {
  const key = store.keys.get(apiKeyId);
  const contribuyente = key && store.contribuyentes.get(key.contribuyenteId);
  if (!key || !contribuyente) return null;
  const { id, hash, pepperVersion, estado, modo, isRegistrada } = key;
  const { cuentaId, rfc, idCif, version, deshabilitadas, ips } = contribuyente;
  return {
    apiKey: { id, hash, pepperVersion, estado, modo, isRegistrada },
    contribuyenteId: contribuyente.id,
    ...{ cuentaId, rfc, idCif, version },
    saldo: store.saldos.get(cuentaId) ?? 0,
    isSuspendida: store.suspendidas.has(cuentaId),
    deshabilitadas: [...deshabilitadas],
    ips: [...ips],
    ciec: guardada(store, contribuyente.id, id, 'ciec'),
    efirmaCer: guardada(store, contribuyente.id, id, 'efirma_cer'),
    efirmaKey: guardada(store, contribuyente.id, id, 'efirma_key'),
  };
}

function accept(store: MemoryStore, nueva: NuevaSolicitud): Aceptacion {
  const { id, apiKeyId, contribuyenteId, cuentaId, tipo, desde, hasta, formato, rfc, idemKey } = nueva;
  const isCurrent = store.contribuyentes.get(contribuyenteId)?.version === nueva.version;
  if (!isCurrent || store.keys.get(apiKeyId)?.estado !== 'ACTIVA') return { resultado: 'STALE_ACCESS' };
  if (nueva.sellada.expiraEn <= store.now) return { resultado: 'STALE_ACCESS' };
  for (const { vista, ...other } of store.solicitudes.values()) {
    const isOpen = vista.estado === 'EN_PROCESO' || vista.estado === 'ESPERA_EFIRMA';
    const isEqual = (['tipo', 'desde', 'hasta', 'formato'] as const).every((name) => vista[name] === nueva[name]);
    const isSame = idemKey !== null && other.idemKey === idemKey;
    if (other.apiKeyId === apiKeyId && ((isOpen && isEqual) || isSame)) {
      return { resultado: 'DUPLICADA', solicitudId: vista.id, estado: vista.estado };
    }
  }
  const cargo = debit(store, { opId: id, cuentaId, importe: nueva.costo, operacion: 'tax/descarga-metadata' });
  if (cargo.resultado !== 'CARGADO') return { resultado: 'SALDO_INSUFICIENTE' };
  store.solicitudes.set(id, {
    ...{ contribuyenteId, apiKeyId, idemKey, canal: nueva.canal, deadlineAt: nueva.deadlineAt },
    ...{ sellada: nueva.sellada, otra: nueva.otra },
    vista: {
      modo: store.keys.get(apiKeyId)?.modo ?? 'live',
      ...{ id, rfc, tipo, canal: nueva.canal, desde, hasta, formato, estado: 'EN_PROCESO', progreso: 0, intentos: 0 },
      ...{ registros: null, confianza: null, cruce: null, hasOrigen: false, isReembolsada: false },
      ...{ ultimaConsulta: null, proximaConsulta: store.now, motivo: null, creadaEn: store.now, terminadaEn: null },
      ...{ objectKey: null, paqueteBorradoEn: null, bytes: null, sha256: null },
    },
  });
  return { resultado: 'ACEPTADA', solicitudId: id };
}

interface Buscada {
  readonly contribuyenteId: string;
  readonly id: string;
  readonly modo: Modo | undefined;
}

function findSolicitud(store: MemoryStore, { contribuyenteId, id, modo }: Buscada) {
  const found = store.solicitudes.get(id);
  return found?.contribuyenteId === contribuyenteId && (modo ?? found.vista.modo) === found.vista.modo ? found : null;
}

function cancel(store: MemoryStore, buscada: Buscada): Cancelacion | null {
  const found = findSolicitud(store, buscada);
  if (found === null) return null;
  const { estado, terminadaEn } = found.vista;
  if (terminadaEn !== null) return estado === 'CANCELADA' ? { resultado: estado } : { resultado: 'TERMINADA', estado };
  const motivo = 'CANCELADA_POR_EL_CLIENTE';
  found.vista = { ...found.vista, estado: 'CANCELADA', motivo, terminadaEn: store.now, proximaConsulta: null };
  found.sellada = null;
  credit(store, buscada.id);
  return { resultado: 'CANCELADA' };
}

const nameOf = ({ apiKeyId, operacion, clave }: ClaveIdempotencia) => JSON.stringify([apiKeyId, operacion, clave]);

function keep(store: MemoryStore, { status, sobre, opId, ...clave }: RespuestaIdempotencia): void {
  const row = store.idempotencias.get(nameOf(clave));
  if (row?.opId === opId) row.answer = { status, sobre };
}
