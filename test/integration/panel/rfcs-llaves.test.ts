import { createAccessSnapshots, createLlaves } from '@acuse/db';
import { openGuardada } from '@acuse/vault';
import { describe, expect, it } from 'vitest';
import { acceptSolicitud, brokenInvariants, newLlave, newRfc } from '../fixtures/database.ts';
import { addRfc, type Persona, presetOf, usePanel, usePersona } from './fixtures/panel.ts';
import { atGate, efirmaDe, forged, generate, hrefRfc, keysIn, onlyKey, PASSWORD, parsed } from './fixtures/rfcs.ts';

const CIEC = 'Secreta-CIEC-016';
// These tests enter the key each time; the remembered key has a test of its own.
const panel = usePanel({ env: { LLAVE_RECORDADA_SECONDS: '0' } });
const ana = usePersona(panel, { saldo: 50 });

const gate = (key: string) => atGate(key, panel.db, panel.deps.hasher);
const newRfcOf = async (persona: Persona) => (await addRfc(panel.db, persona)).rfc;
const paginaLlave = (rfc: string) => hrefRfc(rfc, '/llave');

/** A key whose last character is another one. */
const mistyped = (key: string) => key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x');

/** An RFC with a key and all credentials stored by the pages. */
async function equipped() {
  const rfc = await newRfcOf(ana);
  const key = await generate(ana, rfc);
  const efirma = efirmaDe(rfc, panel.autoridad);
  const credenciales = hrefRfc(rfc, '/credenciales');
  await ana.submit(credenciales, `${credenciales}/ciec`, { ciec: CIEC, api_key: key });
  const { cer, key: llave } = efirma;
  const campos = { cer, key: llave, password: PASSWORD, api_key: key };
  expect((await ana.submit(credenciales, `${credenciales}/efirma`, campos)).status).toBe(303);
  return { rfc, key, efirma };
}

async function solicitudOf(key: string, more: Parameters<typeof acceptSolicitud>[2] = {}) {
  const access = await createAccessSnapshots(panel.db).load(parsed(key).keyId);
  if (!access) throw new Error('no pass');
  const { cuentaId, contribuyenteId, rfc } = access;
  return acceptSolicitud(panel.db, { cuentaId, contribuyenteId, rfc, apiKeyId: access.apiKey.id }, more);
}

