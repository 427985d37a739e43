import { SatError, wipeCredencial } from '@acuse/core';
import { type OpenRole, type RoleContext, startLoop } from '@acuse/roles';
import type { Logger } from '@acuse/runtime';
import { CredencialIlegible, contextoDe, type Opener, openDelNavegador, openOpener, sealConectada } from '@acuse/vault';
import { createPorVerificar, type PorVerificar, TOPIC, type Tomada } from './db.ts';

export { TOPIC } from './db.ts';

/** Milliseconds between two looks of a worker that hears no announcement. */
const REST_MS = 3_600_000;
/** Milliseconds between two looks of one process for overdue connections: an announcement may be lost. */
const EVERY_MS = 15_000;
const CLEAN_EVERY_MS = 60_000;
/** Log-ins that one process makes for connections at a time. */
const AT_ONCE = 4;
/** Seconds for which one is held: a log-in with its captcha takes less. */
const LEASE_SECONDS = 180;
/** Seconds after which the page says that the SAT does not answer. */
const PATIENCE_SECONDS = 240;
const RETRY_MS = 5_000;

interface Deps {
  readonly conexiones: PorVerificar;
  readonly openSats: RoleContext['openSats'];
  readonly opener: Opener;
  readonly log: Logger;
}

/** Verifies in every process with the role `descargas`, which has the keys of the workers. */
export const openConexiones: OpenRole<{ readonly WORKER_KEYS: string; readonly WORKER_PSKS: string }> = (context) => {
  const { config, database, log, closeLater } = context;
  const conexiones = createPorVerificar(database);
  const opener = openOpener(config.WORKER_KEYS, config.WORKER_PSKS);
  const deps: Deps = { conexiones, opener, log, openSats: () => context.openSats() };
  const running = new Set<Promise<void>>();
  const loop = startLoop({
    name: TOPIC,
    everyMs: REST_MS,
    log,
    async turn(signal) {
      const free = AT_ONCE - running.size;
      const tomadas = free === 0 ? [] : await conexiones.take(free, LEASE_SECONDS);
      for (const tomada of tomadas) {
        const ended = verify(deps, tomada, signal)
          .then((againMs) => void setTimeout(loop.wake, againMs).unref())
          .catch((error: unknown) => log.warn({ conexion: tomada.id, err: error }, 'connection_not_verified'))
          .finally(() => running.delete(ended));
        running.add(ended);
      }
      return false;
    },
  });
  closeLater(TOPIC, {
    async close() {
      await loop.close();
      await Promise.all(running);
    },
  });
  closeLater(`${TOPIC}-wakes`, { close: context.wakes.on(TOPIC, loop.wake) });
};

/** Announces overdue connections again and deletes rows past their retention, in one process. */
export const openUpkeep: OpenRole = ({ database, log, closeLater }) => {
  const conexiones = createPorVerificar(database);
  const loop = (name: string, everyMs: number, turn: () => Promise<boolean>) =>
    closeLater(name, startLoop({ name, everyMs, log, turn }));
  loop('conexiones-anuncio', EVERY_MS, async () => {
    await conexiones.announceOverdue();
    return false;
  });
  loop('conexiones-limpieza', CLEAN_EVERY_MS, async () => (await conexiones.forget(100)) === 100);
};

/**
 * Opens what the browser sealed, has the SAT take it, and seals it to the API key of the connection. Resolves to the
 * milliseconds until this worker is to look again.
 */
export async function verify(
  { conexiones, opener, openSats, log }: Deps,
  tomada: Tomada,
  signal: AbortSignal,
): Promise<number> {
  const { id, cuentaId, rfc, modo, hasta, apiKeyId } = tomada;
  const name = { conexion: id };
  try {
    const destino = opener.openDestino(tomada.boleto, { solicitudId: id, cuenta: cuentaId, rfc, expiraEn: hasta });
    const credencial = openDelNavegador(tomada.sobre, { conexionId: id, rfc }, opener);
    try {
      await openSats().of(modo).send({ consulta: 'entrar', rfc }, credencial, { signal, cuentaId });
      const fila = contextoDe({ cuentaId, rfc }, { id, apiKeyId, expiraEn: hasta }, 'ciec');
      if (await conexiones.verified(tomada, sealConectada(credencial, fila, destino)))
        log.info(name, 'connection_verified');
    } finally {
      wipeCredencial(credencial);
    }
  } catch (error) {
    if (error instanceof CredencialIlegible) {
      log.error(
        { ...name, motivo: opener.lacksKey(tomada.boleto) ? 'FALTA_LLAVE' : 'ALTERADA' },
        'connection_not_opened',
      );
      await conexiones.refused(tomada, 'ILEGIBLE', false);
    } else if (error instanceof SatError && error.clase === 'credencial') {
      log.info(name, 'connection_refused');
      await conexiones.refused(tomada, 'CIEC_RECHAZADA', true);
    } else if (signal.aborted) await conexiones.postpone(tomada, 0);
    else {
      const isBusy = error instanceof SatError && error.motivo === 'OCUPADO';
      if (!isBusy) log.warn({ ...name, err: error }, 'connection_not_verified');
      const isOver = tomada.segundos > PATIENCE_SECONDS || (error instanceof SatError && error.clase === 'permanente');
      if (isOver) await conexiones.refused(tomada, 'SAT_NO_RESPONDE', false);
      else {
        const againMs = isBusy ? Math.max(1, Math.min(error.esperaMs, 1_000)) : RETRY_MS;
        await conexiones.postpone(tomada, againMs);
        return againMs;
      }
    }
  }
  return 0;
}
