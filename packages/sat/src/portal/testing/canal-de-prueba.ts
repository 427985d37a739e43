import {
  type CredencialCiec,
  type Periodo,
  SatError,
  type Sellado,
  type SesionesPortal,
  type TipoDescarga,
} from '@acuse/core';
import { onTestFinished } from 'vitest';
import type { SatHttpSettings } from '../../http/direcciones.ts';
import { createSatHttp, type SatHttp, type SatHttpRequest } from '../../http/sat-http.ts';
import type { ResolvedorCaptcha } from '../captcha.ts';
import { createPortalCanal, type PortalCanal } from '../create-portal-canal.ts';
import type { PortalSettings } from '../settings.ts';
import { FOLIO, type PortalDePrueba, startPortalDePrueba } from './portal-de-prueba.ts';
import { createSelladoEfimero } from './sellado-efimero.ts';
import { createSesionesEnMemoria } from './sesiones-en-memoria.ts';

export const RFC = 'EKU9003173C9';
export const CIEC = 'ñ&=+ %1';
export const DIA: Periodo = { inicio: '2026-03-05T00:00:00', fin: '2026-03-05T23:59:59' };

/** Reads the answer that the test portal writes behind the PNG signature. */
export const RESOLVEDOR: ResolvedorCaptcha = {
  resolve: async (imagen) => imagen.subarray(8).toString().toLowerCase(),
};

export interface Montaje {
  readonly portal: PortalDePrueba;
  readonly canal: PortalCanal;
  readonly sesiones: SesionesPortal;
  /** Another channel over the same sessions, as another process has it. */
  another(options?: { sesiones?: SesionesPortal; captcha?: ResolvedorCaptcha }): PortalCanal;
  /** Moves the clock of the channel. */
  advance(ms: number): void;
}

export async function setUp(
  options: {
    settings?: PortalSettings;
    captcha?: ResolvedorCaptcha | null;
    http?: SatHttpSettings;
    /** Sees every request as it goes to the HTTP layer. */
    observe?: (request: SatHttpRequest) => void;
  } = {},
): Promise<Montaje> {
  const portal = await startPortalDePrueba();
  portal.guion.ciecs.set(RFC, CIEC);
  const real = createSatHttp({ baseUrl: portal.baseUrl, ...options.http });
  const http: SatHttp = {
    ...real,
    request(request) {
      options.observe?.(request);
      return real.request(request);
    },
  };
  onTestFinished(() => portal.close());
  onTestFinished(() => http.close());
  let now = Date.parse('2026-03-06T12:00:00Z');
  const sesiones = createSesionesEnMemoria(() => now);
  const sellado: Sellado = createSelladoEfimero();
  const { captcha = RESOLVEDOR, settings = {} } = options;
  const deps = { http, captcha, sesiones, sellado, settings };
  const canal = createPortalCanal(deps);
  onTestFinished(() => canal.close());
  return {
    portal,
    canal,
    another: (other = {}) => createPortalCanal({ ...deps, ...other }),
    sesiones,
    advance(ms) {
      now += ms;
    },
  };
}

export function ciecDe(rfc = RFC, ciec = CIEC): CredencialCiec {
  return { tipo: 'ciec', rfc, ciec: Buffer.from(ciec) };
}

export function solicitar(
  canal: PortalCanal,
  options: {
    tipo?: TipoDescarga;
    periodo?: Periodo;
    credencial?: CredencialCiec;
    signal?: AbortSignal;
    cuentaId?: string;
  } = {},
) {
  const { tipo = 'recibidos', periodo = DIA, credencial = ciecDe(), cuentaId } = options;
  const signal = options.signal ?? new AbortController().signal;
  return canal.send({ consulta: 'solicitar-metadata', rfc: credencial.rfc, tipo, periodo }, credencial, {
    signal,
    ...(cuentaId === undefined ? {} : { cuentaId }),
  });
}

export function verificar(canal: PortalCanal, folio = FOLIO) {
  return canal.send({ consulta: 'verificar-metadata', rfc: RFC, tipo: 'recibidos', periodo: DIA, folio }, ciecDe(), {
    signal: new AbortController().signal,
  });
}

export function descargar(canal: PortalCanal, paquete = FOLIO, signal = new AbortController().signal) {
  return canal.send(
    { consulta: 'descargar-paquete', rfc: RFC, tipo: 'recibidos', periodo: DIA, folio: FOLIO, paquete },
    ciecDe(),
    { signal },
  );
}

/** The SatError that a promise rejects with; anything else fails the test. */
export async function errorOf(promise: Promise<unknown>): Promise<SatError> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome && outcome.error instanceof SatError) return outcome.error;
  throw new Error('expected a SatError', { cause: outcome });
}
