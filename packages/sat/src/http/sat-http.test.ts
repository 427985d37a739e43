import { createServer as createTcpServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { drained, listen, type Servidor, startServidor } from '../testing/servidor.ts';
import { createSatHttp, type SatHttp, type SatHttpRequest } from './sat-http.ts';
import type { SatHttpSettings } from './settings.ts';

const host = 'cfdiau.sat.gob.mx';
const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(
  answer: Parameters<typeof startServidor>[0],
  settings: SatHttpSettings = {},
): Promise<{ http: SatHttp; servidor: Servidor }> {
  const servidor = await startServidor(answer);
  const http = createSatHttp({ baseUrl: servidor.url, ...settings });
  cleanups.push(servidor.close, http.close);
  return { http, servidor };
}

/** A server that speaks bytes instead of HTTP. */
async function startBytes(
  onConnection: (socket: Socket) => void,
  settings: SatHttpSettings = {},
): Promise<SatHttp> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => onConnection(socket));
  });
  const http = createSatHttp({ baseUrl: `http://127.0.0.1:${await listen(server)}`, ...settings });
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  }, http.close);
  return http;
}

const get = (extra: Partial<SatHttpRequest> = {}): SatHttpRequest<'text'> => ({
  host,
  path: '/nidp/app?x=1',
  method: 'GET',
  signal: new AbortController().signal,
  ...extra,
  expect: 'text',
});
const stream = (extra: Partial<SatHttpRequest> = {}): SatHttpRequest<'stream'> => ({
  ...get(extra),
  expect: 'stream',
});

describe('a request', () => {
  it('reaches the mapped address with its headers and body, and gives the answer', async () => {
    const { http, servidor } = await start((_peticion, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.end('¡Hola!');
    });
    const respuesta = await http.request(get({ method: 'POST', headers: { 'x-a': 'b' }, body: 'cuerpo Ñ' }));
    expect(respuesta).toMatchObject({
      status: 200,
      body: '¡Hola!',
      headers: { 'set-cookie': ['a=1', 'b=2'] },
    });
    expect(servidor.peticiones).toMatchObject([
      { method: 'POST', url: '/cfdiau/nidp/app?x=1', body: 'cuerpo Ñ', headers: { 'x-a': 'b' } },
    ]);
  });

  it('reads the declared charset', async () => {
    const { http } = await start((_peticion, response) => {
      response.setHeader('content-type', 'text/html; charset=ISO-8859-1');
      response.end(Buffer.from('Ñandú', 'latin1'));
    });
    expect((await http.request(get())).body).toBe('Ñandú');
  });

  it('does not follow a redirect', async () => {
    const { http, servidor } = await start((_peticion, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1/admin' }).end();
    });
    const respuesta = await http.request(get());
    expect(respuesta.status).toBe(302);
    expect(() => http.resolve(String(respuesta.headers['location']))).toThrow('HOST_NO_PERMITIDO');
    expect(servidor.peticiones).toHaveLength(1);
  });

  it('to another host is refused', async () => {
    const { http, servidor } = await start((_peticion, response) => void response.end());
    await expect(http.request(get({ host: 'evil.example' }))).rejects.toMatchObject({
      motivo: 'HOST_NO_PERMITIDO',
    });
    expect(servidor.peticiones).toEqual([]);
  });

  it.each([[400], [404], [500], [503]])(
    'that is answered with %i rejects, unless it is expected',
    async (status) => {
      const { http } = await start((_peticion, response) => void response.writeHead(status).end('secreto'));
      const error = await http.request(get()).catch((e) => e);
      expect(error).toMatchObject({
        motivo: 'SERVICIO_CON_ERROR',
        codigo: `HTTP ${status}`,
        clase: 'reintentable',
      });
      expect(error.message).not.toContain('secreto');
      expect(await http.request(get({ acceptStatus: [status] }))).toMatchObject({ status, body: 'secreto' });
    },
  );

  it('waits for a free connection of its host, not of another', async () => {
    let [now, most] = [0, 0];
    const waiting: (() => void)[] = [];
    const { http } = await start(
      async (peticion, response) => {
        if (!peticion.url.startsWith('/cfdiau/')) return void response.end('otro');
        now += 1;
        most = Math.max(most, now);
        await new Promise<void>((resolve) => waiting.push(resolve));
        now -= 1;
        response.end('ok');
      },
      { maxConcurrentPerHost: 2 },
    );
    const all = Promise.all(Array.from({ length: 8 }, () => http.request(get())));
    expect((await http.request(get({ host: 'siat.sat.gob.mx' }))).body).toBe('otro');
    let done = false;
    void all.then(() => {
      done = true;
    });
    while (!done) {
      waiting.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await all).toHaveLength(8);
    expect(most).toBe(2);
  });
});

