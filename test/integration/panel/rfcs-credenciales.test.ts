import { randomBytes } from 'node:crypto';
import { openGuardada } from '@acuse/vault';
import { describe, expect, it } from 'vitest';
import { createAuthority, rsaPair } from '../../../packages/vault/test/authority.ts';
import {
  addRfc,
  type Campos,
  callApi,
  newMiembro,
  type Respuesta,
  useApi,
  usePanel,
  usePersona,
} from './fixtures/panel.ts';
import { archivo, atGate, efirmaDe, forged, generate, hrefRfc, onlyKey, PASSWORD, TITULAR } from './fixtures/rfcs.ts';

const CIEC = 'Secreta-<b>-&-16';
// These tests enter the key each time; the remembered key has a test of its own.
const panel = usePanel({ env: { LLAVE_RECORDADA_SECONDS: '0', PAGOS_DEMOSTRACION: 'true' } });
const ana = usePersona(panel, { saldo: 50 });
const api = useApi(panel);

/** A call of the real API over the same database. */
const call = (key: string, path: string, body: unknown) => callApi(api, key, path, body);
const gate = (key: string) => atGate(key, panel.db, panel.deps.hasher);

async function withKey(persona = ana) {
  const { rfc } = await addRfc(panel.db, persona);
  return { rfc, key: await generate(persona, rfc), pagina: hrefRfc(rfc, '/credenciales') };
}

const send = (pagina: string, what: 'ciec' | 'efirma', campos: Campos) =>
  ana.submit(pagina, `${pagina}/${what}`, campos);

/** What the page says beside a field. */
const faultOf = (answer: Respuesta, id: string) => answer.$(`#${id}-error`).text();

async function rowsOf(rfc: string): Promise<string[]> {
  const rows = await panel.sql<{ tipo: string }>`SELECT k.tipo
    FROM credencial k JOIN contribuyente c ON c.id = k.contribuyente_id WHERE c.rfc = ${rfc} ORDER BY 1`;
  return rows.map(({ tipo }) => tipo);
}

describe('the CIEC', () => {
  it('that is stored here is the one that the API works with, and the RFC is associated with the key', async () => {
    const { rfc, key, pagina } = await withKey();
    const pedido = { rfc, tipo: 'recibidos', desde: '2026-01-01', hasta: '2026-01-31' };
    expect((await call(key, 'tax/descarga-metadata', pedido)).codigo).toBe(1003);
    const answer = await send(pagina, 'ciec', { ciec: CIEC, api_key: key });
    expect([answer.status, answer.location]).toEqual([303, pagina]);
    expect((await ana.get(pagina)).text).toContain('La CIEC quedó guardada. El RFC quedó asociado');
    expect(await call(key, 'tax/descarga-metadata', pedido)).toMatchObject({
      codigo: 1,
      data: { estado: 'EN_PROCESO' },
    });
    const pass = await gate(key);
    if (!pass?.access.ciec) throw new Error('no CIEC');
    const opened = openGuardada(
      'ciec',
      pass.access.ciec,
      { access: pass.access, apiKey: pass.key },
      panel.deps.keyring,
    );
    expect(opened.tipo === 'ciec' && opened.ciec.toString()).toBe(CIEC);
    const rows = await panel.sql`SELECT a.accion, a.actor, a.ip
      FROM auditoria a JOIN contribuyente c ON c.id = a.contribuyente_id
       WHERE c.rfc = ${rfc} AND a.accion IN ('guardar-ciec', 'rfc-registrar') ORDER BY a.id`;
    const who = { actor: `usuario:${ana.usuarioId}`, ip: '127.0.0.1' };
    expect(rows).toEqual([
      { accion: 'guardar-ciec', ...who },
      { accion: 'rfc-registrar', ...who },
    ]);
  });

  it('is refused with its reason when it is too short or the key is not the RFC’s; nothing is stored or sent back', async () => {
    const { rfc, key, pagina } = await withKey();
    const { key: other } = await withKey();
    for (const [ciec, api_key, id, motivo] of [
      ['corta-<b>', key, 'ciec-ciec', '16 caracteres'],
      [CIEC, other, 'ciec-llave', 'no es la API key vigente'],
      [CIEC, forged(key), 'ciec-llave', 'no es la API key vigente'],
      [CIEC, 'acuse_live_nada', 'ciec-llave', '73 caracteres'],
      [CIEC, '', 'ciec-llave', 'Escriba la API key'],
    ] as const) {
      const answer = await send(pagina, 'ciec', { ciec, api_key });
      expect(answer.status).toBe(422);
      expect(faultOf(answer, id)).toContain(motivo);
      expect(answer.text).not.toContain('corta-');
      expect(answer.text).not.toContain('Secreta-');
      expect(answer.text).not.toContain(key);
    }
    expect(await rowsOf(rfc)).toEqual([]);
  });

  it('that the SAT refused is shown as such until it is stored again', async () => {
    const { rfc, key, pagina } = await withKey();
    await send(pagina, 'ciec', { ciec: CIEC, api_key: key });
    await panel.sql`UPDATE credencial k SET rechazada_portal_en = now() FROM contribuyente c
      WHERE c.id = k.contribuyente_id AND c.rfc = ${rfc}`;
    expect((await ana.get(pagina)).text).toContain('No se volverá a intentar con esta');
    await send(pagina, 'ciec', { ciec: CIEC, api_key: key });
    expect((await ana.get(pagina)).text).not.toContain('No se volverá a intentar');
  });
});