describe('a new key', () => {
  it('works at once, and is shown once: no cache keeps it, and a reload neither shows it nor makes another', async () => {
    const rfc = await newRfcOf(ana);
    const campos = presetOf((await ana.get(paginaLlave(rfc))).$(`form[action="${paginaLlave(rfc)}"]`));
    const answer = await ana.post(paginaLlave(rfc), campos);
    const key = onlyKey(answer);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(key).toMatch(/^acuse_test_/);
    expect(await gate(key)).toMatchObject({ estado: 'ACTIVA', access: { rfc, cuentaId: ana.cuentaId } });

    const again = await ana.post(paginaLlave(rfc), campos);
    expect([again.status, again.location]).toEqual([303, paginaLlave(rfc)]);
    expect(await gate(key)).toMatchObject({ estado: 'ACTIVA' });
    const secret = key.slice('acuse_test_'.length + 13);
    for (const path of ['/rfcs', hrefRfc(rfc), paginaLlave(rfc), hrefRfc(rfc, '/credenciales')]) {
      const { text } = await ana.get(path);
      expect([path, keysIn(text), text.includes(secret)]).toEqual([path, [], false]);
    }
  });

  it('is a test key before a simulator, whatever the form says, and a live one before the SAT; the page says why', async () => {
    const rfc = await newRfcOf(ana);
    expect((await ana.get(paginaLlave(rfc))).text).toContain('esta instalación consulta un simulador del SAT');
    expect(await generate(ana, rfc, { modo: 'live' })).toMatch(/^acuse_test_/);

    const real = await panel.another({ env: { SAT_BASE_URL: '' } });
    const beto = await real.registrar();
    const other = await newRfcOf(beto);
    const page = await beto.get(paginaLlave(other));
    expect(page.text).toContain('lo que se pide con ella se pide al SAT');
    expect(await generate(beto, other, { modo: 'test' })).toMatch(/^acuse_live_/);
  });

  it('is of either mode where test keys have a simulator beside the SAT, and takes nothing stored from one to the other', async () => {
    const both = await panel.another({ env: { SAT_BASE_URL: '', SAT_PRUEBAS_URL: 'http://127.0.0.1:9' } });
    const beto = await both.registrar();
    const rfc = await newRfcOf(beto);
    expect((await beto.get(paginaLlave(rfc))).text).toContain('De pruebas: acuse_test_');
    const test = await generate(beto, rfc, { modo: 'test' });
    expect(test).toMatch(/^acuse_test_/);
    const credenciales = hrefRfc(rfc, '/credenciales');
    const stored = await beto.submit(credenciales, `${credenciales}/ciec`, { ciec: CIEC, api_key: test });
    expect(stored.status).toBe(303);

    const change = (campos: object) => beto.submit(paginaLlave(rfc), paginaLlave(rfc), { modo: 'live', ...campos });
    const refused = await change({ anterior: test });
    expect([refused.status, refused.text.includes('no pasa de producción a pruebas')]).toEqual([422, true]);
    expect(await atGate(test, panel.db, both.deps.hasher)).toMatchObject({ estado: 'ACTIVA' });
    expect(onlyKey(await change({ anterior: test, perder: 'si' }))).toMatch(/^acuse_live_/);
    const rows =
      await panel.sql`SELECT FROM credencial d JOIN contribuyente c ON c.id = d.contribuyente_id WHERE c.rfc = ${rfc}`;
    expect(rows).toEqual([]);
  });

  it('is one, however often its form is sent at once', async () => {
    const rfc = await newRfcOf(ana);
    const csrf = await ana.csrf(paginaLlave(rfc));
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => ana.post(paginaLlave(rfc), { _csrf: csrf, vigente: '' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(5);
    const rows = await panel.sql`SELECT estado FROM api_key k JOIN contribuyente c ON c.id = k.contribuyente_id
      WHERE c.rfc = ${rfc}`;
    expect(rows).toEqual([{ estado: 'ACTIVA' }]);
  });

  it('kills the one before at once; running solicitudes go on', async () => {
    const rfc = await newRfcOf(ana);
    const first = await generate(ana, rfc);
    expect((await solicitudOf(first)).resultado).toBe('ACEPTADA');
    const page = await ana.get(paginaLlave(rfc));
    expect(page.text).toContain('deja de servir de inmediato');
    expect(page.text).toContain('1 solicitud en curso sigue');
    const second = await generate(ana, rfc);
    expect(await gate(first)).toMatchObject({ estado: 'REEMPLAZADA' });
    expect(await gate(second)).toMatchObject({ estado: 'ACTIVA' });
    const rows = await panel.sql`SELECT estado FROM solicitud WHERE rfc = ${rfc}`;
    expect(rows).toEqual([{ estado: 'EN_PROCESO' }]);
    expect((await ana.get(paginaLlave(rfc))).text).toContain('Reemplazada');
  });

  it('is noted in the audit log with its author, address and the key that it replaces', async () => {
    const rfc = await newRfcOf(ana);
    const first = await generate(ana, rfc);
    await generate(ana, rfc);
    const rows =
      await panel.sql`SELECT actor, ip, detalle->>'anterior' AS anterior FROM auditoria a JOIN contribuyente c ON c.id = a.contribuyente_id
      WHERE c.rfc = ${rfc} AND accion = 'generar-llave' ORDER BY a.id`;
    const de = { actor: `usuario:${ana.usuarioId}`, ip: '127.0.0.1' };
    const [, id = ''] = /^acuse_test_(\w{12})/.exec(first) ?? [];
    expect(rows).toEqual([
      { ...de, anterior: null },
      { ...de, anterior: id },
    ]);
  });
});

describe('what was stored under the key before', () => {
  it('opens under the new key only, when the old one is typed in', async () => {
    const { rfc, key: old } = await equipped();
    await panel.sql`UPDATE credencial c SET rechazada_portal_en = '2026-01-02T03:04:05Z' FROM contribuyente t
      WHERE t.id = c.contribuyente_id AND t.rfc = ${rfc} AND c.tipo = 'ciec'`;
    const before = await gate(old);
    expect((await ana.get(paginaLlave(rfc))).text).toContain('la CIEC, el certificado de la e.firma, la llave privada');
    const fresh = await generate(ana, rfc, { anterior: ` ${old} ` });
    const after = await gate(fresh);
    if (!before || !after) throw new Error('a key does not pass');
    const { keyring } = panel.deps;
    for (const [tipo, name] of [
      ['ciec', 'ciec'],
      ['efirma', 'efirmaCer'],
      ['efirma', 'efirmaKey'],
    ] as const) {
      const [was, is] = [before.access[name], after.access[name]];
      if (!was || !is) throw new Error(`${name} is not stored`);
      const opened = openGuardada(tipo, is, { access: after.access, apiKey: after.key }, keyring);
      expect(opened).toEqual(openGuardada(tipo, was, { access: before.access, apiKey: before.key }, keyring));
      const underOld = { access: after.access, apiKey: { ...before.key } };
      expect(() => openGuardada(tipo, is, underOld, keyring)).toThrow('cannot be opened');
      expect(() => openGuardada(tipo, { ...is, apiKeyId: was.apiKeyId }, underOld, keyring)).toThrow();
      const { id, noSerie, titular, vigenteHasta, expiraEn, rechazadaEn } = was;
      expect(is).toMatchObject({ id, noSerie, titular, vigenteHasta, expiraEn, rechazadaEn });
    }
    expect(after.access.ciec?.rechazadaEn.portal).toEqual(new Date('2026-01-02T03:04:05Z'));
    expect(after.access.apiKey.isRegistrada).toBe(true);
  });

  it('is not lost by a wrong key, nor without saying so', async () => {
    const { rfc, key } = await equipped();
    const other = await generate(ana, await newRfcOf(ana));
    const stranger = await panel.registrar();
    const foreign = await generate(stranger, await newRfcOf(stranger));
    for (const anterior of [other, foreign, forged(key), mistyped(key), 'nada', '']) {
      const answer = await ana.submit(paginaLlave(rfc), paginaLlave(rfc), { anterior });
      expect([anterior, answer.status, keysIn(answer.text)]).toEqual([anterior, 422, []]);
    }
    const pass = await gate(key);
    expect([pass?.estado, pass?.access.ciec !== null, pass?.access.efirmaKey !== null]).toEqual(['ACTIVA', true, true]);
    const fresh = await generate(ana, rfc, { perder: 'si' });
    expect((await gate(fresh))?.access).toMatchObject({ ciec: null, efirmaCer: null, efirmaKey: null });
    const rows = await panel.sql`SELECT 1 FROM credencial k JOIN contribuyente c ON c.id = k.contribuyente_id
      WHERE c.rfc = ${rfc}`;
    expect(rows).toEqual([]);
  });

  it('is told apart when a part of it does not open: that part goes, the rest stays', async () => {
    const { rfc, key } = await equipped();
    await panel.sql`DELETE FROM efirma_shred s USING credencial k, contribuyente c
      WHERE s.credencial_id = k.id AND k.contribuyente_id = c.id AND c.rfc = ${rfc}`;
    const answer = await ana.submit(paginaLlave(rfc), paginaLlave(rfc), { anterior: key });
    expect(answer.text).toContain('Ya no se pudo abrir');
    const pass = await gate(onlyKey(answer));
    expect(pass?.access).toMatchObject({ ciec: {}, efirmaCer: {}, efirmaKey: null });
  });

  it('stays with its key when the new one cannot be activated', async () => {
    const { key } = await equipped();
    const pass = await gate(key);
    if (!pass) throw new Error('the key does not pass');
    const relevo = {
      anterior: key.slice(11, 23),
      reseal: () => {
        throw new Error('sealing failed');
      },
    };
    const llave = newLlave();
    const { contribuyenteId } = pass.access;
    await expect(
      createLlaves(panel.db).activate({ contribuyenteId, llave, relevo, actor: 'prueba', ip: null }),
    ).rejects.toThrow('sealing failed');
    expect((await gate(key))?.estado).toBe('ACTIVA');
    expect((await gate(key))?.access.ciec).not.toBeNull();
  });
});

describe('revoking', () => {
  it('says how many solicitudes end, ends them with refund, and the key answers no more', async () => {
    const { rfc, key } = await equipped();
    await solicitudOf(key);
    await solicitudOf(key, { tipo: 'emitidos' });
    const revoke = hrefRfc(rfc, '/llave/revocar');
    const page = await ana.get(revoke);
    expect(page.text).toContain('2 solicitudes en curso terminan');
    const answer = await ana.submit(revoke, revoke);
    expect(answer.location).toBe(paginaLlave(rfc));
    expect((await ana.get(paginaLlave(rfc))).text).toContain('2 solicitudes terminaron con reembolso');
    expect(await gate(key)).toMatchObject({ estado: 'REVOCADA', access: { ciec: null, efirmaKey: null } });
    const rows = await panel.sql`SELECT s.estado, s.motivo, count(m.*)::int AS reembolsos FROM solicitud s
       LEFT JOIN movimiento m ON m.op_id = s.id AND m.tipo = 'reembolso' WHERE s.rfc = ${rfc} GROUP BY s.id`;
    const ended = { estado: 'ERROR', motivo: 'API_KEY_REVOCADA', reembolsos: 1 };
    expect(rows).toEqual([ended, ended]);
    expect(await brokenInvariants(panel.db)).toEqual([]);
  });

  it('touches only the key that the page told about', async () => {
    const rfc = await newRfcOf(ana);
    await generate(ana, rfc);
    const revoke = hrefRfc(rfc, '/llave/revocar');
    const csrf = await ana.csrf(revoke);
    const second = await generate(ana, rfc);
    for (const llave of ['', 'AAAAAAAAAAAA']) expect((await ana.post(revoke, { _csrf: csrf, llave })).status).toBe(303);
    expect((await gate(second))?.estado).toBe('ACTIVA');
  });
});

it('shows age and last use, and reminds after 90 days', async () => {
  const rfc = newRfc();
  await addRfc(panel.db, ana, rfc);
  const key = await generate(ana, rfc);
  const id = parsed(key).keyId;
  expect((await ana.get(paginaLlave(rfc))).text).toContain('Nunca se ha usado');
  const at = new Date(Date.now() - 5 * 60_000 - 1_000);
  await createAccessSnapshots(panel.db).noteUse([{ apiKeyId: id, at, ip: '203.0.113.77' }]);
  const age = (days: number) =>
    panel.sql`UPDATE api_key SET creada_en = now() - make_interval(days => ${days}) WHERE id = ${id}`;
  await age(89);
  const young = await ana.get(paginaLlave(rfc));
  expect(young.text).toContain('203.0.113.77');
  expect(young.text).not.toContain('Se recomienda cambiarla');
  await age(90);
  expect((await ana.get(paginaLlave(rfc))).text).toContain('Esta llave tiene 90 días');
  expect((await ana.get(`/rfcs?q=${encodeURIComponent(rfc)}`)).text).toContain('90 días: conviene cambiarla');
});
