import { contextoDePrueba, contextoDeSegundoFactor, contextoDeSesion, contextoDeWebhook } from '@acuse/core';
import { createResellables, type Database, type Resellables, type Secreto } from '@acuse/db';
import {
  CredencialIlegible,
  contextoDe,
  type Keyring,
  type Opener,
  openKeyring,
  openOpener,
  openSealer,
  resealSellada,
  rewrapCredencial,
  rewrapSellado,
  type Sealer,
  type Valores,
} from '@acuse/vault';

/** Progress of resealing one kind of row. */
interface Avance {
  readonly que: string;
  readonly resellados: number;
  /** Rows that another process resealed meanwhile. */
  readonly cambiados: number;
  /** Do not open under any key of the settings: they stay. */
  readonly ilegibles: number;
}

/** The keys of the workers: those that open, and those in force. */
interface LlavesWorker {
  readonly opener: Opener;
  readonly sealer: Sealer;
  /** The names of those in force. */
  readonly current: string;
}

interface Tarea<Llaves extends { readonly current: string }> {
  readonly secreto: Secreto;
  readonly que: string;
  run(database: Pick<Database, 'pool'>, llaves: Llaves, options: Opciones): Promise<void>;
}

interface Opciones {
  /** Rows a page. */
  readonly limit: number;
  /**
   * Called after every page. May throw to interrupt: finished rows stay, and the same order continues with the rest.
   */
  readonly onAvance: (avance: Avance) => void;
}

/** `rewrap` gives null for what does not open. */
function tarea<Fila extends { readonly sobre: Buffer }, Llaves extends { readonly current: string } = Keyring>(
  secreto: Secreto,
  que: string,
  rowsOf: (all: ReturnType<typeof createResellables>) => Resellables<Fila>,
  rewrap: (fila: Fila, llaves: Llaves) => Buffer | null,
): Tarea<Llaves> {
  return {
    secreto,
    que,
    async run(database, llaves, { limit, onAvance }) {
      const rows = rowsOf(createResellables(database));
      let avance: Avance = { que, resellados: 0, cambiados: 0, ilegibles: 0 };
      for (let cursor = ''; ; ) {
        const page = await rows.page(llaves.current, cursor, limit);
        for (const fila of page) {
          const sobre = rewrap(fila, llaves);
          const what =
            sobre === null
              ? 'ilegibles'
              : (await rows.replace(fila, { kid: llaves.current, sobre }))
                ? 'resellados'
                : 'cambiados';
          avance = { ...avance, [what]: avance[what] + 1 };
        }
        onAvance(avance);
        if (page.length < limit) return;
        cursor = page.at(-1)?.cursor ?? '';
      }
    },
  };
}

/** Null for what does not open under any key of the settings. */
function unlessIlegible(reseal: () => Buffer | null): Buffer | null {
  try {
    return reseal();
  } catch (error) {
    if (error instanceof CredencialIlegible) return null;
    throw error;
  }
}

const TAREAS: readonly Tarea<Keyring>[] = [
  tarea(
    'KEYRING',
    'credenciales guardadas',
    ({ credenciales }) => credenciales,
    (fila, keyring) => {
      const contexto = contextoDe(fila, fila, fila.tipo === 'ciec' ? 'ciec' : 'efirma');
      return unlessIlegible(() => rewrapCredencial(fila.sobre, contexto, keyring));
    },
  ),
  tarea(
    'SESSION_KEYS',
    'sesiones con portales del SAT',
    ({ cookies }) => cookies,
    ({ clave, sobre }, keyring) => rewrapSellado(sobre, contextoDeSesion(clave, clave.id), keyring),
  ),
  tarea(
    'SESSION_KEYS',
    'pruebas de sesiones con portales del SAT',
    ({ pruebas }) => pruebas,
    ({ clave, sobre }, keyring) => rewrapSellado(sobre, contextoDePrueba(clave, clave.sal), keyring),
  ),
  tarea(
    'SESSION_KEYS',
    'rechazos del SAT recordados',
    ({ rechazos }) => rechazos,
    ({ clave, sobre }, keyring) => rewrapSellado(sobre, contextoDePrueba(clave, clave.sal), keyring),
  ),
  tarea(
    'PANEL_SECRETS',
    'segundos factores',
    ({ segundosFactores }) => segundosFactores,
    ({ clave, sobre }, keyring) => rewrapSellado(sobre, contextoDeSegundoFactor(clave.usuarioId), keyring),
  ),
  tarea(
    'WEBHOOK_KEYS',
    'secretos de webhooks',
    ({ secretosWebhook }) => secretosWebhook,
    ({ clave, sobre }, keyring) => rewrapSellado(sobre, contextoDeWebhook(clave.webhookId, clave.id), keyring),
  ),
];

/** A consent outlives any rotation, unlike the copies that end with their solicitud within days. */
const TAREAS_WORKER: readonly Tarea<LlavesWorker>[] = (['WORKER_KEYS', 'WORKER_PSKS'] as const).map((secreto) =>
  tarea(
    secreto,
    'consentimientos de sincronizaciones',
    ({ consentimientos }) => consentimientos,
    ({ sincronizacionId: solicitudId, cuentaId: cuenta, rfc, expiraEn, sobre }, llaves: LlavesWorker) =>
      unlessIlegible(() => resealSellada(sobre, { solicitudId, cuenta, rfc, tipo: 'ciec', expiraEn }, llaves)),
  ),
);

function llavesWorkerOf(valores: Valores): LlavesWorker {
  const sealer = openSealer(valores['WORKER_PUBLIC_KEY'] ?? '', valores['WORKER_PSK'] ?? '');
  const opener = openOpener(valores['WORKER_KEYS'] ?? '', valores['WORKER_PSKS'] ?? '');
  return { opener, sealer, current: `${sealer.kid} ${sealer.pskId}` };
}

/**
 * Reseals the data under a secret of these settings that need no API key. The other data renew by themselves: keys and
 * passwords at use, copies with their solicitud. Throws RangeError for unknown settings.
 */
export async function resellarTodo(
  database: Pick<Database, 'pool'>,
  secreto: Secreto,
  valores: Valores,
  options: Opciones,
): Promise<void> {
  const ofWorkers = TAREAS_WORKER.find((each) => each.secreto === secreto);
  if (ofWorkers !== undefined) await ofWorkers.run(database, llavesWorkerOf(valores), options);
  else if (TAREAS.some((each) => each.secreto === secreto))
    await resellar(database, secreto, openKeyring(secreto, valores[secreto] ?? ''), options);
}

/**
 * Reseals, page by page, the rows under another key of `secreto` than the keyring's current one. Replaces each row only
 * if it is unchanged: may run beside other work, be interrupted, and run twice at once.
 */
export async function resellar(
  database: Pick<Database, 'pool'>,
  secreto: Secreto,
  keyring: Keyring,
  options: Opciones,
): Promise<void> {
  for (const each of TAREAS) if (each.secreto === secreto) await each.run(database, keyring, options);
}
