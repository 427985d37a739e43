import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { AcuseError } from './errors.ts';
import { verificarWebhook } from './webhook.ts';

const NOW = new Date('2026-11-23T12:00:00Z');
const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;
const SECRET = newSecret();
const EVENT = { type: 'solicitud.terminada', timestamp: '2026-11-23T12:00:00Z', data: { solicitud_id: 'x', ñ: 'á' } };

/** A webhook as the reference library signs it. */
function signed(secrets: readonly string[], { at = NOW, body = JSON.stringify(EVENT), id = 'msg_1' } = {}) {
  return {
    cuerpo: body,
    encabezados: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
    },
  };
}

const reasonOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AcuseError)) throw error ?? new Error('accepted');
  expect([error.nombre, error.codigo]).toEqual(['WEBHOOK_INVALIDO', null]);
  return error.datos.motivo;
};

describe('a webhook', () => {
  it('that the reference library signed is read, as text, as bytes and with Headers', async () => {
    const one = signed([SECRET]);
    expect(await verificarWebhook(one, SECRET, NOW)).toEqual(EVENT);
    expect(await verificarWebhook({ ...one, cuerpo: Buffer.from(one.cuerpo) }, SECRET, NOW)).toEqual(EVENT);
    const encabezados = new Headers(one.encabezados);
    expect(await verificarWebhook({ ...one, encabezados }, SECRET, NOW)).toEqual(EVENT);
  });

  it('is read whatever the case of its headers, and from lists of their values', async () => {
    const { cuerpo, encabezados } = signed([SECRET]);
    const upper = Object.entries(encabezados).map(([name, value]) => [name.toUpperCase(), value]);
    expect(await verificarWebhook({ cuerpo, encabezados: Object.fromEntries(upper) }, SECRET, NOW)).toEqual(EVENT);
    const lists = Object.entries(encabezados).map(([name, value]) => [name, [value]]);
    expect(await verificarWebhook({ cuerpo, encabezados: Object.fromEntries(lists) }, SECRET, NOW)).toEqual(EVENT);
  });

  it('is read with the old and with the new secret while it carries a signature of each', async () => {
    const [before, after, other] = [newSecret(), newSecret(), newSecret()];
    const both = signed([before, after]);
    expect(await verificarWebhook(both, before, NOW)).toEqual(EVENT);
    expect(await verificarWebhook(both, [other, after], NOW)).toEqual(EVENT);
    expect(await reasonOf(verificarWebhook(both, [other], NOW))).toContain('ninguna de sus firmas');
    expect(await verificarWebhook(signed([after]), [before, after], NOW)).toEqual(EVENT);
  });

  it.each([-301, 301])('%s seconds away is refused, and 300 are not', async (seconds) => {
    const at = (offset: number) => new Date(NOW.getTime() + offset * 1_000);
    expect(await reasonOf(verificarWebhook(signed([SECRET], { at: at(seconds) }), SECRET, NOW))).toContain('cinco');
    const near = signed([SECRET], { at: at(seconds - Math.sign(seconds)) });
    expect(await verificarWebhook(near, SECRET, NOW)).toEqual(EVENT);
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'without %s is refused by its name',
    async (name) => {
      const one = signed([SECRET]);
      const encabezados = { ...one.encabezados, [name]: undefined };
      expect(await reasonOf(verificarWebhook({ ...one, encabezados }, SECRET, NOW))).toBe(
        `falta el encabezado ${name}`,
      );
    },
  );

  it('is refused with any other byte in id, time, body or signature, as the reference library refuses it', async () => {
    const one = signed([SECRET]);
    const parts = { ...one.encabezados, cuerpo: one.cuerpo };
    const change = fc.record({
      part: fc.constantFrom(...(Object.keys(parts) as (keyof typeof parts)[])),
      at: fc.nat(),
      to: fc.constantFrom(...'aZ09+/=. ,'),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ part, at, to }) => {
        const text = parts[part];
        const place = at % text.length;
        const changed = { ...parts, [part]: text.slice(0, place) + to + text.slice(place + 1) };
        const { cuerpo, ...encabezados } = changed;
        const wasAccepted = await verificarWebhook({ cuerpo, encabezados }, SECRET, NOW).then(
          () => true,
          (error: unknown) => !(error instanceof AcuseError),
        );
        // Bits of base64 that stand for nothing are the only ones that may differ.
        const isSame = JSON.stringify(changed) === JSON.stringify(parts);
        const isPadding = part === 'webhook-signature' && place >= text.length - 2;
        if (!isPadding) expect(wasAccepted).toBe(isSame);
      }),
      { numRuns: 500 },
    );
  });

  it('with a body that is no JSON is refused, and a secret that is none is a fault of the program', async () => {
    expect(await reasonOf(verificarWebhook(signed([SECRET], { body: 'hola' }), SECRET, NOW))).toContain('no es JSON');
    for (const secret of ['', 'whsec_', 'whsec_%%%', SECRET.slice(6)])
      await expect(verificarWebhook(signed([SECRET]), secret, NOW)).rejects.toThrow(TypeError);
  });
});
