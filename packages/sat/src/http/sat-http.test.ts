import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closeAll, get, start, stream } from '../testing/servidor.ts';
import { SAT_HTTP_DEFAULTS } from './direcciones.ts';

afterEach(closeAll);
afterEach(() => void vi.useRealTimers());

/** The time of a request stands still until the test moves it; the network's does not. */
const stopTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

describe('a request', () => {
  it('reaches the mapped address with its headers and body, and gives the answer', async () => {
    const { http, servidor } = await start((_peticion, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.end('¡Hola!');
    });
    const respuesta = await http.request(get({ method: 'POST', headers: { 'x-a': 'b' }, body: 'cuerpo Ñ' }));
    expect(respuesta).toMatchObject({ status: 200, body: '¡Hola!', headers: { 'set-cookie': ['a=1', 'b=2'] } });
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
    await expect(http.request(get({ host: 'evil.example' }))).rejects.toMatchObject({ motivo: 'HOST_NO_PERMITIDO' });
    expect(servidor.peticiones).toEqual([]);
  });

  it.each([[400], [404], [500], [503]])('that is answered with %i rejects, unless it is expected', async (status) => {
    const { http } = await start((_peticion, response) => void response.writeHead(status).end('secreto'));
    const error = await http.request(get()).catch((e) => e);
    expect(error).toMatchObject({ motivo: 'SERVICIO_CON_ERROR', codigo: `HTTP ${status}`, clase: 'reintentable' });
    expect(error.message).not.toContain('secreto');
    expect(await http.request(get({ acceptStatus: [status] }))).toMatchObject({ status, body: 'secreto' });
  });

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

  it('to the headers is longer for a stream', async () => {
    const waiting: (() => void)[] = [];
    const { http } = await start((_peticion, response) => void waiting.push(() => response.end('ok')), {
      headersTimeoutMs: 50,
    });
    const streamed = http.request(stream());
    await expect(http.request(get())).rejects.toMatchObject({ motivo: 'TIEMPO_AGOTADO' });
    for (const answer of waiting) answer();
    expect(String(await buffer((await streamed).body))).toBe('ok');
    const short = await start(never, { streamHeadersTimeoutMs: 50 });
    await expect(short.http.request(stream())).rejects.toMatchObject({ motivo: 'TIEMPO_AGOTADO' });
    expect(SAT_HTTP_DEFAULTS).toMatchObject({ headersTimeoutMs: 90_000, streamHeadersTimeoutMs: 150_000 });
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
      { totalTimeoutMs: 150 },
    );
    await expect(http.request(get())).rejects.toMatchObject({ motivo: 'TIEMPO_AGOTADO' });
  });

  it('of a stream is limited, and no piece that arrives makes it longer', async () => {
    stopTime();
    let write = () => {};
    const { http } = await start(
      (_peticion, response) => {
        write = () => void response.write('x');
        write();
      },
      { streamTimeoutMs: 150 },
    );
    const { body } = await http.request(stream());
    const pieces = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    for (let n = 0; n < 3; n += 1) {
      expect(String((await pieces.next()).value)).toBe('x');
      vi.advanceTimersByTime(49);
      write();
    }
    expect(String((await pieces.next()).value)).toBe('x');
    vi.advanceTimersByTime(3);
    await expect(pieces.next()).rejects.toMatchObject({ name: 'SatError', motivo: 'TIEMPO_AGOTADO' });
  });

  it('of an unread streamed answer ends without crashing the process', async () => {
    stopTime();
    const { http } = await start((_peticion, response) => void response.write('x'), { streamTimeoutMs: 50 });
    const { body } = await http.request(stream());
    const closed = new Promise((resolve) => body.once('close', resolve));
    vi.advanceTimersByTime(50);
    await closed;
    expect(body.errored).toMatchObject({ motivo: 'TIEMPO_AGOTADO' });
  });

  it('ends with the caller', async () => {
    const controller = new AbortController();
    const { http, servidor } = await start(() => controller.abort());
    await expect(http.request(get({ signal: controller.signal }))).rejects.toMatchObject({ motivo: 'CANCELADA' });
    await expect(http.request(get({ signal: controller.signal }))).rejects.toMatchObject({ motivo: 'CANCELADA' });
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
