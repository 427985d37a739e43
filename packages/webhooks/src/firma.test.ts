import { contextoDeWebhook } from '@acuse/core';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { claveOf, firmar, newSecreto } from './firma.ts';

const now = () => Math.floor(Date.now() / 1_000);

/** A new secret, and the key that was sealed of it. */
function newClave() {
  let clave = Buffer.alloc(0);
  const seal = (claro: Buffer, contexto: readonly string[]) => {
    expect(contexto).toEqual(contextoDeWebhook('w', 's'));
    clave = Buffer.from(claro);
    return Buffer.from('sealed');
  };
  const { secreto, sellado } = newSecreto('w', { newId: () => 's', sellado: { seal } });
  expect(sellado).toEqual({ id: 's', sobre: Buffer.from('sealed') });
  expect(clave.length).toBeGreaterThanOrEqual(24);
  return { secreto, clave };
}

it('signs what the library of Standard Webhooks verifies, with each of several keys', () => {
  const cuerpo = JSON.stringify({ type: 'saldo.bajo', timestamp: 'x', data: { texto: 'Ñandú €' } });
  const [una, otra] = [newClave(), newClave()];
  const headers = firmar({ id: 'evt_1', segundos: now(), cuerpo }, [una.clave, otra.clave]);
  for (const { secreto } of [una, otra])
    expect(new Webhook(secreto).verify(cuerpo, headers)).toMatchObject({ type: 'saldo.bajo' });
  const verify =
    (body: string, more: Record<string, string> = {}) =>
    () =>
      new Webhook(una.secreto).verify(body, { ...headers, ...more });
  expect(verify(`${cuerpo} `)).toThrow();
  expect(verify(cuerpo, { 'webhook-id': 'evt_2' })).toThrow();
  expect(verify(cuerpo, { 'webhook-timestamp': String(now() - 3_600) })).toThrow();
  expect(() => new Webhook(newClave().secreto).verify(cuerpo, headers)).toThrow();
});

it('reads the key of a secret as its owner keeps it, and of nothing else', () => {
  const { secreto, clave } = newClave();
  expect(claveOf(secreto)).toEqual(clave);
  for (const wrong of ['', 'whsec_', secreto.slice(6), `${secreto} `, 'whsec_ñ', secreto.replace('=', '')])
    expect(claveOf(wrong)).toBeNull();
});
