import { createSemaphore } from '@acuse/core';
import type { PanelDeps } from '../../panel-deps.ts';
import { readCatalogo, type SandboxOperation } from './catalogo.ts';
import { type ApiPropia, createApiPropia } from './llamar-api.ts';

/** What the sandbox keeps for as long as its panel runs. */
export interface Sandbox {
  readonly api: ApiPropia;
  /** The operations as the API describes them, read again after a minute; null while it does not answer. */
  catalogo(): Promise<readonly SandboxOperation[] | null>;
  /** Runs a call unless the person already has as many under way as one may; then null. */
  withSlot<T>(usuarioId: string, run: () => Promise<T>): Promise<T | null>;
}

const FRESH_MS = 60_000;
/** Calls of one person at a time: each may wait for the SAT for a minute. */
const MAX_POR_PERSONA = 3;

export function createSandbox(deps: Pick<PanelDeps, 'settings' | 'now' | 'log'>): Sandbox {
  const { settings, now, log } = deps;
  const userAgent = `acuse-panel/${settings.version}`;
  const api = createApiPropia({ url: settings.apiInternalUrl, userAgent });
  const turnos = createSemaphore({ perKey: MAX_POR_PERSONA });
  let known: { readonly at: number; readonly operaciones: readonly SandboxOperation[] } | null = null;

  return {
    api,
    async catalogo() {
      if (known && now().getTime() - known.at < FRESH_MS) return known.operaciones;
      // What is known serves for another minute when the API is down, so that not every page waits for it.
      if (known) known = { ...known, at: now().getTime() };
      try {
        known = { at: now().getTime(), operaciones: readCatalogo(await api.describe()) };
      } catch (error) {
        log.warn({ err: error instanceof Error ? error : new Error(String(error)) }, 'the API did not describe itself');
      }
      return known?.operaciones ?? null;
    },
    withSlot: async (usuarioId, run) => turnos.tryRun(usuarioId, run),
  };
}

const sandboxes = new WeakMap<PanelDeps, Sandbox>();

/** The sandbox of this panel: one for each set of deps, made when it is first needed. */
export function sandboxOf(deps: PanelDeps): Sandbox {
  const found = sandboxes.get(deps) ?? createSandbox(deps);
  sandboxes.set(deps, found);
  return found;
}