describe('the e.firma', () => {
  it('is stored in one go, shown by what its certificate says, and served by the API', async () => {
    const { rfc, key, pagina } = await withKey();
    const { cer, key: llave, noSerie } = efirmaDe(rfc, panel.autoridad);
    expect((await send(pagina, 'efirma', { cer, key: llave, password: PASSWORD, api_key: key })).status).toBe(303);
    const page = await ana.get(pagina);
    const shown = page.$('.contenido').text();
    for (const text of [noSerie, TITULAR, '31 may 2032, 18:00', 'Se borra dentro de']) expect(shown).toContain(text);
    const ends = (await gate(key))?.access.efirmaKey?.expiraEn?.toISOString();
    expect(page.$(`time[datetime="${ends}"]`)).toHaveLength(1);
    expect(page.text).not.toContain(TITULAR);
    const estado = { tiene_cer: true, tiene_key: true, vigente: true };
    expect((await call(key, 'vault/firma-estado', { rfc })).data).toMatchObject(estado);
  });

  it('is taken in two steps too; another certificate drops the key of the one before', async () => {
    const { rfc, key, pagina } = await withKey();
    const first = efirmaDe(rfc, panel.autoridad);
    const early = await send(pagina, 'efirma', { key: first.key, password: PASSWORD, api_key: key });
    expect(faultOf(early, 'efirma-cer')).toContain('Registre primero el certificado');
    await send(pagina, 'efirma', { cer: first.cer, api_key: key });
    expect(await rowsOf(rfc)).toEqual(['efirma_cer']);
    expect((await send(pagina, 'efirma', { key: first.key, password: PASSWORD, api_key: key })).status).toBe(303);
    expect(await rowsOf(rfc)).toEqual(['efirma_cer', 'efirma_key']);
    await send(pagina, 'efirma', { cer: efirmaDe(rfc, panel.autoridad).cer, api_key: key });
    expect(await rowsOf(rfc)).toEqual(['efirma_cer']);
  });

  it('is refused whole when any part of it is wrong, with the reason beside its field', async () => {
    const { rfc, key, pagina } = await withKey();
    const { cer, key: llave } = efirmaDe(rfc, panel.autoridad);
    const foreign = createAuthority({ pair: rsaPair(), from: '2020-01-01', to: '2040-01-01' });
    const of = (options: Parameters<typeof efirmaDe>[2]) => efirmaDe(rfc, panel.autoridad, options).cer;
    const pair = archivo(randomBytes(1_200), 'otra.key');
    const base = { cer, key: llave, password: PASSWORD, api_key: key };
    for (const [campos, id, motivo] of [
      [{ ...base, cer: of({ to: '2025-01-01T00:00:00Z' }) }, 'efirma-cer', 'ya venció'],
      [{ ...base, cer: of({ unit: 'MATRIZ' }) }, 'efirma-cer', 'sello digital'],
      [{ ...base, cer: efirmaDe('XIQB891116QE4', panel.autoridad).cer }, 'efirma-cer', 'otro RFC'],
      [{ ...base, cer: efirmaDe(rfc, foreign).cer }, 'efirma-cer', 'autoridad conocida'],
      [{ ...base, cer: llave }, 'efirma-cer', 'no es un certificado'],
      [{ ...base, key: pair }, 'efirma-key', 'no es una llave privada'],
      [{ ...base, password: 'otra' }, 'efirma-password', 'no abre el .key'],
      [{ ...base, password: '' }, 'efirma-password', 'Escriba la contraseña'],
      [{ api_key: key }, 'efirma-cer', 'Elija el archivo'],
      [{ ...base, api_key: '' }, 'efirma-llave', 'Escriba la API key'],
    ] as const) {
      const answer = await send(pagina, 'efirma', campos);
      expect([motivo, answer.status, faultOf(answer, id)]).toEqual([motivo, 422, expect.stringContaining(motivo)]);
      expect(answer.text).not.toContain(key);
      expect(answer.text).not.toContain('contraseña-Ñ');
    }
    expect(await rowsOf(rfc)).toEqual([]);
  });

  it('sets the solicitudes going that waited for it', async () => {
    const { rfc, key, pagina } = await withKey();
    const efirma = efirmaDe(rfc, panel.autoridad);
    const campos = { key: efirma.key, password: PASSWORD, api_key: key };
    await send(pagina, 'efirma', { ...campos, cer: efirma.cer });
    const { data } = await call(key, 'tax/descarga-metadata', {
      rfc,
      tipo: 'emitidos',
      desde: '2026-01-01',
      hasta: '2026-01-31',
    });
    const id = data['solicitud_id'];
    await panel.sql`UPDATE solicitud SET estado = 'ESPERA_EFIRMA' WHERE id = ${id}`;
    await panel.sql`DELETE FROM credencial_sellada WHERE solicitud_id = ${id}`;
    expect((await ana.get(pagina)).text).toContain('1 solicitud continúa');
    await send(pagina, 'efirma', campos);
    const rows = await panel.sql`SELECT s.estado, c.tipo
      FROM solicitud s JOIN credencial_sellada c ON c.solicitud_id = s.id WHERE s.id = ${id}`;
    expect(rows).toEqual([{ estado: 'EN_PROCESO', tipo: 'efirma' }]);
  });

  it('names the files of a refused form, which a browser without scripts forgets', async () => {
    const { rfc, key, pagina } = await withKey();
    const { cer, key: llave } = efirmaDe(rfc, panel.autoridad);
    const refused = await send(pagina, 'efirma', { cer, key: llave, password: 'otra', api_key: key });
    expect(refused.$('[data-soltar-aviso]').text()).toBe(
      'Elija otra vez firma.cer y firma.key: el navegador no los conserva.',
    );
  });
});

