import { randomUUID } from 'node:crypto';
import { createCuentas } from '@acuse/db';
import { describe, expect, it } from 'vitest';
import { brokenInvariants, saldoDe } from '../fixtures/database.ts';
import { addRfc, callApi, type Persona, signIn, useApi, usePanel, usePersona } from './fixtures/panel.ts';
import { generate, hrefRfc } from './fixtures/rfcs.ts';

const CIEC = 'Secreta-16-letra';
const panel = usePanel();
const operador = usePersona(panel, { rol: 'OPERADOR' });
const apis = [useApi(panel), useApi(panel)];

/** The answers of every instance to the same call: HTTP status, code. */
const callAll = (key: string, path: string, body: unknown) =>
  Promise.all(apis.map((api) => callApi(api, key, path, body).then(({ status, codigo }) => `${status}/${codigo}`)));

const href = ({ cuentaId }: Persona) => `/operador/cuentas/${cuentaId}`;
const order = (persona: Persona, what: string, campos = {}) =>
  operador.submit(href(persona), `${href(persona)}/${what}`, campos);

describe('a suspended account', () => {
  it('answers 403/1003 to every key from the next call on every instance, also where a pass is cached, until it is reopened', async () => {
    const ana = await panel.registrar({ saldo: 50 });
    const { rfc } = await addRfc(panel.db, ana);
    const key = await generate(ana, rfc);
    const credenciales = hrefRfc(rfc, '/credenciales');
    await ana.submit(credenciales, `${credenciales}/ciec`, { ciec: CIEC, api_key: key });
    let mes = 0;
    const askFor = () => {
      mes += 1;
      const [desde, hasta] = ['01', '28'].map((dia) => `2025-${String(mes).padStart(2, '0')}-${dia}`);
      return callAll(key, 'tax/descarga-metadata', { rfc, tipo: 'recibidos', desde, hasta });
    };
    const estado = () => callAll(key, 'vault/firma-estado', { rfc });
    expect([await askFor(), await estado()]).toEqual([
      ['200/1', '200/1'],
      ['200/1', '200/1'],
    ]);
    const antes = await saldoDe(panel, ana);

    expect((await order(ana, 'suspension', { motivo: 'Pago <devuelto>' })).status).toBe(303);
    expect([await askFor(), await estado()]).toEqual([
      ['403/1003', '403/1003'],
      ['403/1003', '403/1003'],
    ]);
    expect(await saldoDe(panel, ana)).toBe(antes);
    // What had been accepted goes on.
    const rows = await panel.sql`SELECT estado FROM solicitud WHERE cuenta_id = ${ana.cuentaId}`;
    expect(rows).toEqual([{ estado: 'EN_PROCESO' }]);
    const inicio = await ana.get('/inicio');
    expect(inicio.$('main .aviso').first().text()).toContain('Pago <devuelto>');

    expect((await order(ana, 'reapertura')).status).toBe(303);
    expect([await askFor(), await estado()]).toEqual([
      ['200/1', '200/1'],
      ['200/1', '200/1'],
    ]);
    expect((await ana.get('/inicio')).text).not.toContain('devuelto');
  });

  it('needs a reason, and is suspended and reopened once however often the order comes', async () => {
    const ana = await panel.registrar();
    for (const motivo of ['  ', 'x'.repeat(201)]) expect((await order(ana, 'suspension', { motivo })).status).toBe(422);
    const control = createCuentas(panel.db);
    const quien = { cuentaId: ana.cuentaId, actor: 'prueba', ip: null };
    const times = Array.from({ length: 6 });
    const suspended = await Promise.all(times.map(() => control.suspend({ ...quien, motivo: 'x' })));
    expect(suspended.filter(Boolean)).toHaveLength(1);
    const reopened = await Promise.all(times.map(() => control.reopen(quien)));
    expect(reopened.filter(Boolean)).toHaveLength(1);
    const rows = await panel.sql`SELECT accion FROM auditoria
      WHERE cuenta_id = ${ana.cuentaId} AND accion LIKE '%-cuenta' ORDER BY id`;
    expect(rows.map(({ accion }) => accion)).toEqual(['suspender-cuenta', 'reabrir-cuenta']);
  });
});