describe('time', () => {
  const never = () => {};

  it('to the headers is limited', async () => {
    const { http } = await start(never, { headersTimeoutMs: 50 });
    await expect(http.request(get())).rejects.toMatchObject({ motivo: 'TIEMPO_AGOTADO' });
  });

  it('between pieces of a body is limited', async () => {
    const { http } = await start((_peticion, response) => void response.write('x'), { bodyTimeoutMs: 50 });
    await expect(http.request(get())).rejects.toMatchObject({ motivo: 'TIEMPO_AGOTADO' });
    const { body } = await http.request(stream());
    await expect(buffer(body)).rejects.toMatchObject({ name: 'SatError', motivo: 'TIEMPO_AGOTADO' });
  });

  it('of the whole is limited, even for an answer that drips', async () => {
    const { http } = await start(
      (_peticion, response) => {
        const drip = setInterval(() => response.write('x'), 5);
        response.on('close', () => clearInterval(drip));
      },
      { totalTimeoutMs: 150, streamTimeoutMs: 150 },
    );
    await expect(http.request(get())).rejects.toMatchObject({ motivo: 'TIEMPO_AGOTADO' });
    const { body } = await http.request(stream());
    await expect(buffer(body)).rejects.toMatchObject({ name: 'SatError', motivo: 'TIEMPO_AGOTADO' });
  });

  it('of a streamed answer that nobody reads ends without bringing the process down', async () => {
    const { http } = await start((_peticion, response) => void response.write('x'), { streamTimeoutMs: 50 });
    const { body } = await http.request(stream());
    await new Promise((resolve) => body.once('close', resolve));
    expect(body.errored).toMatchObject({ motivo: 'TIEMPO_AGOTADO' });
  });

  it('ends with the caller', async () => {
    const controller = new AbortController();
    const { http, servidor } = await start(() => controller.abort());
    await expect(http.request(get({ signal: controller.signal }))).rejects.toMatchObject({
      motivo: 'CANCELADA',
    });
    await expect(http.request(get({ signal: controller.signal }))).rejects.toMatchObject({
      motivo: 'CANCELADA',
    });
    expect(servidor.peticiones).toHaveLength(1);
  });

  it('ends with the caller in the middle of a body', async () => {
    const { http } = await start((_peticion, response) => void response.write('x'));
    const controller = new AbortController();
    const { body } = await http.request(stream({ signal: controller.signal }));
    const whole = buffer(body);
    controller.abort();
    await expect(whole).rejects.toMatchObject({ name: 'SatError', motivo: 'CANCELADA' });
  });
});

