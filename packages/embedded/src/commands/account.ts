import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Autor,
  createContribuyentes,
  createCuentas,
  createLibro,
  createLlaves,
  createUsuarios,
  type Records,
  type RolUsuario,
  type UsuarioNuevo,
} from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { modoOf } from '@acuse/runtime';
import { generateApiKey, openHasher, registroOf, wipeApiKey } from '@acuse/vault';
import pg from 'pg';
import type { PanelProcess, RunningStack } from '../stack.ts';

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
  const db = openRecords({
    url: stack.databaseUrl,
    poolSize: 2,
    timeoutMs: 15_000,
    applicationName: 'acuse-preparacion',
  });
  try {
    const { cuentaId, panel } = await openCuenta(stack, db);
    await createLibro(db).credit({
      cuentaId,
      creditos: CREDITOS,
      referencia: randomUUID(),
      detalle: 'créditos de prueba',
      ...AUTOR,
    });
    const { id: contribuyenteId } = await createContribuyentes(db).add({ cuentaId, rfc, ...AUTOR });

    const key = generateApiKey(modoOf({ SAT_BASE_URL: stack.simuladorUrl }));
    const llave = registroOf(openHasher(stack.peppers), key);
    wipeApiKey(key);
    await createLlaves(db).activate({ contribuyenteId, llave, ...AUTOR });
    const { ciec } = await askSimulator<{ ciec: string }>(stack, `contribuyentes/${encodeURIComponent(rfc)}`);
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
  db: Records,
): Promise<{ cuentaId: string; panel: PanelLogins | null }> {
  const nombre = 'Cuenta de prueba';
  if (panel === null) {
    const email = `prueba-${randomUUID()}@example.com`;
    return { cuentaId: (await createCuentas(db).create({ nombre, email, ...AUTOR })).id, panel };
  }
  const dueno = await openUser(db, panel, { alias: 'prueba', nombre, rol: 'CLIENTE', autor: AUTOR });
  const operador = await openUser(db, panel, { alias: 'operador', nombre: 'Operador', rol: 'OPERADOR', autor: AUTOR });
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
  const issued = await askSimulator<{ cer: string; key: string; password: string }>(stack, 'efirma', {
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
export async function askSimulator<T>(
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

/** An answer of the API that is not a success. */
export class Refused extends Error {
  readonly status: number;
  readonly codigo: number;

  constructor(path: string, status: number, codigo: number, texto: string) {
    super(`${path}: HTTP ${status}, cfdi_codigo ${codigo}: ${texto}`);
    this.name = 'Refused';
    this.status = status;
    this.codigo = codigo;
  }
}

export type Call = <T>(path: string, body: Record<string, unknown>) => Promise<T>;

/** Calls operations as an integrator does; gives `data`. @throws Refused for any answer but a success. */
export function createCaller(apiUrl: string, apiKey: string): Call {
  return async <T>(path: string, body: Record<string, unknown>) => {
    const response = await fetch(`${apiUrl}/api/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'user-agent': 'acuse-demo/1.0',
      },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { cfdi_codigo: number; cfdi_texto: string; data: T };
    if (answer.cfdi_codigo !== 1) throw new Refused(path, response.status, answer.cfdi_codigo, answer.cfdi_texto);
    return answer.data;
  };
}

export async function storeCiec(call: Call, { rfc, ciec }: ReadyAccount): Promise<void> {
  await call('vault/rfc-guardar', { rfc, ciec });
}

export async function storeEfirma(call: Call, { rfc, efirma }: ReadyAccount): Promise<void> {
  const [cer, key] = await Promise.all([readFile(efirma.cer, 'base64'), readFile(efirma.key, 'base64')]);
  await call('vault/firma-registrar', { rfc, cer });
  await call('vault/firma-guardar', { rfc, key, password: efirma.password });
}

/** A user of the panel. */
interface PanelUser {
  readonly usuario: UsuarioNuevo;
  readonly password: string;
}

const CODIGO_SECONDS = 600;
const COOKIE = /^([^=]+=[^;]+)/;
const TOKEN = /name="_csrf" value="([^"]+)"/;

/**
 * Makes an account with a user, as the back office does: a page of the panel exchanges a code for a password. @throws
 * when the panel refuses.
 */
export async function openUser(
  db: Records,
  panel: Pick<PanelProcess, 'url' | 'publicUrl'>,
  who: { readonly alias: string; readonly nombre: string; readonly rol: RolUsuario; readonly autor: Autor },
): Promise<PanelUser> {
  const { nombre, rol, autor } = who;
  const email = `${who.alias}-${randomBytes(4).toString('hex')}@example.com`;
  const password = randomBytes(12).toString('base64url');
  const usuarios = createUsuarios(db);
  const { id: cuentaId } = await createCuentas(db).create({ nombre, email, ...autor });
  const usuario = await usuarios.add({ cuentaId, email, nombre, rol, ...autor });
  const codigo = await usuarios.offerCodigo(usuario, CODIGO_SECONDS, autor);
  const page = await fetch(`${panel.url}/restablecer`);
  const cookie = COOKIE.exec(page.headers.getSetCookie()[0] ?? '')?.[1] ?? '';
  const [, _csrf = ''] = TOKEN.exec(await page.text()) ?? [];
  const answer = await fetch(`${panel.url}/restablecer`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: new URL(panel.publicUrl).origin, cookie },
    body: new URLSearchParams({ _csrf, codigo, password }),
  });
  if (answer.status !== 303)
    throw new Error(`El panel no aceptó la contraseña de la cuenta de prueba (HTTP ${answer.status}).`);
  return { usuario, password };
}

/** The last `months` whole calendar months before `now`, as calendar days (`YYYY-MM-DD`) of central Mexico. */
export function lastMonths(months: number, now: Date): { desde: string; hasta: string } {
  const mexico = new Date(now.getTime() - 6 * 3_600_000);
  const day = (monthsBack: number, date: number) =>
    new Date(Date.UTC(mexico.getUTCFullYear(), mexico.getUTCMonth() - monthsBack, date)).toISOString().slice(0, 10);
  return { desde: day(months, 1), hasta: day(0, 0) };
}