describe('an adjustment of the balance', () => {
  it('is a movement with its reason, made once, and never leaves less than nothing', async () => {
    const ana = await panel.registrar({ saldo: 5 });
    const sent = { ajuste: randomUUID(), creditos: '-3', motivo: 'Se cobró dos veces' };
    const _csrf = await operador.csrf(href(ana));
    for (let times = 0; times < 3; times += 1)
      expect((await operador.post(`${href(ana)}/ajuste`, { ...sent, _csrf })).status).toBe(303);
    expect(await saldoDe(panel, ana)).toBe(2);
    const below = await order(ana, 'ajuste', { creditos: '−3', motivo: 'otra vez' });
    expect(below.status).toBe(422);
    const { $ } = below;
    expect($('#ajuste-creditos-error').text()).toContain('por debajo de cero');
    expect($('#ajuste-motivo').attr('value')).toBe('otra vez');
    for (const creditos of ['0', '', '1.5', 'x', '1000001'])
      expect((await order(ana, 'ajuste', { creditos, motivo: 'x' })).status).toBe(422);
    expect((await order(ana, 'ajuste', { creditos: '10', motivo: ' ' })).status).toBe(422);
    const unnamed = await order(ana, 'ajuste', { ajuste: 'x', creditos: '10', motivo: 'Cortesía' });
    expect(unnamed.status).toBe(422);
    // The form that comes back can be sent again.
    expect(unnamed.$('[name="ajuste"]').attr('value')).toMatch(/^[0-9a-f-]{36}$/);
    expect(unnamed.$('#ajuste-creditos-error').text()).toContain('Envíelo de nuevo');
    expect((await order(ana, 'ajuste', { creditos: '+10', motivo: 'Cortesía' })).status).toBe(303);
    expect(await saldoDe(panel, ana)).toBe(12);
    const libro = await ana.get('/saldo/movimientos');
    for (const motivo of ['Se cobró dos veces', 'Cortesía']) expect(libro.text).toContain(motivo);
    const rows = await panel.sql`SELECT detalle FROM auditoria
      WHERE cuenta_id = ${ana.cuentaId} AND accion = 'ajustar-saldo' ORDER BY id`;
    expect(rows.map(({ detalle }) => detalle)).toEqual([
      { creditos: -3, motivo: 'Se cobró dos veces', saldo: 2 },
      { creditos: 10, motivo: 'Cortesía', saldo: 12 },
    ]);
    expect(await brokenInvariants(panel.db)).toEqual([]);
  });
});

describe('a reset code', () => {
  it('is shown once, works once, is stored as a hash, and only for people of the account', async () => {
    const [ana, otra] = [await panel.registrar(), await panel.registrar()];
    expect((await order(ana, 'codigo', { usuario: otra.usuarioId })).status).toBe(404);
    const page = await order(ana, 'codigo', { usuario: ana.usuarioId });
    const codigo = page.$('.copiar code').last().text();
    expect(codigo).toMatch(/^[\w-]{43}$/);
    const rows = await panel.sql<{
      row: string;
      left: number;
    }>`SELECT c::text AS row, extract(epoch FROM vence_en - now())::integer AS left FROM codigo_acceso c WHERE usuario_id = ${ana.usuarioId}`;
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(codigo);
    expect(rows[0]?.left).toBeLessThanOrEqual(3_600);
    expect((await operador.get(href(ana))).text).not.toContain(codigo);

    const password = `otra clave ${randomUUID()}`;
    const redeem = () =>
      panel.newCliente().submit(`/restablecer?codigo=${codigo}`, '/restablecer', { codigo, password });
    expect((await redeem()).status).toBe(303);
    expect((await redeem()).status).toBe(422);
    expect((await ana.get('/inicio')).location).toMatch(/^\/entrar/);
    await signIn(panel.newCliente(), ana.email, password);
  });
});