describe('an answer', () => {
  it('that is larger than allowed is refused, buffered or streamed', async () => {
    const { http } = await start((_peticion, response) => void response.end('x'.repeat(1001)), {
      maxBodyBytes: 1000,
    });
    await expect(http.request(get())).rejects.toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect((await http.request(get({ maxBytes: 1001 }))).body).toHaveLength(1001);
    const { body } = await http.request(stream({ maxBytes: 1000 }));
    await expect(buffer(body)).rejects.toMatchObject({ name: 'SatError', motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('of 50 MB is not taken whole to be refused', async () => {
    let sent = 0;
    const { http } = await start(async (_peticion, response) => {
      for (let i = 0; i < 800 && !response.destroyed; i += 1) {
        sent += 1 << 16;
        if (!response.write(Buffer.alloc(1 << 16))) await drained(response);
      }
      response.end();
    });
    await expect(http.request(get())).rejects.toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(sent).toBeLessThan(30 << 20);
  });

  it('that is compressed, which was not asked for, is refused', async () => {
    const { http } = await start((_peticion, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end('x');
    });
    await expect(http.request(get())).rejects.toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it.each([
    ['nothing', '', 'NO_RESPONDE'],
    ['no HTTP', 'SSH-2.0-secreto\r\n\r\n', 'RESPUESTA_ILEGIBLE'],
    ['a body shorter than declared', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nsecreto', 'NO_RESPONDE'],
    ['half a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n64\r\nsecreto', 'NO_RESPONDE'],
    ['headers without end', `HTTP/1.1 200 OK\r\nx: ${'secreto'.repeat(20_000)}`, 'RESPUESTA_ILEGIBLE'],
  ])('that is %s is a typed error without its bytes', async (_name, text, motivo) => {
    const http = await startBytes((socket) => socket.end(text));
    const error = await http.request(get()).catch((e) => e);
    expect(error).toMatchObject({ name: 'SatError', motivo, clase: 'reintentable' });
    expect(`${error.message} ${JSON.stringify(error)} ${error.cause}`).not.toContain('secreto');
    expect(error.cause).toBeUndefined();
  });

  it('that nobody gives is NO_RESPONDE', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const http = createSatHttp({ baseUrl: `http://127.0.0.1:${port}` });
    cleanups.push(http.close);
    await expect(http.request(get())).rejects.toMatchObject({ motivo: 'NO_RESPONDE' });
  });
});

describe('a streamed answer', () => {
  it('arrives before it is complete', async () => {
    let finish = () => {};
    const { http } = await start((_peticion, response) => {
      response.write('uno');
      finish = () => response.end('dos');
    });
    const { body } = await http.request(stream());
    const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe('uno');
    finish();
    expect(String((await chunks.next()).value)).toBe('dos');
    expect((await chunks.next()).done).toBe(true);
  });

  it('that its reader leaves lets go of the connection', async () => {
    let closed = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { http } = await start((_peticion, response) => {
      response.on('close', closed);
      response.write('x');
    });
    const { body } = await http.request(stream());
    body.destroy();
    await gone;
  });
});

describe('the breaker', () => {
  it('stops requests after failures in a row, and answers of 4xx are none', async () => {
    let status = 404;
    const { http, servidor } = await start((_peticion, response) => void response.writeHead(status).end(), {
      breakerFailures: 3,
    });
    for (let i = 0; i < 5; i += 1) await http.request(get()).catch(() => {});
    status = 503;
    for (let i = 0; i < 3; i += 1) await http.request(get()).catch(() => {});
    await expect(http.request(get())).rejects.toMatchObject({ motivo: 'CORTACIRCUITOS_ABIERTO' });
    expect(servidor.peticiones).toHaveLength(8);
  });

  it('counts pages that a caller declares worthless, and streams that break', async () => {
    const { http } = await start(
      (peticion, response) => {
        if (peticion.url.endsWith('/corta')) response.write('x', () => response.destroy());
        else response.end('<html>');
      },
      { breakerFailures: 4 },
    );
    for (let i = 0; i < 2; i += 1) await (await http.request(get())).markFailed();
    for (let i = 0; i < 2; i += 1) {
      const { body } = await http.request(stream({ path: '/corta' }));
      await buffer(body).catch(() => {});
    }
    await expect(http.request(get())).rejects.toMatchObject({ motivo: 'CORTACIRCUITOS_ABIERTO' });
  });

  it('does not count what the caller gave up', async () => {
    const controller = new AbortController();
    const { http } = await start(
      (peticion, response) => {
        if (peticion.url.endsWith('/nunca')) controller.abort();
        else response.end('ok');
      },
      { breakerFailures: 1 },
    );
    await http.request(get({ path: '/nunca', signal: controller.signal })).catch(() => {});
    expect((await http.request(get())).body).toBe('ok');
  });
});
