import { setMaxListeners } from 'node:events';
import { type Credencial, PARTE_POR_CUENTA, SatError } from '@acuse/core';
import { deadline } from '@acuse/runtime';

/** Greatest number of log-ins in the background, those in line for their turn included. */
const MAX_ACCESOS = 200;
/**
 * Milliseconds until a rejected caller comes again, and the extra milliseconds for each further caller of the same
 * log-in.
 */
const ROUND_MS = 3_000;
const BETWEEN_ROUNDS_MS = 50;
/**
 * Milliseconds during which a failed log-in is the answer to those who were sent away from it: it is not tried once for
 * each of them.
 */
const FALLO_MS = 10_000;

interface Acceso {
  readonly cuentaId: string | null;
  /** Resolves when it is over, with what kept it from succeeding. */
  readonly over: Promise<SatError | null>;
  readonly startedAt: number;
  /** How many were told to come again and did not hear yet how it ended. */
  turnedAway: number;
  isOver: boolean;
}

/** A copy that its owner may wipe without taking it from us. */
function copyOf(credencial: Credencial): Credencial {
  if (credencial.tipo === 'ciec') return { ...credencial, ciec: Buffer.from(credencial.ciec) };
  return { ...credencial, cer: Buffer.from(credencial.cer), key: Buffer.from(credencial.key) };
}

const toError = (error: unknown) =>
  error instanceof SatError ? error : new SatError('NO_RESPONDE', { codigo: 'ACCESO', cause: error });

type RunLogin = (credencial: Credencial, signal: AbortSignal) => Promise<unknown>;

/** Log-ins in the background: a step checks its log-in and comes again while it runs. */
export function createAccesos(
  momentMs: number,
  wipe: (credencial: Credencial) => void,
  now: () => number = () => performance.now(),
) {
  const accesos = new Map<string, Acceso>();
  const closing = new AbortController();
  // Each of them listens.
  setMaxListeners(0, closing.signal);

  /** As in the line for the turns: one account alone leaves room for the others. */
  function hasRoom(cuentaId: string | null): boolean {
    const own = [...accesos.values()].filter((acceso) => acceso.cuentaId === cuentaId).length;
    return own < PARTE_POR_CUENTA * (MAX_ACCESOS - accesos.size);
  }

  function start(clave: string, cuentaId: string | null, credencial: Credencial, login: RunLogin): Acceso {
    const own = copyOf(credencial);
    const forget = () => accesos.get(clave) === acceso && accesos.delete(clave);
    const over = login(own, closing.signal)
      .finally(() => {
        acceso.isOver = true;
      })
      .then(
        () => {
          forget();
          return null;
        },
        (error: unknown) => {
          const failure = toError(error);
          // A refused credential is remembered by those who refuse to send it again; another one may be stored any
          // moment.
          if (acceso.turnedAway === 0 || failure.clase === 'credencial' || closing.signal.aborted) forget();
          else setTimeout(forget, FALLO_MS).unref();
          return failure;
        },
      );
    const acceso: Acceso = {
      cuentaId,
      over: over.finally(() => wipe(own)),
      startedAt: now(),
      turnedAway: 0,
      isOver: false,
    };
    accesos.set(clave, acceso);
    return acceso;
  }

  function comeAgain(esperaMs: number): SatError {
    return new SatError('OCUPADO', { detalle: 'acceso', esperaMs });
  }

  return {
    /**
     * Starts the log-in of `clave` unless it is under way, and waits for its end, but not beyond `momentMs` after its
     * start. Rejects with OCUPADO when it is not over then, or when the account has its share of the log-ins of this
     * process, and with the error of one that failed since the caller was sent away. What `login` is given lives until
     * it is over.
     */
    async join(
      clave: string,
      cuentaId: string | null,
      credencial: Credencial,
      signal: AbortSignal,
      login: RunLogin,
    ): Promise<void> {
      if (closing.signal.aborted || signal.aborted) throw new SatError('CANCELADA');
      const known = accesos.get(clave);
      if (known === undefined && !hasRoom(cuentaId)) throw comeAgain(ROUND_MS);
      const acceso = known ?? start(clave, cuentaId, credencial, login);
      const wasOver = acceso.isOver;
      const wait = Math.max(0, acceso.startedAt + momentMs - now());
      const failure = await deadline(wait, () => acceso.over, signal).catch(() => 'moment' as const);
      if (signal.aborted) throw new SatError('CANCELADA');
      if (failure === 'moment') {
        acceso.turnedAway += 1;
        throw comeAgain(ROUND_MS + acceso.turnedAway * BETWEEN_ROUNDS_MS);
      }
      // The refused credential belongs to the caller that started the log-in: other credentials get their own log-in.
      if (failure?.clase === 'credencial' && known !== undefined) throw comeAgain(0);
      if (failure === null) return;
      if (wasOver) acceso.turnedAway -= 1;
      if (acceso.turnedAway <= 0 && accesos.get(clave) === acceso) accesos.delete(clave);
      throw failure;
    },
    /** Ends those under way and waits for their end. */
    async close() {
      closing.abort();
      await Promise.all([...accesos.values()].map(({ over }) => over));
    },
  };
}
