import { hkdfSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createBuzones } from '@acuse/correo/db';
import {
  assertWritable,
  createEquipo,
  createIntentos,
  createInvitaciones,
  createSegundosFactores,
  createSesiones,
  createSolicitudes,
  createUsuarios,
  requireSecretos,
} from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { type Metrics, openMeasured } from '@acuse/metrics';
import { createDashboard } from '@acuse/queue';
import { createHealth, type Logger, type Shutdown, uuidV7 } from '@acuse/runtime';
import { type PanelConfig, settingsOf } from '@acuse/settings/panel';
import { openPaquetesS3 } from '@acuse/storage';
import {
  createKeyring,
  createSellado,
  decodeClave32,
  firstKey,
  idsOf,
  openClaves,
  openKeyring,
  parseKeys,
} from '@acuse/vault';
import { createWebhooks } from '@acuse/webhooks/db';
import { createPasswords } from './acceso/passwords.ts';
import { createSeguimiento } from './pages/solicitudes/seguimiento.ts';
import { openCheckout } from './pagos/checkout.ts';

/** Everything the panel needs from outside itself. Tests replace single ones. */
export type PanelDeps = Readonly<Awaited<ReturnType<typeof createDeps>>>;

/** Builds every adapter of the process and registers how each is closed. Throws `SecretoFaltante`. */
export async function createDeps(
  config: PanelConfig,
  publicUrl: string,
  { log, shutdown, metrics }: { log: Logger; shutdown: Shutdown; metrics: Metrics<'panel'> },
) {
  const database = openMeasured(
    openRecords,
    {
      url: config.DATABASE_URL,
      poolSize: config.DATABASE_POOL,
      timeoutMs: config.DATABASE_TIMEOUT_MS,
      applicationName: 'acuse-panel',
    },
    { metrics, shutdown },
  );
  await requireSecretos(
    database,
    {
      API_KEY_PEPPERS: idsOf('API_KEY_PEPPERS', config.API_KEY_PEPPERS),
      KEYRING: idsOf('KEYRING', config.KEYRING),
      PANEL_SECRETS: idsOf('PANEL_SECRETS', config.PANEL_SECRETS),
      WEBHOOK_KEYS: idsOf('WEBHOOK_KEYS', config.WEBHOOK_KEYS),
    },
    { siFaltan: config.SECRETOS_FALTANTES, log },
  );
  const paquetes = openPaquetesS3(config);
  shutdown.phase('storage', () => paquetes.close());
  const dashboard = createDashboard(
    { url: config.QUEUE_URL ?? config.DATABASE_URL, namespace: config.QUEUE_NAMESPACE },
    (error) => log.debug({ err: error }, 'queue_away'),
  );
  shutdown.phase('tablero', () => dashboard.close());
  const sesiones = createSesiones(database);
  return {
    database,
    paquetes,
    /** The workers' queues, to look at. */
    dashboard,
    ...(await openClaves(config)),
    ...(await secretosOf(config)),
    /** Streams of progress to browsers. */
    seguimiento: createSeguimiento({
      watch: createSolicitudes(database).watch,
      liveSessions: sesiones.live,
      apagado: shutdown.signal,
      log,
    }),
    usuarios: createUsuarios(database),
    equipo: createEquipo(database),
    invitaciones: createInvitaciones(database),
    sesiones,
    segundosFactores: createSegundosFactores(database),
    intentos: createIntentos(database),
    /** What people do about mail. */
    buzones: createBuzones(database),
    webhooks: createWebhooks(database),
    /** Seals the keys that webhooks are signed with. */
    selladoWebhooks: createSellado(openKeyring('WEBHOOK_KEYS', config.WEBHOOK_KEYS)),
    /** The sale of credits. */
    checkout: openCheckout(config, database, log),
    settings: settingsOf(config, publicUrl, await readVersion()),
    health: createHealth({ checks: { database: () => assertWritable(database) } }),
    now: () => new Date(),
    newId: uuidV7,
    log,
    metrics,
  };
}

async function secretosOf({ PANEL_SECRETS }: PanelConfig) {
  const claves = parseKeys('PANEL_SECRETS', PANEL_SECRETS, decodeClave32);
  const current = firstKey(claves);
  return {
    passwords: await createPasswords(claves, current.id),
    /** Seals what only the panel may read: secrets of second factors. */
    sellado: createSellado(createKeyring({ keys: claves, current: current.id })),
    /** Keys of the CSRF tokens: the first makes them, all are good, so that open forms outlive a rotation. */
    clavesCsrf: [...claves.values()].map((clave) => Buffer.from(hkdfSync('sha256', clave, '', 'acuse/panel/csrf', 32))),
  };
}

/** From the manifest of this workspace, beside the sources and the build alike. */
async function readVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isManifest && typeof manifest.version === 'string' ? manifest.version : '';
}
