import { createServer, type RequestListener } from 'node:http';
import { createServer as createTls } from 'node:https';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAuthority, rsaPair } from '../../vault/test/authority.ts';
import { createSender, type Sender } from './envio.ts';

const never = new AbortController().signal;
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

/** Listens on every address of this machine, v4 and v6, and counts who comes. */
async function listener(answer: RequestListener = (_, response) => response.end('llegó')) {
  let connections = 0;
  const server = createServer(answer);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  const { port } = server.address() as AddressInfo;
  open.push({
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  });
  return { port, connections: () => connections };
}

type Options = Partial<Parameters<typeof createSender>[0]>;
function sender(options: Options = {}): Sender {
  const made = createSender({ timeoutMs: 3_000, http: true, redes: [], ...options });
  open.push(made);
  return made;
}

const post = (from: Sender, url: string) => from.send({ url, headers: { 'webhook-id': 'evt_1' }, cuerpo: '{}' }, never);

/** Resolves only the names that a test gives; no name server is asked. */
const names =
  (table: Readonly<Record<string, readonly string[]>>): ((name: string) => Promise<readonly string[]>) =>
  async (name) =>
    table[name] ?? [];

/** Ways to write an address that only our own machines reach, as a URL may have them. */
const INSIDE = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
  ],
  ...[
    '0',
    '0.0.0.0',
    '00000',
    '0x0',
    '10.0.0.1',
    '10.255.255.255',
    '012.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
  ],
  ...['0xc0a80101', '3232235777', '192.168.257', '169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376'],
  ...[
    '169.254.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.7',
  ],
  ...[
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '127.0.0.1.',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
  ],
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:10.0.0.1]',
    '[::127.0.0.1]',
  ],
  ...['[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]'],
  ...[
    '[2001:0:0:0::1]',
    '[2001:db8::1]',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
  ],
  ...['[100::1]', '[2001:10::1]', '[5f00::1]', '[3fff::1]', '[2001:2::1]', '[2001:20::1]', '[2620:4f:8000::1]'],
  ...['192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1', '[fe80::1%25lo]'],
] as const;

