import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Autor,
  createContribuyentes,
  createCuentas,
  createLibro,
  createLlaves,
  type Database,
  openDatabase,
} from '@acuse/db';
import { modoLlaveOf } from '@acuse/runtime';
import { generateApiKey, openHasher, registroOf, wipeApiKey } from '@acuse/vault';
import pg from 'pg';
import type { RunningStack } from '../stack.ts';
import { openUser } from './panel-users.ts';

/** A taxpayer ready to call with: all that a newcomer needs to try the service. Only for the simulated authority. */
export interface ReadyAccount {
  readonly rfc: string;
  readonly api_key: string;
  readonly ciec: string;
  /** Paths of the files, and the password of the key. */
  readonly efirma: { readonly cer: string; readonly key: string; readonly password: string };
  /** Who logs in at the panel, for this account and for the whole installation; null in a stack without a panel. */
  readonly panel: PanelLogins | null;
}

interface PanelLogins {
  readonly user: string;
  readonly password: string;
  readonly operator_user: string;
  readonly operator_password: string;
}

/** The taxpayer of a ready account unless another one is asked for. */
export const RFC_DE_PRUEBA = 'ACU200101DB1';
const EFIRMA_PASSWORD = 'contrasena-de-prueba';
const CREDITOS = 10_000;
const AUTOR: Autor = { actor: 'operador:preparacion', ip: null };

/**
 * Makes an account with credits, a taxpayer, its API key and its e.firma, by the functions that the back office uses.
 */
export async function makeAccount(stack: RunningStack, dataDir: string, rfc = RFC_DE_PRUEBA): Promise<ReadyAccount> {
  const db = openDatabase({
    url: stack.databaseUrl,
    poolSize: 2,
    timeoutMs: 15_000,
    applicationName: 'acuse-preparacion',
  });
  try {
    const { cuentaId, panel } = await openCuenta(stack, db);
    await createLibro(db).abonar({
      cuentaId,
      creditos: CREDITOS,
      referencia: randomUUID(),
      detalle: 'créditos de prueba',
      ...AUTOR,
    });
    const { id: contribuyenteId } = await createContribuyentes(db).add({ cuentaId, rfc, ...AUTOR });

    const key = generateApiKey(modoLlaveOf({ SAT_BASE_URL: stack.simuladorUrl }));
    const llave = registroOf(openHasher(stack.peppers), key);
    wipeApiKey(key);
    await createLlaves(db).activate({ contribuyenteId, llave, ...AUTOR });
    const { ciec } = await askSimulador<{ ciec: string }>(stack, `contribuyentes/${encodeURIComponent(rfc)}`);
    return { rfc, api_key: key.text, ciec, efirma: await issueEfirma(stack, dataDir, rfc), panel };
  } finally {
    await db.close();
  }
}

/** Whether the database of the stack has this key as an active one. */
export async function isKeyActive({ databaseUrl }: RunningStack, apiKey: string): Promise<boolean> {
  const keyId = /^acuse_(?:live|test)_(\w{12})/.exec(apiKey)?.[1];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT FROM api_key WHERE id = $1 AND estado = 'ACTIVA'`, [keyId ?? '']);
    return rows.length === 1;
  } finally {
    await client.end();
  }
}

async function openCuenta(
  { panel }: RunningStack,
  db: Database,
): Promise<{ cuentaId: string; panel: PanelLogins | null }> {
  const nombre = 'Cuenta de prueba';
  if (panel === null) {
    const email = `prueba-${randomUUID()}@example.com`;
    return { cuentaId: (await createCuentas(db).create({ nombre, email, ...AUTOR })).id, panel };
  }
  const dueno = await openUser(db, panel, { alias: 'prueba', nombre, rol: 'CLIENTE', autor: AUTOR });
  const operador = await openUser(db, panel, {
    alias: 'operador',
    nombre: 'Operador',
    rol: 'OPERADOR',
    autor: AUTOR,
  });
  return {
    cuentaId: dueno.usuario.cuentaId,
    panel: {
      user: dueno.usuario.email,
      password: dueno.password,
      operator_user: operador.usuario.email,
      operator_password: operador.password,
    },
  };
}

async function issueEfirma(stack: RunningStack, dataDir: string, rfc: string): Promise<ReadyAccount['efirma']> {
  const issued = await askSimulador<{ cer: string; key: string; password: string }>(stack, 'efirma', {
    method: 'POST',
    body: { rfc, password: EFIRMA_PASSWORD },
  });
  const folder = join(dataDir, 'efirma');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [cer, key] = [join(folder, `${rfc}.cer`), join(folder, `${rfc}.key`)];
  await writeFile(cer, Buffer.from(issued.cer, 'base64'));
  await writeFile(key, Buffer.from(issued.key, 'base64'), { mode: 0o600 });
  return { cer, key, password: issued.password };
}

/** Asks the control API of the simulator. @throws when it does not answer 2xx. */
export async function askSimulador<T>(
  { simuladorUrl }: Pick<RunningStack, 'simuladorUrl'>,
  path: string,
  { method = 'GET', body }: { method?: string; body?: unknown } = {},
): Promise<T> {
  const response = await fetch(`${simuladorUrl}/control/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  if (!response.ok) throw new Error(`El simulador respondió ${response.status} a /control/${path}.`);
  return (await response.json()) as T;
}
