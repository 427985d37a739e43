import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  type Consulta,
  type Credencial,
  type CredencialCiec,
  type CredencialEfirma,
  type Periodo,
  type Respuesta,
  SatError,
} from '@acuse/core';
import { createResolvedorSimulador, createSatHttp, type ResolvedorCaptcha } from '@acuse/sat';
import { createPortalCanal } from '@acuse/sat/portal';
import { type Fault, type RunningSimulador, startSimulador } from '@acuse/simulador';
import { createKeyring, createSellado, openLlave } from '@acuse/vault';
import { expect, onTestFinished } from 'vitest';
import type { SatHttp, SatHttpRequest } from '../../packages/sat/src/http/sat-http.ts';
import { createLectorPdf } from '../../packages/sat/src/pdf/lector-pdf.ts';
import type { PortalCanal } from '../../packages/sat/src/portal/create-portal-canal.ts';
import type { NombreConsultaPortal } from '../../packages/sat/src/portal/portal.ts';
import type { PortalSettings } from '../../packages/sat/src/portal/settings.ts';
import { createSesionesEnMemoria } from '../../packages/sat/src/portal/testing/sesiones-en-memoria.ts';

/** One for all tests of a process; what a test changed is undone at its end. */
let running: Promise<RunningSimulador> | undefined;
const lector = createLectorPdf();
const efirmas = new Map<string, Promise<CredencialEfirma>>();
const taxpayers = new Map<string, number>();

function started(): Promise<RunningSimulador> {
  // What the SAT does not look at counts here, so that a wrong digest of ours is seen.
  running ??= startSimulador({ settings: { sello_completo: true } });
  return running;
}

/** The simulated authority, as it is before any test. */
export async function simulate(): Promise<RunningSimulador> {
  const simulador = await started();
  const { world } = simulador;
  const before = { ...world.settings };
  onTestFinished(() => {
    world.faults.remove();
    world.log.clear();
    world.clock.set(null);
    Object.assign(world.settings, before);
  });
  return simulador;
}

/** The HTTP layer in front of the simulated authority, and every request that was sent by it. */
export function record({ url }: RunningSimulador, options: HttpOptions = {}) {
  const requests: SatHttpRequest[] = [];
  const real = createSatHttp({ baseUrl: url, ...options });
  onTestFinished(() => real.close());
  const http: SatHttp = {
    ...real,
    request(request) {
      requests.push(request);
      return real.request(request);
    },
  };
  return { http, requests };
}
type HttpOptions = Omit<Parameters<typeof createSatHttp>[0], 'baseUrl'>;

/**
 * A taxpayer that no other test has. What it has at the authority follows from its RFC, and that from the name of the
 * test: the same whichever tests run before.
 */
export function newRfc(): string {
  const test = expect.getState().currentTestName ?? '';
  const nth = (taxpayers.get(test) ?? 0) + 1;
  taxpayers.set(test, nth);
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = createHash('sha256').update(`${test} ${nth}`).digest();
  const letters = [a, b, c].map((byte) => String.fromCharCode(65 + (byte % 26))).join('');
  const homoclave = (((d << 8) | e) % 1_296).toString(36).toUpperCase().padStart(2, '0');
  return `${letters}200101${homoclave}1`;
}

export function ciecDe(rfc: string, ciec = `Ciec${rfc}`.padEnd(16, '0')): CredencialCiec {
  return { tipo: 'ciec', rfc, ciec: Buffer.from(ciec) };
}

/** The e.firma of a taxpayer; the same each time, because a key takes its time to make. */
export async function efirmaDe(rfc: string): Promise<CredencialEfirma> {
  const { world } = await started();
  const password = '12345678a';
  const vigencia = { desde: new Date(Date.now() - 3_600_000), vence: new Date(Date.now() + 864_000_000) };
  const issue = async (): Promise<CredencialEfirma> => {
    const { cer, key } = await world.pki.issue({ rfc, nombre: 'PRUEBA', password, ...vigencia });
    return { tipo: 'efirma', rfc, cer, key: openLlave(key, Buffer.from(password)) };
  };
  if (!efirmas.has(rfc)) efirmas.set(rfc, issue());
  const efirma = await efirmas.get(rfc);
  if (efirma === undefined) throw new Error('no e.firma');
  return { ...efirma };
}

/** The seal of sessions under a new key. */
export const newSellado = () =>
  createSellado(createKeyring({ keys: new Map([['s1', randomBytes(32)]]), current: 's1' }));

/** The SatError that a promise rejects with; anything else fails the test. */
export async function errorOf(promise: Promise<unknown>): Promise<SatError> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome && outcome.error instanceof SatError) return outcome.error;
  throw new Error('expected a SatError', { cause: outcome });
}

export type Pregunta<N extends NombreConsultaPortal> = Omit<Consulta<N>, 'rfc'> & { readonly consulta: N };

export type Mount = Awaited<ReturnType<typeof setUp>>;

