import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeyring } from './keyring.ts';
import { huellaDeCuerpo, openRespuesta, sealRespuesta } from './respuesta-envelope.ts';

const keyring = createKeyring({ keys: new Map([['k1', randomBytes(32)]]), current: 'k1' });
const claves = { secret: randomBytes(32), keyring };
const contexto = { apiKeyId: 'llave-1', operacion: 'tax/facturas', clave: 'pedido-1', status: 200 };
const CUERPO = '{"cfdi_codigo":1,"data":{"rfc":"ACU200101DB1","total":"ñ"}}';

describe('an answer kept for its Idempotency-Key', () => {
  it('opens to the original, is never sealed twice the same, and shows nothing of it', () => {
    const [one, other] = [sealRespuesta(CUERPO, contexto, claves), sealRespuesta(CUERPO, contexto, claves)];
    expect(openRespuesta(one, contexto, claves)).toBe(CUERPO);
    expect(one.equals(other)).toBe(false);
    expect(one.includes('ACU200101DB1')).toBe(false);
  });

  it.each([
    { apiKeyId: 'llave-2' },
    { operacion: 'tax/retenciones' },
    { clave: 'pedido-2' },
    { status: 201 },
    { apiKeyId: 'llave-1tax/', operacion: 'facturas' },
  ])('does not open for another request: %j', (other) => {
    expect(openRespuesta(sealRespuesta(CUERPO, contexto, claves), { ...contexto, ...other }, claves)).toBeNull();
  });

  it('needs both the API key and the keyring, and every bit as it was', () => {
    const sealed = sealRespuesta(CUERPO, contexto, claves);
    const foreign = createKeyring({ keys: new Map([['k1', randomBytes(32)]]), current: 'k1' });
    expect(openRespuesta(sealed, contexto, { ...claves, secret: randomBytes(32) })).toBeNull();
    expect(openRespuesta(sealed, contexto, { ...claves, keyring: foreign })).toBeNull();
    for (let at = 0; at < sealed.length; at += 1) {
      const broken = Buffer.from(sealed);
      broken[at] = (broken[at] ?? 0) ^ 1;
      expect([at, openRespuesta(broken, contexto, claves)]).toEqual([at, null]);
      expect(openRespuesta(sealed.subarray(0, at), contexto, claves)).toBeNull();
    }
  });
});

describe('the trace of a body', () => {
  const huella = (campos: (string | Uint8Array)[], other = {}, secret = claves.secret) =>
    huellaDeCuerpo(campos, { ...contexto, ...other }, secret).toString('hex');

  it('is the same for the same body, and another for any other body, operation or API key', () => {
    const own = huella(['{"rfc":"A"}', 'ciec', Buffer.from('x')]);
    expect(huella(['{"rfc":"A"}', 'ciec', Buffer.from('x')])).toBe(own);
    const others = [
      huella(['{"rfc":"A"}', 'ciec', Buffer.from('y')]),
      huella(['{"rfc":"A"}', 'cie', Buffer.from('cx')]),
      huella(['{"rfc":"A"}']),
      huella(['{"rfc":"A"}', 'ciec', Buffer.from('x')], { operacion: 'vault/rfc-guardar' }),
      huella(['{"rfc":"A"}', 'ciec', Buffer.from('x')], {}, randomBytes(32)),
    ];
    expect(new Set([own, ...others]).size).toBe(6);
  });
});
