import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createApiClient, isTokenText } from './client.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const llamada = {
  nombre: 'efos/consultar',
  cuerpo: { rfc: 'A' },
  apiKey: 'llave',
  ip: '203.0.113.7',
  idempotencyKey: null,
};
const apiAt = (url: string, more = {}) => createApiClient({ url, userAgent: 'acuse-panel/1', ...more });

describe('the way to the API', () => {
  it('sends body, key and address, and gives what came', async () => {
    const url = await serve((request, response) => {
      const { authorization, 'user-agent': agent, 'x-forwarded-for': ip } = request.headers;
      response.setHeader('x-request-id', 'r1');
      response.statusCode = 402;
      request.setEncoding('utf8');
      request.on('data', (body) =>
        response.end(JSON.stringify([request.method, request.url, authorization, agent, ip, body])),
      );
    });
    const answer = await apiAt(url).call(llamada);
    expect(answer).toMatchObject({ tipo: 'respuesta', status: 402, requestId: 'r1', cortado: false });
    expect(answer.tipo === 'respuesta' && JSON.parse(answer.texto)).toEqual([
      'POST',
      '/api/v1/efos/consultar',
      'Bearer llave',
      'acuse-panel/1',
      '203.0.113.7',
      '{"rfc":"A"}',
    ]);
  });

  it('follows no redirect: key and body go to one origin only', async () => {
    let hits = 0;
    const elsewhere = await serve((_, response) => {
      hits += 1;
      response.end();
    });
    const url = await serve((_, response) => {
      response.writeHead(307, { location: `${elsewhere}/robo` });
      response.end();
    });
    expect(await apiAt(url).call(llamada)).toMatchObject({ tipo: 'respuesta', status: 307 });
    await expect(apiAt(url).describe()).rejects.toThrow();
    expect(hits).toBe(0);
  });

  it('reads no more of an endless answer than it may', async () => {
    const url = await serve((_, response) => {
      const more = () => {
        while (response.writable && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    const answer = await apiAt(url, { maxBytes: 100_000 }).call(llamada);
    expect(answer).toMatchObject({ tipo: 'respuesta', cortado: true });
    expect(answer.tipo === 'respuesta' && answer.texto.length).toBe(100_000);
  });

  it('gives up what does not answer, and what stops in the middle', async () => {
    const silent = await serve(() => {});
    expect(await apiAt(silent, { timeoutMs: 50 }).call(llamada)).toMatchObject({
      tipo: 'sin-respuesta',
      motivo: 'tiempo',
    });
    const slow = await serve((_, response) => void response.write('{'));
    expect(await apiAt(slow, { timeoutMs: 50 }).call(llamada)).toMatchObject({
      tipo: 'sin-respuesta',
      motivo: 'tiempo',
    });
    const dead = await serve((request) => request.socket.destroy());
    expect(await apiAt(dead).call(llamada)).toMatchObject({ tipo: 'sin-respuesta', motivo: 'conexion' });
  });

  it('takes no key that would not be a header', () => {
    for (const wrong of ['', 'a b', 'a\r\nX: y', 'ñ', 'a'.repeat(513)])
      expect([wrong, isTokenText(wrong)]).toEqual([wrong, false]);
    expect(isTokenText('acuse_test_abc-DEF')).toBe(true);
  });
});
