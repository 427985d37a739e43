import { createSemaphore } from '@acuse/core';
import type { PageDeps } from '@acuse/page';
import { readCatalogue, type SandboxOperation } from './catalogo.ts';

const FRESH_MS = 60_000;
/** Calls of one person at a time: each may wait for the SAT for a minute. */
const MAX_POR_PERSONA = 3;

/** What the sandbox keeps for as long as its panel runs. */
export function createSandbox(deps: Pick<PageDeps, 'api' | 'now' | 'log'>) {
  const { api, now, log } = deps;
  const turnos = createSemaphore({ perKey: MAX_POR_PERSONA });
  let known: { readonly at: number; readonly operaciones: readonly SandboxOperation[] } | null = null;

  return {
    /** The operations as the API describes them, read again after a minute; null while it does not answer. */
    async catalogo(): Promise<readonly SandboxOperation[] | null> {
      if (known && now().getTime() - known.at < FRESH_MS) return known.operaciones;
      // A known answer serves another minute while the API is down, so that pages do not wait for it.
      if (known) known = { ...known, at: now().getTime() };
      try {
        known = { at: now().getTime(), operaciones: readCatalogue(await api.describe()) };
      } catch (err) {
        log.warn({ err }, 'api_document_unavailable');
      }
      return known?.operaciones ?? null;
    },
    /** Runs a call unless the person already has as many under way as one may; then null. */
    withSlot: async <T>(usuarioId: string, run: () => Promise<T>) => turnos.tryRun(usuarioId, run),
  };
}
