import { once } from 'node:events';
import { connect, createServer as createTcpServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, closeLater, drained, get, listen, start, startBytes, stream } from '../testing/servidor.ts';
import { createSatHttp } from './sat-http.ts';

afterEach(closeAll);

describe('an answer', () => {
  it('that is larger than allowed is refused, buffered or streamed', async () => {
    const { http } = await start((_peticion, response) => void response.end('x'.repeat(1001)), { maxBodyBytes: 1000 });
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
    let asked: unknown;
    const { http } = await start((peticion, response) => {
      asked = peticion.headers['accept-encoding'];
      response.setHeader('content-encoding', 'gzip');
      response.end('x');
    });
    await expect(http.request(get())).rejects.toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(asked).toBe('identity');
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

  it('that never comes is NO_RESPONDE', async () => {
    const server = createTcpServer();
    // The near end of a connection: a port that is taken, so that nobody else gets it, and where nobody listens.
    const taken = connect(await listen(server), '127.0.0.1');
    closeLater(() => {
      taken.destroy();
      server.close();
    });
    await once(taken, 'connect');
    const http = createSatHttp({ baseUrl: `http://127.0.0.1:${taken.localPort}` });
    closeLater(http.close);
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
