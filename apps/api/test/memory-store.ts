import type {
  AccessSnapshot,
  CanalSat,
  ConsultaEnCurso,
  CredencialSellada,
  DocumentoGuardado,
  LecturaSalud,
  Modo,
  NuevaGuardada,
  ResultadoCargo,
  TipoGuardada,
  VistaSolicitud,
} from '@acuse/core';
import type { ContraparteDePaquete } from '@acuse/riesgo';
import type { VistaSincronizacion } from '@acuse/sincronizacion/db';
import type { EntregaVista, SecretoSellado, WebhookVista } from '@acuse/webhooks/db';

interface StoredKey {
  readonly id: string;
  readonly contribuyenteId: string;
  readonly hash: Buffer;
  readonly pepperVersion: number;
  readonly modo: Modo;
  estado: AccessSnapshot['apiKey']['estado'];
  isRegistrada: boolean;
}

interface StoredContribuyente {
  readonly id: string;
  readonly cuentaId: string;
  readonly rfc: string;
  idCif: string | null;
  nombre?: string;
  version: bigint;
  deshabilitadas: string[];
  ips: string[];
}

export interface Movimiento {
  readonly opId: string;
  readonly tipo: 'cargo' | 'reembolso';
  readonly cuentaId: string;
  readonly importe: number;
  readonly operacion: string;
}

export interface StoredSolicitud {
  vista: VistaSolicitud;
  readonly contribuyenteId: string;
  readonly apiKeyId: string;
  readonly canal: 'soap' | 'portal';
  readonly idemKey: string | null;
  readonly deadlineAt: Date;
  sellada: { tipo: string; kid: string; sobre: Buffer; expiraEn: Date } | null;
  readonly otra: CredencialSellada | null;
}

export interface StoredWebhook {
  vista: WebhookVista;
  readonly cuentaId: string;
  secretos: SecretoSellado[];
}

interface StoredIdempotencia {
  readonly cuerpoHash: Buffer;
  opId: string;
  lockedUntil: number;
  readonly createdAt: number;
  answer: { status: number; sobre: Buffer } | null;
}

/** What the database would hold, in memory, with a clock of its own, a count of round trips, and faults. */
export const createMemoryStore = (now: Date) => ({
  keys: new Map<string, StoredKey>(),
  contribuyentes: new Map<string, StoredContribuyente>(),
  /** Balance by account. */
  saldos: new Map<string, number>(),
  /** Accounts that are suspended. */
  suspendidas: new Set<string>(),
  movimientos: [] as Movimiento[],
  /** By `${contribuyenteId}:${tipo}`. */
  credenciales: new Map<string, NuevaGuardada & { rechazadaEn: Record<CanalSat, Date | null> }>(),
  solicitudes: new Map<string, StoredSolicitud>(),
  idempotencias: new Map<string, StoredIdempotencia>(),
  /** Charges whose call has neither an answer nor a refund. */
  abiertas: new Set<string>(),
  /** By `${contribuyenteId}:${clave}`. */
  enCurso: new Map<string, ConsultaEnCurso>(),
  documentos: [] as DocumentoGuardado[],
  webhooks: new Map<string, StoredWebhook>(),
  /** By taxpayer. */
  sincronizaciones: new Map<string, VistaSincronizacion>(),
  /** Sealed copies, by subscription. */
  consentimientos: new Map<string, Buffer>(),
  entregas: new Map<string, EntregaVista>(),
  /** The listed counterparties of a solicitud's package, in order. */
  listadas: new Map<string, readonly ContraparteDePaquete[]>(),
  /** The reading of the SAT's health. */
  salud: { tramos: [], esperas: [], trabajan: [] } as LecturaSalud,
  /** RFCs whose sessions with the SAT were ended. */
  olvidados: [] as string[],
  usos: [] as { apiKeyId: string; at: Date; ip: string }[],
  /** Names of the calls that crossed, in order. */
  trips: [] as string[],
  now,
  /** How the next calls go wrong: by name, or all of them. */
  fault: null as { readonly kind: 'reject' | 'hang'; readonly only?: string } | null,
  /** Runs just before a call takes effect: what another process does at that moment. */
  before: null as ((name: string) => void) | null,
});
export type MemoryStore = ReturnType<typeof createMemoryStore>;

/**
 * The same ports; each call is counted, then refused, lost or carried out in one go, as a statement would be.
 */
export function crossing<P extends object>(store: MemoryStore, ports: Plain<P>): P {
  const cross = async (name: string, run: () => unknown) => {
    store.trips.push(name);
    await Promise.resolve();
    const { fault } = store;
    if (fault !== null && (fault.only === undefined || fault.only === name)) {
      if (fault.kind === 'reject') throw new Error('the database is away');
      await new Promise(() => {});
    }
    store.before?.(name);
    return run();
  };
  const portOf = ([port, calls]: [string, object]) => [
    port,
    Object.fromEntries(
      Object.entries(calls).map(([call, run]) => [
        call,
        (...args: unknown[]) => cross(`${port}.${call}`, () => run(...args)),
      ]),
    ),
  ];
  return Object.fromEntries(Object.entries<object>(ports as Record<string, object>).map(portOf)) as P;
}

/** Ports whose calls answer at once; a call that no test makes is missing. */
export type Plain<P> = {
  readonly [Port in keyof P]: {
    readonly [Call in keyof P[Port]]?: P[Port][Call] extends (...args: infer A) => Promise<infer R>
      ? (...args: A) => R
      : never;
  };
};

export function bump(store: MemoryStore, contribuyenteId: string): void {
  const contribuyente = store.contribuyentes.get(contribuyenteId);
  if (contribuyente) contribuyente.version += 1n;
}

export function debit(
  store: MemoryStore,
  cargo: Omit<Movimiento, 'tipo'> & { readonly importe: number },
): ResultadoCargo {
  const saldo = store.saldos.get(cargo.cuentaId) ?? 0;
  if (store.movimientos.some(({ opId, tipo }) => opId === cargo.opId && tipo === 'cargo')) {
    return { resultado: isGivenBack(store, cargo.opId) ? 'DEVUELTO' : 'REPETIDO', saldo };
  }
  if (saldo < cargo.importe) return { resultado: 'INSUFICIENTE', saldo };
  store.saldos.set(cargo.cuentaId, saldo - cargo.importe);
  store.movimientos.push({ ...cargo, tipo: 'cargo' });
  store.abiertas.add(cargo.opId);
  return { resultado: 'CARGADO', saldo: saldo - cargo.importe, importe: cargo.importe };
}

export const isGivenBack = (store: MemoryStore, opId: string) =>
  store.movimientos.some((m) => m.opId === opId && m.tipo === 'reembolso');

export function credit(store: MemoryStore, opId: string): boolean {
  const cargo = store.movimientos.find((m) => m.opId === opId && m.tipo === 'cargo');
  if (!cargo || isGivenBack(store, opId)) return false;
  store.saldos.set(cargo.cuentaId, (store.saldos.get(cargo.cuentaId) ?? 0) + cargo.importe);
  store.movimientos.push({ ...cargo, tipo: 'reembolso' });
  store.abiertas.delete(opId);
  return true;
}

export const credencialKey = (contribuyenteId: string, tipo: TipoGuardada) => `${contribuyenteId}:${tipo}`;
