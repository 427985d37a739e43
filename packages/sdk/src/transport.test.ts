import { CATALOGO, type NombreError as NombreServicio } from '@acuse/contract';
import { describe, expect, it } from 'vitest';
import { type Answer, fail, hangUp, ok, page, serve } from '../testing/answers.ts';
import { Acuse, type OpcionesAcuse } from './acuse.ts';
import { AcuseError } from './errors.ts';
import type { Intento } from './transport.ts';

/** Client that does not wait: the delays that it would have had are in `pauses`. */
function clientOf(url: string, options: Partial<OpcionesAcuse> = {}, azar = () => 1) {
  const pauses: number[] = [];
  const esperar = async (ms: number) => void pauses.push(ms);
  const acuse = new Acuse({ url, llave: 'acuse_test_x', pausa: { esperar, azar }, ...options });
  return { acuse, pauses };
}

const PERIODO = { rfc: 'ACU200101DB1', desde: '2026-01-01', hasta: '2026-01-31' };

describe('a call', () => {
  it('is one POST with the key, the name of the program and its body; a price brings an Idempotency-Key', async () => {
    const { url, asked } = await serve(ok);
    const { acuse } = clientOf(`${url}//`, { aplicacion: 'mi-erp/2.1' });
    await acuse.vault.firmaEstado({ rfc: PERIODO.rfc });
    await acuse.tax.facturas(PERIODO);
    await acuse.tax.facturas(PERIODO, { claveIdempotencia: 'pedido-7' });
    expect(asked.map(({ url: path }) => path)).toEqual([
      '/api/v1/vault/firma-estado',
      ...['/api/v1/tax/facturas', '/api/v1/tax/facturas'],
    ]);
    expect(JSON.parse(asked[1]?.body ?? '')).toEqual(PERIODO);
    const [free, paid, own] = asked.map(({ headers }) => headers);
    expect(free).toMatchObject({ authorization: 'Bearer acuse_test_x', 'user-agent': 'mi-erp/2.1 acuse-sdk/0.1.0' });
    expect(free).not.toHaveProperty('idempotency-key');
    expect(paid?.['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect(own?.['idempotency-key']).toBe('pedido-7');
  });

  it.each([
    [{ url: 'acuse.example' }, 'url'],
    [{ url: 'ftp://acuse.example' }, 'url'],
    [{ llave: '' }, 'llave'],
    [{ llave: 'acuse_test_ñ' }, 'llave'],
  ])('needs an address and a key that can be sent: %o', (options, name) => {
    expect(() => clientOf('http://127.0.0.1:9', options)).toThrow(expect.objectContaining({ name: 'TypeError' }));
    expect(() => clientOf('http://127.0.0.1:9', options)).toThrow(`(${name})`);
  });

  it('is repeated with the same Idempotency-Key after a broken connection, a gateway and what passes', async () => {
    const { url, asked } = await serve(hangUp, page(502), fail('RESULTADO_INCIERTO', 5), fail('ERROR_INTERNO'), ok);
    const { acuse, pauses } = clientOf(url);
    await acuse.tax.facturas(PERIODO);
    expect(new Set(asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(asked).toHaveLength(5);
    // The bound doubles; what the service asks for comes before it.
    expect(pauses).toEqual([500, 1_000, 5_000 + 2_000, 4_000]);
  });

  it('waits a time drawn between nothing and the bound, so that clients do not come back together', async () => {
    const { url } = await serve(page(503), page(503), ok);
    const draws = [0, 0.25];
    const { acuse, pauses } = clientOf(url, {}, () => draws.shift() ?? 1);
    await acuse.tax.facturas(PERIODO);
    expect(pauses).toEqual([0, 250]);
  });

  it('honours Retry-After, also that of a gateway, up to the longest pause; what asks for more is thrown', async () => {
    const short = await serve(fail('DEMASIADAS_PETICIONES', 2), page(429, { 'retry-after': '3' }), ok);
    const patient = clientOf(short.url);
    await patient.acuse.tax.facturas(PERIODO);
    expect(patient.pauses).toEqual([2_500, 4_000]);
    const long = await serve(fail('SAT_NO_DISPONIBLE', 300), ok);
    const { acuse, pauses } = clientOf(long.url);
    await expect(acuse.tax.facturas(PERIODO)).rejects.toMatchObject({ nombre: 'SAT_NO_DISPONIBLE', reintentarEn: 300 });
    expect(pauses).toEqual([]);
  });

  it('waits for an earlier try of the same call that still runs, for two minutes at most', async () => {
    const running = fail('IDEMPOTENCIA_EN_CONFLICTO', 1);
    const { url, asked } = await serve(hangUp, running, running, running, running, ok);
    const { acuse, pauses } = clientOf(url);
    await acuse.tax.facturas(PERIODO);
    expect(new Set(asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
    const forever = await serve(hangUp, running);
    const { acuse: patient, pauses: waited } = clientOf(forever.url);
    await expect(patient.tax.facturas(PERIODO)).rejects.toMatchObject({ nombre: 'IDEMPOTENCIA_EN_CONFLICTO' });
    expect(waited.slice(1).reduce((sum, ms) => sum + ms, 0)).toBe(120_000);
  });

  it('ends after the tries that it may take, with the last error', async () => {
    const { url, asked } = await serve(hangUp);
    const { acuse } = clientOf(url, { reintentos: 2 });
    await expect(acuse.tax.facturas(PERIODO)).rejects.toMatchObject({ nombre: 'SIN_CONEXION', codigo: null });
    expect(asked).toHaveLength(3);
  });

  it.each(Object.keys(CATALOGO) as NombreServicio[])('%s is repeated only if it can pass by itself', async (nombre) => {
    const passing =
      /^(DEMASIADAS_PETICIONES|(SALDO|BASE|ALMACEN)_NO_DISPONIBLE|ACCESO_CAMBIADO|RESULTADO_INCIERTO|ERROR_INTERNO)$/;
    const withTime = ['SAT_NO_DISPONIBLE', 'IDEMPOTENCIA_EN_CONFLICTO'].includes(nombre);
    for (const [seconds, isRepeated] of [
      [undefined, passing.test(nombre)],
      [1, passing.test(nombre) || withTime],
    ] as const) {
      const { url, asked } = await serve(fail(nombre, seconds), ok);
      const { acuse } = clientOf(url);
      const error = await acuse.tax.facturas(PERIODO).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect([asked.length, error === null]).toEqual(isRepeated ? [2, true] : [1, false]);
      if (error === null) continue;
      const { codigo, http, texto } = CATALOGO[nombre];
      expect(error).toBeInstanceOf(AcuseError);
      expect(error).toMatchObject({ nombre, codigo, http, requestId: 'r-1', message: texto });
    }
  });

  it('ends with the reason of its signal, before a try, in one and in a pause', async () => {
    const reason = new Error('enough');
    const { url, asked } = await serve(() => {});
    const { acuse } = clientOf(url);
    await expect(acuse.tax.facturas(PERIODO, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(asked).toEqual([]);
    const during = new AbortController();
    const call = acuse.tax.facturas(PERIODO, { signal: during.signal });
    await expect.poll(() => asked.length).toBe(1);
    during.abort(reason);
    await expect(call).rejects.toBe(reason);

    const failing = await serve(page(503));
    const pausing = new Acuse({
      url: failing.url,
      llave: 'x',
      pausa: { primeraMs: 1e9, maximaMs: 1e9, azar: () => 1 },
    });
    const later = new AbortController();
    const waiting = pausing.tax.facturas(PERIODO, { signal: later.signal });
    await expect.poll(() => failing.asked.length).toBe(1);
    later.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('takes a silence for a broken connection', async () => {
    const { url, asked } = await serve(() => {}, ok);
    const { acuse } = clientOf(url, { plazoMs: 200 });
    await acuse.tax.facturas(PERIODO);
    expect(asked).toHaveLength(2);
  });

  it('tells the client and the caller of each try: status, request id, limit, replay and error', async () => {
    const headers = { 'x-request-id': 'r-2', RateLimit: '"llave";r=7;t=2', 'idempotent-replayed': 'true' };
    const replayed: Answer = (response, asked) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      ok(response, asked);
    };
    const { url } = await serve(hangUp, fail('RESULTADO_INCIERTO'), replayed);
    const [log, own]: [Intento[], Intento[]] = [[], []];
    const { acuse } = clientOf(url, { alIntentar: (intento) => log.push(intento) });
    await acuse.tax.facturas(PERIODO, { alIntentar: (intento) => own.push(intento) });
    expect(own).toEqual(log);
    const nothing = { requestId: null, limite: null, esRepetida: false };
    const operacion = 'tax/facturas';
    expect(log).toMatchObject([
      { ...nothing, operacion, numero: 1, http: null, encabezados: null, error: { nombre: 'SIN_CONEXION' } },
      { ...nothing, operacion, numero: 2, http: 503, requestId: 'r-1', error: { nombre: 'RESULTADO_INCIERTO' } },
      { operacion, numero: 3, http: 200, requestId: 'r-2', error: null, esRepetida: true },
    ]);
    expect(log[2]?.limite).toEqual({ quedan: 7, segundos: 2 });
    expect(log[2]?.encabezados?.get('x-request-id')).toBe('r-2');
    for (const { ms } of log) expect(ms).toBeGreaterThan(0);
    expect(JSON.stringify(log)).not.toContain('acuse_test_x');
  });

  it('takes the time and the repetitions that its caller gives it before those of the client', async () => {
    const { url, asked } = await serve(() => {});
    const { acuse, pauses } = clientOf(url);
    await expect(acuse.tax.facturas(PERIODO, { plazoMs: 100, reintentos: 1 })).rejects.toMatchObject({
      nombre: 'SIN_CONEXION',
    });
    expect([asked.length, pauses]).toEqual([2, [500]]);
  });

  it('follows no redirection, so the key goes to no other host', async () => {
    const other = await serve(ok);
    const { url } = await serve((response) => response.writeHead(307, { location: `${other.url}/api/v1/x` }).end());
    const { acuse } = clientOf(url, { reintentos: 0 });
    await expect(acuse.tax.facturas(PERIODO)).rejects.toMatchObject({ nombre: 'SIN_CONEXION' });
    expect(other.asked).toEqual([]);
  });

  it('says the precise cause in its message', async () => {
    const { url } = await serve(
      fail('CAMPO_INVALIDO', undefined, { campo: 'desde', motivo: 'debe ser una fecha real' }),
    );
    const { acuse } = clientOf(url);
    await expect(acuse.tax.facturas(PERIODO)).rejects.toThrow(/^desde: debe ser una fecha real\. Corrija [^(]*$/);
  });
});
