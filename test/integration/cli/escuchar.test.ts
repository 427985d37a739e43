import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { newSecreto } from '@acuse/webhooks';
import { afterEach, expect, it } from 'vitest';
import { startPipe } from '../fixtures/pipe.ts';
import { type Caller, expectOk, useServicio } from '../fixtures/servicio.ts';
import { type Receptor, startReceptor } from '../webhooks/fixtures/receptor.ts';
import { runAcuse, startAcuse } from './acuse.ts';

const servicio = useServicio({ workerEnv: { WORKER_ROLES: 'webhooks', AVISOS_INTERVAL_MS: '200' } }, {});
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

type Linea = Readonly<Record<string, unknown>>;

const receptorOf = async (answer?: Parameters<typeof startReceptor>[0]): Promise<Receptor> => {
  const receptor = await startReceptor(answer);
  open.push(receptor);
  return receptor;
};
const webhooksOf = async ({ call, rfc }: Caller) =>
  (await expectOk(call('webhooks/listar', { rfc })))['items'] as readonly Linea[];
const envOf = ({ apiKey, rfc }: Caller, url: string) => ({ ACUSE_URL: url, ACUSE_API_KEY: apiKey, ACUSE_RFC: rfc });

/** Listens; gives what it says line by line, its webhook, and its end by Ctrl-C. */
async function listenTo(caller: Caller, args: readonly string[], url = servicio.api.url) {
  const order = startAcuse(['escuchar', '--json', ...args], { env: envOf(caller, url) });
  open.push({
    async close() {
      order.child.kill('SIGKILL');
      await order.ended;
    },
  });
  const lines = () =>
    order.said.out
      .split('\n')
      .slice(0, -1)
      .map((each) => JSON.parse(each) as Linea);
  await expect.poll(() => [lines().length, order.said.err, order.child.exitCode]).toEqual([1, '', null]);
  const [first = {}] = lines();
  return {
    ...order,
    webhookId: String(first['webhook_id']),
    secreto: String(first['secreto']),
    lines: () => lines().slice(1),
    probar: () => expectOk(caller.call('webhooks/probar', { webhook_id: first['webhook_id'] })),
    async stop() {
      order.child.kill('SIGINT');
      return order.ended;
    },
  };
}

