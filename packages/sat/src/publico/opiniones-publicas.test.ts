import { SatError } from '@acuse/core';
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, closeLater, startServidor } from '../testing/servidor.ts';
import { createOpinionesPublicas } from './opiniones-publicas.ts';

afterEach(closeAll);

const RFC = 'OÑO120726RX3';
const PUBLICADA = { rfc: RFC, opinion: 'NEGATIVO', fecha_publicacion: '2026-11-20T12:00:00-06:00' };

async function ask(
  body: unknown,
  { status = 200, type = 'application/json; charset=utf-8', cortado = 0, timeoutMs = 60_000 } = {},
) {
  const texto = typeof body === 'string' ? body : JSON.stringify(body);
  const servidor = await startServidor((_, res) => {
    if (status === 0) return;
    const headers = cortado > 0 ? { 'content-length': Buffer.byteLength(texto) } : {};
    res.writeHead(status, { 'content-type': type, ...headers });
    if (cortado === 0) res.end(texto);
    else res.write(texto.slice(0, cortado), () => res.destroy());
  });
  const fuente = createOpinionesPublicas({ url: `${servidor.url}/opinion-publica`, timeoutMs });
  closeLater(servidor.close);
  closeLater(fuente.close);
  const outcome = await fuente
    .consultar(RFC.toLowerCase(), new AbortController().signal)
    .catch((error: unknown) => (error instanceof SatError ? error.motivo : error));
  return { outcome, servidor };
}

describe('createOpinionesPublicas', () => {
  it('tells a published opinion', async () => {
    const { outcome, servidor } = await ask(PUBLICADA);
    expect(outcome).toEqual({
      resultado: 'PUBLICADA',
      sentido: 'NEGATIVO',
      fechaPublicacion: new Date('2026-11-20T18:00:00Z'),
    });
    expect(servidor.peticiones[0]).toMatchObject({
      method: 'GET',
      url: `/opinion-publica?rfc=${encodeURIComponent(RFC)}`,
    });
  });

  it('tells that there is none', async () => {
    const { outcome } = await ask({ rfc: RFC, publicada: false }, { status: 404 });
    expect(outcome).toEqual({ resultado: 'NO_PUBLICADA' });
  });

  it.each([
    ['the opinion of somebody else', { ...PUBLICADA, rfc: 'XIQB891116QE4' }, {}, 'RESPUESTA_ILEGIBLE'],
    ['an unknown sense', { ...PUBLICADA, opinion: 'Positiva' }, {}, 'RESPUESTA_ILEGIBLE'],
    ['a date without zone', { ...PUBLICADA, fecha_publicacion: '2026-11-20' }, {}, 'RESPUESTA_ILEGIBLE'],
    ['a further field', { ...PUBLICADA, publicada: false }, {}, 'RESPUESTA_ILEGIBLE'],
    ['a list', [PUBLICADA], {}, 'RESPUESTA_ILEGIBLE'],
    ['half a text', JSON.stringify(PUBLICADA).slice(0, -3), {}, 'RESPUESTA_ILEGIBLE'],
    ['a body cut short', PUBLICADA, { cortado: 20 }, 'NO_RESPONDE'],
    ['a page', '<html>404</html>', { status: 404, type: 'text/html' }, 'SERVICIO_CON_ERROR'],
    ['an empty 404', '', { status: 404 }, 'RESPUESTA_ILEGIBLE'],
    ['404 for somebody else', { rfc: 'X', publicada: false }, { status: 404 }, 'RESPUESTA_ILEGIBLE'],
    ['"not published" with 200', { rfc: RFC, publicada: false }, {}, 'RESPUESTA_ILEGIBLE'],
    ['a redirect', PUBLICADA, { status: 302 }, 'SERVICIO_CON_ERROR'],
    ['an error', PUBLICADA, { status: 503 }, 'SERVICIO_CON_ERROR'],
    ['too much', `"${'a'.repeat(100_000)}"`, {}, 'RESPUESTA_ILEGIBLE'],
    ['silence', PUBLICADA, { status: 0, timeoutMs: 200 }, 'TIEMPO_AGOTADO'],
  ])('does not take %s for an answer', async (_what, body, options, motivo) => {
    expect((await ask(body, options)).outcome).toBe(motivo);
  });

  it('ends with the caller', async () => {
    const servidor = await startServidor(() => {});
    const fuente = createOpinionesPublicas({ url: servidor.url });
    closeLater(servidor.close);
    closeLater(fuente.close);
    await expect(fuente.consultar(RFC, AbortSignal.abort())).rejects.toMatchObject({ motivo: 'CANCELADA' });
    const stop = new AbortController();
    const asked = fuente.consultar(RFC, stop.signal);
    stop.abort();
    await expect(asked).rejects.toMatchObject({ motivo: 'CANCELADA' });
  });

  it.each(['ftp://x/', 'http://x/?a=1', 'http://u:p@x/', 'http://:p@x/', 'x'])('refuses the address %s', (url) => {
    expect(() => createOpinionesPublicas({ url })).toThrow(TypeError);
  });
});