/** Names, and what their name servers answer. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  'uno.test': ['127.0.0.1'],
  'dos.test': ['::1'],
  'tres.test': ['::ffff:127.0.0.1'],
  'mixto.test': ['8.8.8.8', '127.0.0.1'],
  'meta.test': ['169.254.169.254'],
  'nat64.test': ['64:ff9b::7f00:1'],
};

describe('what only our machines reach', () => {
  it('is never asked, whatever form of URL names it', async () => {
    const inside = await listener();
    const from = sender({ resolve: names(NAMED) });
    const hosts = [...INSIDE, ...Object.keys(NAMED)];
    const local = ['localhost', 'acuse.localhost'];
    for (const scheme of ['http', 'https'])
      for (const host of hosts) {
        const { error, status } = await post(from, `${scheme}://${host}:${inside.port}/`);
        expect([host, error, status]).toEqual([host, 'DIRECCION_NO_PERMITIDA', null]);
      }
    // By this machine's own way to find names.
    for (const host of local)
      expect(await post(sender(), `http://${host}:${inside.port}/`)).toMatchObject({ error: 'DIRECCION_NO_PERMITIDA' });
    expect(inside.connections()).toBe(0);
    expect(hosts.length + local.length).toBeGreaterThanOrEqual(60);
  });

  it('is not asked either when a name changes its address after it was checked: it is resolved once for a connection', async () => {
    const inside = await listener();
    let asked = 0;
    const rebinding = async () => {
      asked += 1;
      return asked % 2 === 1 ? ['203.0.113.1'] : ['127.0.0.1'];
    };
    // The block of documentation stands in for a public address that does not answer.
    const from = sender({ resolve: rebinding, redes: ['203.0.113.0/24'], timeoutMs: 300 });
    const first = await post(from, `http://rebota.test:${inside.port}/`);
    expect(first.status).toBeNull();
    expect(asked).toBe(1);
    expect(await post(from, `http://rebota.test:${inside.port}/`)).toMatchObject({ error: 'DIRECCION_NO_PERMITIDA' });
    expect(inside.connections()).toBe(0);
  });

  it('is not asked by way of a redirect, which is an answer', async () => {
    const inside = await listener();
    const outside = await listener((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${inside.port}/` }).end(),
    );
    const from = sender({ redes: ['127.0.0.1/32'] });
    expect(await post(from, `http://127.0.0.1:${outside.port}/`)).toMatchObject({ status: 307, error: null });
    expect([outside.connections(), inside.connections()]).toEqual([1, 0]);
  });

  it('is asked where the operator names its network, at the very address that was checked', async () => {
    const inside = await listener();
    const from = sender({ resolve: names(NAMED), redes: ['127.0.0.1/32'] });
    expect(await post(from, `http://uno.test:${inside.port}/`)).toMatchObject({ status: 200, respuesta: 'llegó' });
    expect(await post(from, `http://dos.test:${inside.port}/`)).toMatchObject({ error: 'DIRECCION_NO_PERMITIDA' });
    expect(
      await post(sender({ http: false, redes: ['127.0.0.1/32'] }), `http://127.0.0.1:${inside.port}/`),
    ).toMatchObject({ error: 'DIRECCION_NO_PERMITIDA' });
  });
});

describe('an answer', () => {
  const redes = ['127.0.0.1/32'];

  it('is read as far as is of use, without control characters, however long it is', async () => {
    let written = 0;
    const endless = await listener((_, response) => {
      response.writeHead(500, { 'content-type': 'text/plain' });
      const more = () => {
        while (!response.destroyed && response.write(`a\u0000b\u001b[31m${'x'.repeat(16_384)}`)) written += 16_384;
      };
      response.on('drain', more);
      more();
    });
    const envio = await post(sender({ redes }), `http://127.0.0.1:${endless.port}/`);
    expect(envio).toMatchObject({ status: 500, error: null });
    expect(envio.respuesta).toMatch(/^a b \[31mx+$/);
    expect(envio.respuesta?.length).toBeLessThanOrEqual(1_000);
    expect(written).toBeLessThan(16 * 1_024 * 1_024);
  });

  it('counts by its status though its body never ends or breaks off', async () => {
    const empty = await listener((_, response) => response.writeHead(204).end());
    expect(await post(sender({ redes }), `http://127.0.0.1:${empty.port}/`)).toMatchObject({ status: 204 });
    const cut = await listener((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('a');
      setImmediate(() => response.destroy());
    });
    expect(await post(sender({ redes }), `http://127.0.0.1:${cut.port}/`)).toMatchObject({ status: 200 });
    const stalled = await listener((_, response) => {
      response.writeHead(200);
      response.write('a');
    });
    expect(await post(sender({ redes, timeoutMs: 300 }), `http://127.0.0.1:${stalled.port}/`)).toMatchObject({
      status: 200,
    });
  });

  it('that comes drop by drop is given up when its time is over, and one that is compressed is not unpacked', async () => {
    const drip = createTcp((socket) => {
      socket.on('error', () => {});
      socket.write('HTTP/1.1 200 OK\r\nx-a: ');
      const timer = setInterval(() => socket.write('a'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => drip.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => drip.close(resolve)) });
    const { port } = drip.address() as AddressInfo;
    const slow = sender({ redes, timeoutMs: 300 });
    expect(await post(slow, `http://127.0.0.1:${port}/`)).toMatchObject({ status: null, error: 'TIEMPO_AGOTADO' });
    const body = await listener((_, response) => {
      response.writeHead(503);
      const timer = setInterval(() => response.write('gota '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const { status, respuesta } = await post(slow, `http://127.0.0.1:${body.port}/`);
    expect([status, respuesta?.slice(0, 4)]).toEqual([503, 'gota']);
    const bomb = await listener((_, response) =>
      response.writeHead(500, { 'content-encoding': 'gzip' }).end(gzipSync('gota'.repeat(1_000_000))),
    );
    const envio = await post(sender({ redes }), `http://127.0.0.1:${bomb.port}/`);
    expect([envio.status, envio.respuesta?.includes('gota')]).toEqual([500, false]);
  });

  it('that does not come is named by its cause', async () => {
    const dumb = await listener(() => {});
    expect(await post(sender({ redes, timeoutMs: 300 }), `http://127.0.0.1:${dumb.port}/`)).toMatchObject({
      status: null,
      error: 'TIEMPO_AGOTADO',
    });
    const hangUp = createTcp((socket) => socket.destroy());
    await new Promise<void>((resolve) => hangUp.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => hangUp.close(resolve)) });
    const { port } = hangUp.address() as AddressInfo;
    expect(await post(sender({ redes }), `http://127.0.0.1:${port}/`)).toMatchObject({ error: 'CONEXION_CORTADA' });
    expect(await post(sender({ redes }), `https://127.0.0.1:${dumb.port}/`)).toMatchObject({ error: 'TLS_INVALIDO' });
    expect(await post(sender({ redes }), 'http://127.0.0.1:1/')).toMatchObject({ error: 'CONEXION_RECHAZADA' });
    expect(await post(sender({ redes, resolve: names({}) }), 'http://nadie.test/')).toMatchObject({
      error: 'NOMBRE_SIN_DIRECCION',
    });
  });

  it('comes from who was named, by no proxy, whatever the environment of the process says', async () => {
    const pair = rsaPair();
    const { pem } = createAuthority({ pair, from: '2019-01-01T00:00:00Z', to: '2031-01-01T00:00:00Z' });
    let asked = 0;
    const server = createTls(
      { cert: pem, key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) },
      (_, response) => {
        asked += 1;
        response.end();
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => server.close(resolve)) });
    const { port } = server.address() as AddressInfo;
    const proxy = await listener();
    const direct = `http://127.0.0.1:${proxy.port}`;
    const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
    const env = {
      ...Object.fromEntries(names.map((name) => [name, direct])),
      NODE_USE_ENV_PROXY: '1',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    };
    const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const envio = await post(sender({ redes }), `https://127.0.0.1:${port}/`);
    for (const [name, value] of before) vi.stubEnv(name, value);
    expect(envio).toMatchObject({ status: null, error: 'TLS_INVALIDO' });
    expect([asked, proxy.connections()]).toEqual([0, 0]);
  });

  it.each([
    ['120', 120],
    [() => new Date(Date.now() + 90_500).toUTCString(), 90],
    ['999999999', 86_400],
    ['mañana', null],
    ['-5', null],
  ])('says when to come again: Retry-After %s', async (value, seconds) => {
    const text = typeof value === 'string' ? value : value();
    const busy = await listener((_, response) => {
      response.statusCode = 503;
      if (/^[\x20-\x7e]*$/.test(text)) response.setHeader('retry-after', text);
      response.end();
    });
    const { retryAfter } = await post(sender({ redes }), `http://127.0.0.1:${busy.port}/`);
    if (seconds === null) expect(retryAfter).toBe(text === '-5' ? 0 : null);
    else expect(Math.abs((retryAfter ?? 0) - seconds)).toBeLessThanOrEqual(1);
  });
});