describe('the first credential of an RFC', () => {
  const keysOf = (id: string) => panel.sql`SELECT id FROM api_key WHERE contribuyente_id = ${id}`;

  it('makes its API key, shows it once, and asks for the period on the same page', async () => {
    const { id, rfc } = await addRfc(panel.db, ana);
    const pagina = hrefRfc(rfc, '/credenciales');
    expect((await send(pagina, 'ciec', { ciec: 'corta' })).status).toBe(422);
    expect(await keysOf(id)).toEqual([]);
    const answer = await send(pagina, 'ciec', { ciec: CIEC });
    const key = onlyKey(answer);
    expect(answer.$('form#pedir select[name="rfc"] option[selected]').attr('value')).toBe(rfc);
    expect(await gate(key)).toMatchObject({ estado: 'ACTIVA', access: { rfc, apiKey: { isRegistrada: true } } });
    for (const path of [pagina, hrefRfc(rfc, '/llave'), '/solicitudes/nueva'])
      expect((await ana.get(path)).text).not.toContain(key);
  });

  it('makes none for an e.firma that is refused, and one for an e.firma that is not', async () => {
    const { id, rfc } = await addRfc(panel.db, ana);
    const pagina = hrefRfc(rfc, '/credenciales');
    const { cer, key } = efirmaDe(rfc, panel.autoridad);
    for (const campos of [
      { cer, key, password: 'otra' },
      { key, password: PASSWORD },
    ])
      expect((await send(pagina, 'efirma', campos)).status).toBe(422);
    expect(await keysOf(id)).toEqual([]);
    const made = onlyKey(await send(pagina, 'efirma', { cer, key, password: PASSWORD }));
    expect((await gate(made))?.access.efirmaKey).not.toBeNull();
  });

  it('waits for the key where the role may make none', async () => {
    const { rfc } = await addRfc(panel.db, ana);
    const contador = await newMiembro(panel, ana, 'CONTADOR');
    const pagina = hrefRfc(rfc, '/credenciales');
    const { text } = await contador.get(pagina);
    expect(text).toContain('Primero hace falta la API key');
    expect(text).not.toContain('type="file"');
  });
});

