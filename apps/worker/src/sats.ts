import { type AccesoMetrics, type BreakerState, type Modo, type Sat, SatError, type SatMetrics } from '@acuse/core';
import { createCaptchas, createSesionesPortal, type Database, releaseTurnsOfDead } from '@acuse/db';
import { isRunning, modoOf } from '@acuse/runtime';
import { openSat, openSatDePruebas } from '@acuse/sat';
import type { WorkerConfig } from '@acuse/settings/worker';
import { createSellado, openKeyring } from '@acuse/vault';

/** The tax authority as this process asks it. */
export interface OpenSats {
  /** Authority for the solicitudes of a mode; a simulator in the SAT's place answers all modes. */
  of(modo: Modo): Sat;
  /** Ends portal sessions that are no longer used; returns how many. */
  logout(signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/** No simulator is set: a test solicitud waits until one is, and never goes to the SAT. */
const NO_PRUEBAS: Sat = {
  send: () => Promise.reject(new SatError('NO_RESPONDE', { codigo: 'SIN_SIMULADOR', detalle: 'SAT_PRUEBAS_URL' })),
};

/**
 * Opens the tax authority, with the sessions and captchas that all processes share over the database, and the
 * simulator of the test keys beside it.
 */
export function openSats(
  database: Database,
  config: WorkerConfig,
  {
    estado,
    satMetrics,
    requests,
  }: {
    readonly estado: BreakerState;
    readonly satMetrics: SatMetrics & AccesoMetrics;
    readonly requests: SatMetrics;
  },
): OpenSats {
  const compartido = {
    estado,
    captchas: createCaptchas(database),
    // A step that would wait releases its claim, so that another step uses the slot meanwhile.
    isImpatient: true,
    sellado: createSellado(openKeyring('SESSION_KEYS', config.SESSION_KEYS)),
  };
  // What stays ends with its lease.
  void releaseTurnsOfDead(database, isRunning).catch(() => {});
  const own = openSat(config, { ...compartido, sesiones: createSesionesPortal(database), metrics: satMetrics });
  const sesiones = createSesionesPortal(database, { isPruebas: true });
  const { SAT_PRUEBAS_URL: url } = config;
  const pruebas = url === undefined ? null : openSatDePruebas(config, url, { ...compartido, sesiones, requests });
  const all = [own, ...(pruebas === null ? [] : [pruebas])];
  return {
    of: (modo) => (modoOf(config) === 'test' || modo === 'live' ? own.sat : (pruebas?.sat ?? NO_PRUEBAS)),
    async logout(signal) {
      const counts = await Promise.all(all.map((each) => each.logout(signal)));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    async close() {
      await Promise.all(all.map((each) => each.close()));
    },
  };
}
