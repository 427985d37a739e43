import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createContribuyentes, createCuentas, createLlaves, openDatabase } from '@acuse/db';
import { createApiKeyHasher, generateApiKey, lastFourOfApiKey, wipeApiKey } from '@acuse/vault';
import type { RunningStack } from '../stack.ts';

/** A taxpayer ready to call with: all that a newcomer needs to try the service. Only for the simulated authority. */
export interface ReadyAccount {
  readonly rfc: string;
  readonly api_key: string;
  readonly ciec: string;
  /** Paths of the files, and the password of the key. */
  readonly efirma: { readonly cer: string; readonly key: string; readonly password: string };
}

/** The taxpayer of a ready account unless another one is asked for. */
export const RFC_DE_PRUEBA = 'ACU200101AB1';
const EFIRMA_PASSWORD = 'contrasena-de-prueba';
const CREDITOS = 10_000;
const ACTOR = 'operador:preparacion';

/** Makes an account with credits, a taxpayer, its API key and its e.firma, by the functions that the back office uses. */
export async function makeAccount(
  stack: RunningStack,
  dataDir: string,
  rfc = RFC_DE_PRUEBA,
): Promise<ReadyAccount> {
  const db = openDatabase({
    url: stack.databaseUrl,
    poolSize: 2,
    timeoutMs: 15_000,
    applicationName: 'acuse-preparacion',
  });
  try {
    const cuentas = createCuentas(db);
    const cuenta = await cuentas.create({
      nombre: 'Cuenta de prueba',
      email: `prueba-${randomUUID()}@example.com`,
      actor: ACTOR,
    });
    await cuentas.addSaldo({
      cuentaId: cuenta.id,
      creditos: CREDITOS,
      pagoId: randomUUID(),
      detalle: 'créditos de prueba',
    });
    const { id: contribuyenteId } = await createContribuyentes(db).add({
      cuentaId: cuenta.id,
      rfc,
      actor: ACTOR,
    });

    const key = generateApiKey('test');
    const { hash, pepperVersion } = hasherOf(stack).hashApiKey(key);
    wipeApiKey(key);
    const llave = {
      id: key.keyId,
      modo: 'test' as const,
      hash: Buffer.from(hash),
      pepperVersion,
      ultimos4: lastFourOfApiKey(key.text),
    };
    await createLlaves(db).activate({ contribuyenteId, llave, actor: ACTOR });
    const { ciec } = await askSimulador<{ ciec: string }>(stack, `contribuyentes/${encodeURIComponent(rfc)}`);
    return { rfc, api_key: key.text, ciec, efirma: await issueEfirma(stack, dataDir, rfc) };
  } finally {
    await db.close();
  }
}

function hasherOf({ secrets }: RunningStack) {
  const [version = '', pepper = ''] = secrets.API_KEY_PEPPERS.split(':');
  return createApiKeyHasher({
    peppers: new Map([[Number(version), Buffer.from(pepper, 'base64')]]),
    current: Number(version),
  });
}

async function issueEfirma(
  stack: RunningStack,
  dataDir: string,
  rfc: string,
): Promise<ReadyAccount['efirma']> {
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
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  if (!response.ok) throw new Error(`El simulador respondió ${response.status} a /control/${path}.`);
  return (await response.json()) as T;
}
