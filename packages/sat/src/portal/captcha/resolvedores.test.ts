import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { createResolvedorConsola, createResolvedorHttp, createResolvedorSimulador } from '../captcha.ts';
import { captchaDe } from '../testing/paginas-de-prueba.ts';

const IMAGEN = captchaDe('ABC123');
const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(answer: (cuerpo: string, req: IncomingMessage, res: ServerResponse) => void): Promise<string> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => answer(Buffer.concat(chunks).toString(), req, res));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/captcha`;
}

const signal = () => new AbortController().signal;

describe('createResolvedorSimulador', () => {
  it('posts { imagen } and reads { respuesta }', async () => {
    const url = await serve((cuerpo, req, res) => {
      expect(req.method).toBe('POST');
      expect(JSON.parse(cuerpo)).toEqual({ imagen: IMAGEN.toString('base64') });
      res.end(JSON.stringify({ respuesta: 'ABC123' }));
    });
    expect(await createResolvedorSimulador({ url }).resolve(IMAGEN, signal())).toBe('ABC123');
  });
});

describe('createResolvedorHttp', () => {
  it('sends token, further fields and the image to the configured address, and reads a nested answer', async () => {
    const url = await serve((cuerpo, req, res) => {
      expect(req.headers['x-llave']).toBe('t0ken');
      expect(JSON.parse(cuerpo)).toEqual({ tipo: 'texto', cuerpo: IMAGEN.toString('base64') });
      res.end(JSON.stringify({ datos: { texto: 'XYZ' } }));
    });
    const resolvedor = createResolvedorHttp({
      url,
      token: { cabecera: 'x-llave', valor: 't0ken' },
      campos: { tipo: 'texto' },
      campoImagen: 'cuerpo',
      campoRespuesta: 'datos.texto',
    });
    expect(await resolvedor.resolve(IMAGEN, signal())).toBe('XYZ');
  });

  it.each([
    ['another status', 503, '{"texto":"x"}'],
    ['no JSON', 200, '<html>'],
    ['another field', 200, '{"otra":"x"}'],
    ['a number', 200, '{"texto":1}'],
    ['an inherited property', 200, '{"texto":{"length":1}}'],
    ['an endless answer', 200, `"${'x'.repeat(100_000)}"`],
  ])('rejects %s without naming address or token', async (_name, status, body) => {
    const url = await serve((_cuerpo, _req, res) => res.writeHead(status).end(body));
    const token = { cabecera: 'authorization', valor: 'Bearer t0ken' };
    const resolvedor = createResolvedorHttp({ url, token, campoImagen: 'i', campoRespuesta: 'texto' });
    const error = await resolvedor.resolve(IMAGEN, signal()).then(
      () => null,
      (reason: unknown) => String(reason),
    );
    expect(error).toMatch(/captcha resolver/);
    expect(error).not.toMatch(/t0ken|127\.0\.0\.1/);
  });

  it('stops waiting when told to', async () => {
    const url = await serve(() => {});
    const resolvedor = createResolvedorHttp({ url, campoImagen: 'i', campoRespuesta: 'texto' });
    await expect(resolvedor.resolve(IMAGEN, AbortSignal.timeout(20))).rejects.toThrow();
  });
});

describe('createResolvedorConsola', () => {
  async function setUp() {
    const carpeta = await mkdtemp(join(tmpdir(), 'acuse-test-'));
    closing.push(() => rm(carpeta, { recursive: true, force: true }));
    const entrada = new PassThrough();
    const salida = new PassThrough();
    const shown = { texto: '' };
    const asked: Array<() => void> = [];
    salida.on('data', (chunk: Buffer) => {
      shown.texto += chunk.toString();
      if (shown.texto.endsWith(': ')) asked.shift()?.();
    });
    const question = () => new Promise<void>((resolve) => asked.push(resolve));
    return { carpeta, entrada, shown, question, resolvedor: createResolvedorConsola({ entrada, salida, carpeta }) };
  }

  it('shows where the image is, readable by its owner only, takes a line and deletes the image', async () => {
    const { carpeta, entrada, shown, question, resolvedor } = await setUp();
    const ready = question();
    const answer = resolvedor.resolve(IMAGEN, signal());
    await ready;
    const file = /Abra la imagen: (\S+\.png)/.exec(shown.texto)?.[1] ?? '';
    expect((await readFile(file)).equals(IMAGEN)).toBe(true);
    expect((await stat(file)).mode & 0o077).toBe(0);
    entrada.write('abc123\n');
    expect(await answer).toBe('abc123');
    expect(await readdir(carpeta)).toEqual([]);
  });

  it('asks one question at a time', async () => {
    const { entrada, shown, question, resolvedor } = await setUp();
    const ready = question();
    const answers = [resolvedor.resolve(IMAGEN, signal()), resolvedor.resolve(IMAGEN, signal())];
    await ready;
    expect(shown.texto.match(/Abra la imagen/g)).toHaveLength(1);
    const again = question();
    entrada.write('uno\n');
    await again;
    entrada.write('dos\n');
    expect(await Promise.all(answers)).toEqual(['uno', 'dos']);
  });

  it('deletes the image when the log-in is given up', async () => {
    const { carpeta, question, resolvedor } = await setUp();
    const controller = new AbortController();
    const ready = question();
    const answer = resolvedor.resolve(IMAGEN, controller.signal);
    await ready;
    controller.abort();
    await expect(answer).rejects.toThrow();
    expect(await readdir(carpeta)).toEqual([]);
  });
});
