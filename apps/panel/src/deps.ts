import { hkdfSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  createEquipo,
  createIntentos,
  createInvitaciones,
  createSegundosFactores,
  createSesiones,
  createSolicitudes,
  createUsuarios,
  directUrl,
} from '@acuse/db';
import type { Records } from '@acuse/db/records';
import type { AccountMail } from '@acuse/page';
import { createDashboard } from '@acuse/queue';
import type { ProcessParts } from '@acuse/roles/process';
import { uuidV7 } from '@acuse/runtime';
import { type PanelConfig, settingsOf } from '@acuse/settings/panel';
import { openPaquetesS3 } from '@acuse/storage';
import { createKeyring, createSellado, decodeClave32, firstKey, openClaves, parseKeys } from '@acuse/vault';
import { createPasswords } from './acceso/passwords.ts';
import { createApiClient } from './api/client.ts';
import { FEATURES, openFeatures } from './features.ts';
import { createSandbox } from './pages/sandbox/sandbox.ts';
import { createLector } from './pages/solicitudes/leer-paquete.ts';
import { createSeguimiento } from './pages/solicitudes/seguimiento.ts';
import { openCheckout } from './pagos/checkout.ts';

/** Everything the panel needs from outside itself. Tests replace single ones. */
export type PanelDeps = Readonly<Awaited<ReturnType<typeof createDeps>>>;

/** Builds every adapter of the process, which closes at shutdown. */
export async function createDeps(
  config: PanelConfig,
  publicUrl: string,
  { log, shutdown, metrics, database, health, closeLater }: ProcessParts<'panel', Records>,
) {
  const paquetes = closeLater('storage', openPaquetesS3(config));
  const dashboard = closeLater(
    'tablero',
    createDashboard(
      { url: config.QUEUE_URL ?? directUrl(config.DATABASE_URL), namespace: config.QUEUE_NAMESPACE },
      (error) => log.debug({ err: error }, 'queue_away'),
    ),
  );
  const sesiones = createSesiones(database);
  const settings = settingsOf(config, publicUrl, await readVersion());
  const api = createApiClient({ url: settings.apiInternalUrl, userAgent: `acuse-panel/${settings.version}` });
  const now = () => new Date();
  const accountMail: readonly AccountMail[] = FEATURES.flatMap((one) => one.openAccountMail?.(database) ?? []);
  return {
    database,
    paquetes,
    /** Figures and first rows of a package. */
    leerPaquete: createLector(paquetes),
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
    accountMail,
    ...openFeatures(config),
    /** The sale of credits. */
    checkout: openCheckout(config, database, log),
    settings,
    api,
    sandbox: createSandbox({ api, now, log }),
    health,
    now,
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
