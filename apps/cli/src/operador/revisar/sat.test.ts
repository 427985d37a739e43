import { describe, expect, it } from 'vitest';
import { reviewCaptcha, reviewHost, reviewUnreachable } from './sat.ts';

const SIMULATOR = 'http://127.0.0.1:8090';

describe('who reads captchas', () => {
  it.each([
    [{}, 'aviso', 'devolviendo su crédito'],
    [{ CAPTCHA_RESOLVER: 'consola' }, 'aviso', 'terminal'],
    [{ CAPTCHA_RESOLVER: 'personas' }, 'bien', 'personas'],
    [{ CAPTCHA_RESOLVER: 'http' }, 'falla', 'CAPTCHA_URL'],
    [{ CAPTCHA_RESOLVER: 'simulador', CAPTCHA_URL: SIMULATOR }, 'falla', 'no sirve ante el SAT'],
  ] as const)('with %j is told: %s', (settings, mark, seen) => {
    expect(reviewCaptcha(settings)).toMatchObject({ mark, seen: expect.stringContaining(seen) });
  });

  it.each([
    { CAPTCHA_RESOLVER: 'http', CAPTCHA_URL: 'https://captchas.example' },
    { CAPTCHA_RESOLVER: 'simulador', CAPTCHA_URL: SIMULATOR, SAT_BASE_URL: SIMULATOR },
  ] as const)('with %j has to be asked itself', (settings) => {
    expect(reviewCaptcha(settings)).toBeNull();
  });
});

describe('a host of the SAT', () => {
  const now = Date.parse('2026-05-01T00:00:00Z');
  const tls = { protocol: 'TLSv1.2', validTo: new Date('2027-01-01') };
  const host = { status: 302, latencyMs: 140, tls, skewMs: 0 };

  it('accepts any answer, with the configured TLS and time limit', () => {
    expect(reviewHost(host, now)).toEqual({ mark: 'bien', seen: 'TLSv1.2, 140 ms', remedy: null });
    expect(reviewHost({ ...host, status: 404 }, now).mark).toBe('bien');
  });

  it.each([
    [{ status: 503 }, 'contesta HTTP 503'],
    [{ latencyMs: 9_000 }, 'tarda 9000 ms'],
    [{ tls: { ...tls, validTo: new Date('2026-05-03') } }, 'su certificado vence el 2026-05-03'],
  ])('gives a warning with %j', (changed, seen) => {
    expect(reviewHost({ ...host, ...changed }, now)).toMatchObject({
      mark: 'aviso',
      seen: expect.stringContaining(seen),
    });
  });

  const failed = (code: string) => Object.assign(new Error(code), { code });

  it.each([
    [failed('CERT_HAS_EXPIRED'), 'no se puede comprobar', 'SAT_TLS_CA'],
    [failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'no se puede comprobar', 'SAT_TLS_CA'],
    [failed('ERR_SSL_DH_KEY_TOO_SMALL'), 'no se acuerda el TLS', 'proxy'],
    [failed('ENOTFOUND'), 'no se alcanza (ENOTFOUND)', 'DNS'],
    [new Error('fetch failed', { cause: failed('ECONNREFUSED') }), 'no se alcanza (ECONNREFUSED)', 'puerto 443'],
  ])('that fails with %s is told with what to do', (error, seen, remedy) => {
    expect(reviewUnreachable(error)).toEqual({
      mark: 'falla',
      seen: expect.stringContaining(seen),
      remedy: expect.stringContaining(remedy),
    });
  });
});