describe('what the pages decide is obeyed by the next call of the API', () => {
  const OPERACION = 'tax/descarga-metadata';
  let mes = 0;
  /** HTTP status and code of an order that no other is like. */
  async function askFor(key: string, rfc: string) {
    mes += 1;
    const [desde, hasta] = ['01', '28'].map((dia) => `2025-${String(mes).padStart(2, '0')}-${dia}`);
    const { status, codigo } = await call(key, OPERACION, { rfc, tipo: 'recibidos', desde, hasta });
    return `${status}/${codigo}`;
  }

  it('answers 1004 without credits, and works when some were bought', async () => {
    const leo = await panel.registrar();
    const { rfc, key, pagina } = await withKey(leo);
    await leo.submit(pagina, `${pagina}/ciec`, { ciec: CIEC, api_key: key });
    expect(await askFor(key, rfc)).toBe('402/1004');
    await leo.pressButton('/saldo/comprar/confirmar?paquete=100&forma=demostracion', 'Comprar');
    expect(await askFor(key, rfc)).toBe('200/1');
  });

  it('answers 1003 for an operation that was switched off, until it is switched on', async () => {
    const { rfc, key } = await withKey();
    const pagina = hrefRfc(rfc, '/operaciones');
    const lookup = async () => (await call(key, 'efos/consultar', { rfc })).codigo;
    const before = await lookup();
    expect(before).not.toBe(1003);
    await ana.pressButton(pagina, 'Desactivar Listas EFOS y EDOS');
    expect(await lookup()).toBe(1003);
    expect((await ana.get(pagina)).text).toContain('«Listas EFOS y EDOS» quedó desactivada');
    await ana.pressButton(pagina, 'Activar Listas EFOS y EDOS');
    expect(await lookup()).toBe(before);
  });

  it('answers 1003 from an address that is not in the list', async () => {
    const { rfc, key } = await withKey();
    const pagina = hrefRfc(rfc, '/direcciones');
    const lookup = async () => (await call(key, 'efos/consultar', { rfc })).codigo;
    const open = await lookup();
    const warned = await ana.pressButton(pagina, 'Guardar', { lista: '203.0.113.0/24' });
    expect([warned.status, await lookup()]).toEqual([422, open]);
    await ana.submit(pagina, pagina, { lista: '203.0.113.0/24', accion: 'sin-mi' });
    expect(await lookup()).toBe(1003);
    await ana.pressButton(pagina, 'Guardar', { lista: '203.0.113.0/24\n127.0.0.0/8' });
    expect(await lookup()).toBe(open);
  });

  it('answers 1002 for a key that was changed or revoked, and to the new one with what was stored for the old', async () => {
    const { rfc, key, pagina } = await withKey();
    await send(pagina, 'ciec', { ciec: CIEC, api_key: key });
    const fresh = await generate(ana, rfc, { anterior: key });
    expect(await askFor(key, rfc)).toBe('401/1002');
    // Without the stored CIEC it would be 4003.
    expect(await askFor(fresh, rfc)).toBe('200/1');
    await ana.pressButton(hrefRfc(rfc, '/llave/revocar'), 'Revocar la llave');
    expect(await askFor(fresh, rfc)).toBe('401/1002');
  });
});