it('posts each event as the service would, again what failed, and leaves nothing behind', async () => {
  const caller = await servicio.newCaller({ saldo: 1 });
  let refusals = 1;
  const receptor = await receptorOf(({ type }) => (type === 'prueba' && refusals-- > 0 ? 500 : 204));
  const listening = await listenTo(caller, ['--a', `${receptor.url}webhooks?x=1`]);
  receptor.trust(listening.secreto);
  expect(await webhooksOf(caller)).toMatchObject([{ webhook_id: listening.webhookId, url: 'acuse:escuchar' }]);
  await expect.poll(() => listening.lines()).toMatchObject([{ tipo: 'saldo.bajo', rfc: null, status: 204 }]);

  await listening.probar();
  await expect.poll(() => receptor.recibidos.length).toBe(3);
  const [low, first, again] = receptor.recibidos;
  expect(low).toMatchObject({ type: 'saldo.bajo', data: { saldo: 1 }, secuencia: 1, isFirmado: true });
  for (const each of [first, again]) {
    expect(each).toMatchObject({ type: 'prueba', secuencia: 2, isFirmado: true, id: first?.id, body: first?.body });
    expect(each?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Acuse-Webhooks/1.0' });
  }
  await expect.poll(() => listening.lines().length).toBe(3);
  const { id } = first ?? {};
  expect(listening.lines().slice(1)).toEqual([
    expect.objectContaining({ evento_id: id, intento: 1, status: 500, ms: expect.any(Number), rfc: null }),
    expect.objectContaining({ evento_id: id, intento: 2, status: 204, repite_en: null }),
  ]);
  expect(Number(listening.lines()[1]?.['repite_en'])).toBeGreaterThan(0);

  expect(await listening.stop()).toMatchObject({ code: 0, err: '' });
  expect(await webhooksOf(caller)).toEqual([]);
});

it('goes on from where it was when the service comes back, with nothing lost and nothing twice', async () => {
  const caller = await servicio.newCaller({ saldo: 100 });
  const receptor = await receptorOf();
  const pipe = await startPipe(servicio.api.url);
  open.push(pipe);
  const listening = await listenTo(caller, ['--a', receptor.url, '--eventos', 'saldo.bajo'], pipe.url);
  await listening.probar();
  await expect.poll(() => receptor.recibidos.length).toBe(1);
  pipe.shut();
  await listening.probar();
  await listening.probar();
  await expect.poll(() => listening.lines()).toContainEqual({ reintento: 'SIN_CONEXION' });
  pipe.open();
  await expect.poll(() => receptor.recibidos.length).toBe(3);
  await listening.probar();
  await expect.poll(() => receptor.recibidos.map(({ secuencia }) => secuencia)).toEqual([1, 2, 3, 4]);
  expect(await listening.stop()).toMatchObject({ code: 0 });
  expect(await webhooksOf(caller)).toEqual([]);
});

it('is not held up by a receiver that answers nothing, and ends while it waits', async () => {
  const caller = await servicio.newCaller({ saldo: 100 });
  const receptor = await receptorOf(({ secuencia }) => (secuencia === 1 ? () => {} : 200));
  const listening = await listenTo(caller, ['--a', receptor.url]);
  await listening.probar();
  await expect.poll(() => receptor.recibidos.length).toBe(1);
  await listening.probar();
  await expect.poll(() => listening.lines()).toMatchObject([{ secuencia: 2, status: 200 }]);
  expect(await listening.stop()).toMatchObject({ code: 0 });
  expect(await webhooksOf(caller)).toEqual([]);
});

it('signs with the given secret, shows events to people, and removes the webhook of a dead process', async () => {
  const caller = await servicio.newCaller({ saldo: 100 });
  const dead = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(dead, 'exit');
  const { rfc } = caller;
  for (const pid of [dead.pid, process.pid])
    await expectOk(
      caller.call('webhooks/crear', {
        rfc,
        url: 'acuse:escuchar',
        eventos: ['saldo.bajo'],
        descripcion: `acuse escuchar, ${hostname()}, ${pid}`,
      }),
    );
  const { secreto } = newSecreto('w', { newId: () => 's', sellado: { seal: (clave) => clave } });
  const file = join(servicio.dir, 'secreto');
  await writeFile(file, `${secreto}\n`);
  const receptor = await receptorOf();
  receptor.trust(secreto);
  const args = ['escuchar', '--a', receptor.url, '--secreto-archivo', file];
  const order = startAcuse(args, { env: envOf(caller, servicio.api.url) });
  await expect.poll(() => order.said.err).toContain('Ctrl-C termina');
  const [, webhook_id = ''] = /--webhook-id ([0-9a-f-]{36})\n$/.exec(order.said.err) ?? [];
  expect(order.said.err).not.toContain('whsec_');
  const others = (await webhooksOf(caller)).map(({ descripcion }) => descripcion);
  expect(others).toEqual([process.pid, order.child.pid].map((pid) => `acuse escuchar, ${hostname()}, ${pid}`));
  await expectOk(caller.call('webhooks/probar', { webhook_id }));
  await expect.poll(() => order.said.out).toMatch(/^\d\d:\d\d:\d\d {2}prueba {2}200 {2}\d+ ms\n$/);
  expect(receptor.recibidos).toMatchObject([{ isFirmado: true }]);
  order.child.kill('SIGTERM');
  expect((await order.ended).code).toBe(0);
});

it('makes nothing for an invalid address, event or secret, and reports an address without a server', async () => {
  const caller = await servicio.newCaller({ saldo: 100 });
  const env = envOf(caller, servicio.api.url);
  for (const [args, said] of [
    [['--a', '127.0.0.1:3000'], /dirección de --a/],
    [['--a', 'http://yo:clave@127.0.0.1/'], /usuario/],
    [['--a', 'http://127.0.0.1:3000/', '--eventos', 'todo'], /solicitud\.terminada/],
    [['--a', 'http://127.0.0.1:3000/', '--secreto-archivo', '-'], /whsec_/],
    [[], /--a/],
  ] as const) {
    const { code, err, out } = await runAcuse(['escuchar', ...args], { env });
    expect([args, code, out, err]).toEqual([args, 2, '', expect.stringMatching(said)]);
  }
  expect(await webhooksOf(caller)).toEqual([]);

  const nobody = createServer();
  nobody.listen(0, '127.0.0.1');
  await once(nobody, 'listening');
  const address = nobody.address();
  nobody.close();
  const port = typeof address === 'object' ? address?.port : 0;
  const listening = await listenTo(caller, ['--a', `http://localhost:${port}/`]);
  await listening.probar();
  await expect
    .poll(() => listening.lines()[0])
    .toMatchObject({ status: null, error: 'CONEXION_RECHAZADA', intento: 1, repite_en: expect.any(Number) });
  expect((await listening.stop()).code).toBe(0);
});