/** The portal channel in front of the simulated authority, for one taxpayer with its CIEC. */
export async function setUp(
  options: {
    rfc?: string;
    settings?: Partial<PortalSettings>;
    captcha?: ResolvedorCaptcha | null;
    http?: HttpOptions;
  } = {},
) {
  const { rfc = newRfc(), settings = {} } = options;
  const simulador = await simulate();
  const { world, url } = simulador;
  const { http, requests } = record(simulador, options.http);
  const resolvedor = resolvedorDe(simulador);
  let now = Date.now();
  const sesiones = createSesionesEnMemoria(() => now);
  const captcha = options.captcha === undefined ? resolvedor : options.captcha;
  const deps = { http, captcha, sesiones, sellado: newSellado(), settings, readPdf: lector.read };
  const another = (other: Partial<Parameters<typeof createPortalCanal>[0]> = {}): PortalCanal => {
    const canal = createPortalCanal({ ...deps, ...other });
    onTestFinished(() => canal.close());
    return canal;
  };
  const canal = another();
  const calls = (operation?: string, service?: string) =>
    world.log.list({ ...(operation && { operation }), ...(service && { service }) });
  return {
    ...simulador,
    rfc,
    canal,
    http,
    sesiones,
    resolvedor,
    requests,
    /** Another channel over the same sessions, as another process has it. */
    another,
    ask: <N extends NombreConsultaPortal>(
      pregunta: Pregunta<N>,
      credencial: Credencial = ciecDe(rfc),
      { canal: own = canal, signal = new AbortController().signal }: { canal?: PortalCanal; signal?: AbortSignal } = {},
    ): Promise<Respuesta<N>> => own.send({ ...pregunta, rfc: credencial.rfc } as never, credencial, { signal }),
    /** Moves the clock of the sessions, milliseconds; not the simulator's. */
    advance(ms: number) {
      now += ms;
    },
    fault: (service: string, operation: string, fault: Cambio) =>
      void world.faults.add({ service, operation, ...fault }),
    /** Calls that the simulator got. */
    calls,
    /** How often a password or a signed challenge was sent. */
    accesos: () => calls('EntrarCiec').length + calls('EntrarFiel').length,
    /** Has the portals show so many rows of a search until the test ends. */
    async showAtMost(max: number) {
      const show = (max_filas_consulta: number) =>
        fetch(`${url}/cfdiau/simulador/ajustes`, { method: 'PUT', body: JSON.stringify({ max_filas_consulta }) });
      onTestFinished(async () => void (await show(500)));
      await show(max);
    },
  };
}

/** Asks a channel of its own for the bulk download of a month. */
export function solicitar(canal: PortalCanal, credencial: CredencialCiec, cuentaId?: string) {
  const { signal } = new AbortController();
  const envio = { signal, ...(cuentaId === undefined ? {} : { cuentaId }) };
  return canal.send({ ...SOLICITAR, rfc: credencial.rfc }, credencial, envio);
}

/** Reads the captchas of a simulator. */
export const resolvedorDe = ({ url }: RunningSimulador): ResolvedorCaptcha =>
  createResolvedorSimulador({ url: `${url}/cfdiau/simulador/captcha` });

type Cambio = Omit<Fault, 'service' | 'operation'>;

/** The steps of the bulk download of the CFDI portal, as the tests ask for them. */
export const MARZO: Periodo = { inicio: '2026-03-01T00:00:00', fin: '2026-03-31T23:59:59' };
export const SOLICITAR = { consulta: 'solicitar-metadata', tipo: 'recibidos', periodo: MARZO } as const;
export const VERIFICAR = { ...SOLICITAR, consulta: 'verificar-metadata' as const, folio: randomUUID().toUpperCase() };

/** A promise, and what fulfils it. */
export function gate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A fault that answers with these pieces, no faster than they are taken. */
export function streamed(pieces: () => Iterable<Uint8Array>): Cambio {
  const headers = { 'content-type': 'application/zip' };
  return { kind: 'edited', edit: () => new Response(ReadableStream.from(pieces()), { headers }) };
}

/** A fault that changes the text of an answer. */
export function edited(change: (texto: string) => string, options: Pick<Fault, 'times' | 'after'> = {}): Cambio {
  return {
    kind: 'edited',
    ...options,
    edit: async (answer) => {
      const headers = new Headers(answer.headers);
      headers.delete('content-length');
      return new Response(change(await answer.text()), { status: answer.status, headers });
    },
  };
}

/** A fault that answers something else; by default a page. */
export function answered(body: string | Uint8Array<ArrayBuffer> | null, init: ResponseInit = {}): Cambio {
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  return { kind: 'edited', edit: () => new Response(body, { headers, ...init }) };
}

/** Each answer of an operation, changed in one of these ways, is refused. */
export async function refuses(
  mount: Mount,
  [service, operation]: readonly [string, string],
  ask: () => Promise<unknown>,
  changes: Readonly<Record<string, (texto: string) => string>>,
  motivo = 'RESPUESTA_ILEGIBLE',
) {
  for (const [what, change] of Object.entries(changes)) {
    mount.fault(service, operation, edited(change));
    expect([what, (await errorOf(ask())).motivo]).toEqual([what, motivo]);
    mount.world.faults.remove();
  }
}
