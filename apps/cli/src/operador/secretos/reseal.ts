import { contextoDePrueba, contextoDeSegundoFactor, contextoDeSesion, contextoDeWebhook } from '@acuse/core';
import { createResellables, type Database, type Resellables, type Secreto } from '@acuse/db';
import { CredencialIlegible, contextoDe, type Keyring, rewrapCredencial, rewrapSellado } from '@acuse/vault';

/** How far the sealing anew of one kind of row is. */
interface Avance {
  readonly que: string;
  readonly resellados: number;
  /** Sealed anew by somebody else meanwhile. */
  readonly cambiados: number;
  /** Do not open under any key of the settings: they stay. */
  readonly ilegibles: number;
}

interface Tarea {
  readonly secreto: Secreto;
  readonly que: string;
  run(database: Pick<Database, 'pool'>, keyring: Keyring, options: Opciones): Promise<void>;
}

interface Opciones {
  /** Rows a page. */
  readonly limit: number;
  /**
   * Told after every page. May throw, which interrupts: what is done stays done, and the same order goes on with the
   * rest.
   */
  readonly onAvance: (avance: Avance) => void;
}

function tarea<Fila extends { readonly sobre: Buffer }>(
  secreto: Secreto,
  que: string,
  rowsOf: (all: ReturnType<typeof createResellables>) => Resellables<Fila>,
  rewrap: (fila: Fila, keyring: Keyring) => Buffer | null,
): Tarea {
  return {
    secreto,
    que,
    async run(database, keyring, { limit, onAvance }) {
      const rows = rowsOf(createResellables(database));
      let avance: Avance = { que, resellados: 0, cambiados: 0, ilegibles: 0 };
      for (let cursor = ''; ; ) {
        const page = await rows.page(keyring.current, cursor, limit);
        for (const fila of page) {
          const sobre = rewrap(fila, keyring);
          const what =
            sobre === null
              ? 'ilegibles'
              : (await rows.replace(fila, { kid: keyring.current, sobre }))
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

const TAREAS: readonly Tarea[] = [
  tarea(
    'KEYRING',
    'credenciales guardadas',
    ({ credenciales }) => credenciales,
    (fila, keyring) => {
      const contexto = contextoDe(fila, fila, fila.tipo === 'ciec' ? 'ciec' : 'efirma');
      try {
        return rewrapCredencial(fila.sobre, contexto, keyring);
      } catch (error) {
        if (error instanceof CredencialIlegible) return null;
        throw error;
      }
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

/**
 * The secrets whose rows are sealed anew here. Those under the others renew themselves: keys and passwords at use,
 * copies with their solicitud.
 */
export const RESELLABLES: ReadonlySet<Secreto> = new Set(TAREAS.map(({ secreto }) => secreto));

/**
 * Seals anew, page by page, what is under another key of `secreto` than the keyring's current one. Row by row and only
 * in place of what was read, so that it may run beside everything else, be interrupted, and run twice at once.
 */
export async function resellar(
  database: Pick<Database, 'pool'>,
  secreto: Secreto,
  keyring: Keyring,
  options: Opciones,
): Promise<void> {
  for (const each of TAREAS) if (each.secreto === secreto) await each.run(database, keyring, options);
}
