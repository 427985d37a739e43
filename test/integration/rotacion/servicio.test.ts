import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calendarDay } from '@acuse/core';
import { createLlaves, SECRETOS } from '@acuse/db';
import { PROCESOS, publishedKeys } from '@acuse/vault';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { acuse as order } from '../fixtures/cli.ts';
import { askFor } from '../fixtures/pedidos.ts';
import { expectOk, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';
import { startReceptor } from '../webhooks/fixtures/receptor.ts';

const servicio = useServicio();
let carpeta: string;
beforeAll(async () => {
  carpeta = join(servicio.dir, 'secretos');
  await mkdir(join(carpeta, 'operador'), { recursive: true });
  const { API_KEY_PEPPERS, KEYRING, WORKER_PUBLIC_KEY, WORKER_PSK, SESSION_KEYS, WEBHOOK_KEYS } = servicio.apiEnv;
  const valores = {
    API_KEY_PEPPERS,
    KEYRING,
    WORKER_PUBLIC_KEY,
    WORKER_PSK,
    SESSION_KEYS,
    WEBHOOK_KEYS,
    ...servicio.workerSecretos,
    PANEL_SECRETS: `p1:${randomBytes(32).toString('base64')}`,
    MANIFEST_KEYS: `m1:${randomBytes(32).toString('base64')}`,
  };
  for (const [name, value] of Object.entries(valores)) await writeFile(join(carpeta, 'operador', name), value);
});

const acuse = (...args: string[]) => order({ DATABASE_URL: servicio.databaseUrl }, ...args, '--carpeta', carpeta);
const rotate = (secreto: string, paso: string) => acuse('secretos', 'rotar', secreto, '--paso', paso);
const rotateAll = async (paso: string) => {
  for (const secreto of SECRETOS) await rotate(secreto, paso);
};

/** The secrets of one process as its folder has them. */
async function secretosOf(proceso: string): Promise<Record<string, string>> {
  const folder = join(carpeta, proceso);
  const names = (await readdir(folder)).filter((name) => /^[A-Z_]+$/.test(name));
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}

const startApi = async (env: Record<string, string> = {}) =>
  servicio.startApi({ ...(await secretosOf('api')), ...env });
const startWorker = async () =>
  servicio.startWorker({
    ...(await secretosOf('webhooks')),
    ...(await secretosOf('descargas')),
    WORKER_ROLES: 'descargas,ensambles,relay,reconciler,reaper,webhooks',
  });

const pendingKeys = async () =>
  (await acuse('secretos', 'estado')).filter((line) => line['api_key'] !== undefined).map((line) => line['api_key']);

it('a keyring id that is gone too early stops a new process, and costs a caller that credential alone', async () => {
  const caller = await servicio.newCiecCaller();
  const other = `k9:${randomBytes(32).toString('base64')}`;
  await expect(servicio.startApi({ KEYRING: other })).rejects.toThrow(/KEYRING: falta el id k1/);
  const api = await servicio.startApi({ KEYRING: other, SECRETOS_FALTANTES: 'avisar' });
  const answer = await caller.at(api).call('usuario/datos-fiscales', { rfc: caller.rfc });
  expect([answer.status, answer.body.cfdi_codigo]).toEqual([400, 4003]);
  await createLlaves(servicio.db).revoke({ apiKeyId: caller.apiKeyId, actor: 'prueba', ip: null });
});

it('every secret rotates while API and workers go on, and nothing is lost when the old id is gone', {
  tags: ['slow'],
}, async () => {
  const [diario, ausente] = [await servicio.newCiecCaller({ saldo: 20 }), await servicio.newCiecCaller()];
  await expectOk(diario.call('usuario/datos-fiscales', { rfc: diario.rfc }));
  const antes = await askFor(diario);
  // Its consent depends on the workers' keys for a year, and no reading uses it here.
  await expectOk(ausente.call('sincronizacion/crear', { rfc: ausente.rfc, desde: calendarDay(new Date()) }));
  const receptor = await startReceptor();
  onTestFinished(() => receptor.close());
  const webhook = { rfc: diario.rfc, url: receptor.url, eventos: ['saldo.bajo'] };
  const creado = await expectOk(diario.call('webhooks/crear', webhook));
  receptor.trust(String(creado['secreto']));

  // 1. The new id beside the old one: processes that know it, and processes that do not, read what the others write.
  await rotateAll('agregar');
  await rotateAll('agregar');
  expect((await secretosOf('api'))['KEYRING']).toMatch(/^k1:[^,]+,k2:[^,]+$/);
  const lee = await startApi();

  // 2. The new one in force.
  await rotateAll('usar');
  const usa = await startApi();
  expect((await secretosOf('api'))['WORKER_PUBLIC_KEY']).toMatch(/^w2:/);
  expect(Object.keys(await secretosOf('descargas')).sort()).toEqual(['SESSION_KEYS', 'WORKER_KEYS', 'WORKER_PSKS']);
  expect((await stat(join(carpeta, 'descargas', 'WORKER_KEYS'))).mode & 0o777).toBe(0o600);
  const worker = await startWorker();

  // 3. Data under the old id are resealed, twice at once, while two generations of the API answer.
  let isOver = false;
  const calls = (async () => {
    for (let n = 0; !isOver || n < 6; n += 1)
      await expectOk(diario.at(n % 2 === 0 ? lee : usa).call('vault/firma-estado', { rfc: diario.rfc }));
  })();
  await Promise.all([rotateAll('resellar'), rotateAll('resellar')]);
  isOver = true;
  await calls;
  // A key that is used takes the new pepper at the API that has it in force.
  await waitFor(async () => {
    await expectOk(diario.at(usa).call('vault/firma-estado', { rfc: diario.rfc }));
    return (await pendingKeys()).includes(diario.apiKeyId) ? null : true;
  }, 60);
  expect(await pendingKeys()).toEqual([ausente.apiKeyId]);
  await waitForEnd(diario.at(usa), antes);
  await rotateAll('resellar');

  // 4. An id with data stays.
  await expect(rotate('API_KEY_PEPPERS', 'retirar')).rejects.toThrow('del id 1 cuelgan 1 API keys activas');
  const [nuevo = ''] = (await secretosOf('api'))['API_KEY_PEPPERS']?.split(',') ?? [];
  await expect(startApi({ API_KEY_PEPPERS: nuevo })).rejects.toThrow(
    'API_KEY_PEPPERS: falta el id 1, del que cuelgan 1 API keys activas.',
  );
  const sinPepper = await startApi({ API_KEY_PEPPERS: nuevo, SECRETOS_FALTANTES: 'avisar' });
  const refused = await ausente.at(sinPepper).call('vault/firma-estado', { rfc: ausente.rfc });
  expect([refused.status, refused.body.cfdi_codigo]).toEqual([401, 1001]);

  await expectOk(ausente.at(usa).call('vault/firma-estado', { rfc: ausente.rfc }));
  await waitFor(async () => ((await pendingKeys()).length === 0 ? true : null), 60);
  const estado = await acuse('secretos', 'estado');
  expect(
    estado
      .filter(({ se_puede_retirar: puede }) => puede)
      .map(({ secreto, id }) => `${secreto} ${id}`)
      .sort(),
  ).toEqual([
    'API_KEY_PEPPERS 1',
    'KEYRING k1',
    'MANIFEST_KEYS m1',
    'PANEL_SECRETS p1',
    'SESSION_KEYS s1',
    'WEBHOOK_KEYS h1',
    'WORKER_KEYS w1',
    'WORKER_PSKS p1',
  ]);

  // 5. Without the old ids every credential opens, at the API and at the workers.
  await worker.stop();
  await rotateAll('retirar');
  expect((await secretosOf('api'))['KEYRING']).toMatch(/^k2:[^,]+$/);
  const sola = await startApi();
  // A retired key signs no more, and old packages still verify with its public half.
  const { MANIFEST_PUBLIC_KEYS: publicas = '' } = await secretosOf('api');
  const { MANIFEST_KEYS: privada } = await secretosOf('ensambles');
  expect([publicas, privada]).toEqual([
    expect.stringMatching(/^m1:[^,]+,m2:[^,]+$/),
    expect.stringMatching(/^m2:[^,]+$/),
  ]);
  const publicadas = await fetch(`${sola.url}/.well-known/acuse-manifiesto.json`);
  expect(await publicadas.json()).toEqual({ llaves: publishedKeys(publicas) });
  await startWorker();
  for (const caller of [diario, ausente]) {
    const verify = await waitForEnd(caller.at(sola), await askFor(caller.at(sola)));
    expect(verify).toMatchObject({ estado: 'TERMINADA' });
  }
  await expectOk(diario.at(sola).call('webhooks/probar', { webhook_id: creado['webhook_id'] }));
  const aviso = await waitFor(async () => receptor.recibidos.find(({ type }) => type === 'prueba') ?? null);
  expect(aviso.isFirmado).toBe(true);
});

it('no process gets more than its own', () => {
  expect(PROCESOS.api).not.toContain('WORKER_KEYS');
  expect(PROCESOS.api).not.toContain('PANEL_SECRETS');
  for (const proceso of ['descargas', 'ensambles'] as const)
    for (const name of ['KEYRING', 'API_KEY_PEPPERS', 'PANEL_SECRETS']) expect(PROCESOS[proceso]).not.toContain(name);
  expect(PROCESOS.ensambles).not.toContain('SESSION_KEYS');
});
