import { OPERACIONES, parseRfc } from '@acuse/contract';
import { describe, expect, it } from 'vitest';
import { newRfc } from '../fixtures/database.ts';
import { addRfc, type Persona, type Respuesta, textsOf, usePanel, usePersona } from './fixtures/panel.ts';
import { generate, hrefRfc } from './fixtures/rfcs.ts';

const panel = usePanel();
const ana = usePersona(panel);

const audit = async (rfc: string, accion: string) => {
  const rows = await panel.sql<{ detalle: unknown; actor: string }>`SELECT detalle, actor
    FROM auditoria a JOIN contribuyente c ON c.id = a.contribuyente_id WHERE c.rfc = ${rfc} AND accion = ${accion}`;
  return rows;
};

describe('another account', () => {
  it('may have the same RFC, with a key of its own', async () => {
    const rfc = newRfc();
    const eve = await panel.registrar();
    await addRfc(panel.db, ana, rfc);
    await addRfc(panel.db, eve, rfc);
    expect(await generate(ana, rfc)).not.toBe(await generate(eve, rfc));
    await eve.submit(hrefRfc(rfc), hrefRfc(rfc), { id_cif: '15020034567' });
    expect((await ana.get(hrefRfc(rfc))).text).not.toContain('15020034567');
    expect((await eve.get(hrefRfc(rfc))).text).toContain('15020034567');
  });
});

describe('the name of a taxpayer', () => {
  it('is typed in when it is added or later, stays after an error, and is searched for as the RFC is', async () => {
    const leo = await panel.registrar();
    const [una, otra] = [newRfc(), newRfc()];
    const sent = { rfc: una, confirmado: una, nombre: '  Panadería  <La> Espiga ', id_cif: '12' };
    const wrong = await leo.submit('/rfcs/nuevo', '/rfcs/nuevo', sent);
    expect(wrong.status).toBe(422);
    expect(wrong.$('#campo-nombre').attr('value')).toBe(sent.nombre);
    await leo.submit('/rfcs/nuevo', '/rfcs/nuevo', { ...sent, id_cif: '' });
    await addRfc(panel.db, leo, otra);
    const found = async (q: string) => (await leo.get(`/rfcs?q=${encodeURIComponent(q)}`)).main;
    expect(await found('espiga')).toContain('Panadería <La> Espiga');
    expect(await found('panadería')).not.toContain(otra);
    expect(await found('nadie')).toContain('Ningún RFC coincide');
    await leo.submit(hrefRfc(otra), hrefRfc(otra), { nombre: 'Taller Norte' });
    expect(await audit(otra, 'nombrar-rfc')).toMatchObject([{ detalle: { nombre: 'Taller Norte' } }]);
    expect(await found('taller')).toContain(otra);
    await leo.submit(hrefRfc(otra), hrefRfc(otra), { nombre: '' });
    expect(await found('taller')).toContain('Ningún RFC coincide');
  });
});

describe('adding an RFC', () => {
  const add = (persona: Persona, campos: Record<string, string>) =>
    persona.submit('/rfcs/nuevo', '/rfcs/nuevo', campos);

  it('takes it however it is typed, with its idCIF, and leads to the key', async () => {
    const answer = await add(ana, { rfc: ' eku9003173c9 ', id_cif: '1502 0034 567' });
    expect(answer.location).toBe('/rfcs/EKU9003173C9/credenciales');
    const page = await ana.get('/rfcs/EKU9003173C9');
    expect(page.$('input[name="id_cif"]').attr('value')).toBe('15020034567');
    expect(await audit('EKU9003173C9', 'agregar-rfc')).toMatchObject([{ actor: `usuario:${ana.usuarioId}` }]);
    const again = await add(ana, { rfc: 'EKU9003173C9' });
    expect(again.location).toBe('/rfcs/EKU9003173C9');
  });

  it('asks once about a last character that the rule does not give, and then takes it', async () => {
    const rfc = 'OÑ&120726RX1';
    expect(parseRfc(rfc)).toBe(rfc);
    const asked = await add(ana, { rfc });
    expect([asked.status, asked.text.includes('Revise el último carácter')]).toEqual([422, true]);
    expect((await ana.get(hrefRfc(rfc))).status).toBe(404);
    expect((await add(ana, { rfc, confirmado: 'EKU9003173C9' })).status).toBe(422);
    const confirmed = await add(ana, { rfc, confirmado: rfc });
    expect(confirmed.location).toBe(hrefRfc(rfc, '/credenciales'));
    expect((await ana.get(hrefRfc(rfc))).status).toBe(200);
    expect((await ana.get('/rfcs')).text).toContain(encodeURIComponent(rfc));
  });

  it.each([
    ['', /Escriba el RFC/],
    ['ACU200101', /Faltan caracteres/],
    ['ACU200101DB12X', /Sobran/],
    ['ACU-200101-AB1', /sin espacios/],
    ['1CU200101AB1', /3 letras/],
    ['ACU201301AB1', /fecha real/],
    ['ACU200101AB*', /homoclave/],
    ['"><script>', /Faltan/],
  ])('says what is wrong with %s', async (rfc, motivo) => {
    const answer = await add(ana, { rfc, id_cif: '12' });
    expect(answer.status).toBe(422);
    const { $ } = answer;
    expect($('#campo-rfc-error').text()).toMatch(motivo);
    expect($('#campo-id_cif-error').text()).toMatch(/11 dígitos/);
    expect($('#campo-rfc').attr('value')).toBe(rfc);
    expect(answer.text).not.toContain('"><script>');
  });
});

describe('the list', () => {
  it('is empty with a next step, then pages and searches', async () => {
    const persona = await panel.registrar();
    expect((await persona.get('/rfcs')).text).toContain('Agregar el primer RFC');
    const all = Array.from({ length: 28 }, () => newRfc()).sort();
    for (const rfc of all) await addRfc(panel.db, persona, rfc);
    const shown = async (path: string) => {
      const { $ } = await persona.get(path);
      const rfcs = textsOf($, 'tbody th a').map((text) => text.trim());
      return { rfcs, next: $('nav.paginacion a').last().attr('href') };
    };
    const first = await shown('/rfcs');
    expect(first.rfcs).toEqual(all.slice(0, 25));
    expect((await shown(first.next ?? '')).rfcs).toEqual(all.slice(25));
    expect((await shown(`/rfcs?q=${(all[7] ?? '').toLowerCase()}`)).rfcs).toEqual([all[7]]);
  });
});

describe('operations', () => {
  it('lists each operation of the API and keeps what was switched, noted once', async () => {
    const { rfc } = await addRfc(panel.db, ana);
    const pagina = hrefRfc(rfc, '/operaciones');
    const { $ } = await ana.get(pagina);
    expect($('tbody tr')).toHaveLength(OPERACIONES.length);
    for (const { path, resumen } of OPERACIONES) {
      expect($('tbody').text()).toContain(path);
      expect($('tbody').text()).toContain(resumen);
    }
    const _csrf = await ana.csrf(pagina);
    const off = { _csrf, operacion: 'tax/facturas', estado: 'desactivada' };
    await ana.post(pagina, off);
    await ana.post(pagina, off);
    const rows = await panel.sql`SELECT operacion
      FROM operacion_deshabilitada o JOIN contribuyente c ON c.id = o.contribuyente_id WHERE c.rfc = ${rfc}`;
    expect(rows).toEqual([{ operacion: 'tax/facturas' }]);
    expect(await audit(rfc, 'deshabilitar-operacion')).toEqual([
      { actor: `usuario:${ana.usuarioId}`, detalle: { operacion: 'tax/facturas' } },
    ]);
    await ana.post(pagina, { _csrf, operacion: 'tax/nada', estado: 'desactivada' });
    await ana.post(pagina, { ...off, estado: 'otra' });
    expect((await ana.get(hrefRfc(rfc))).text).toContain('1 desactivada ');

    const grupo = { _csrf, grupo: 'tax', estado: 'desactivada' };
    await ana.post(pagina, grupo);
    await ana.post(pagina, grupo);
    const inGroup = OPERACIONES.filter(({ path }) => path.startsWith('tax/')).length;
    const switched = await panel.db.pool.query(
      'SELECT FROM operacion_deshabilitada o JOIN contribuyente c ON c.id = o.contribuyente_id WHERE c.rfc = $1',
      [rfc],
    );
    expect(switched.rowCount).toBe(inGroup);
    expect(await audit(rfc, 'deshabilitar-operacion')).toHaveLength(inGroup);
    await ana.post(pagina, { _csrf, grupo: 'nada', estado: 'desactivada' });
    await ana.post(pagina, { ...grupo, estado: 'activada' });
    expect((await ana.abrir(pagina)).text).toContain('quedaron activadas');
    expect((await ana.get(hrefRfc(rfc))).text).not.toContain('desactivada');
    expect(await audit(rfc, 'habilitar-operacion')).toHaveLength(inGroup);
  });
});

describe('addresses', () => {
  const saved = async (rfc: string) => {
    const rows = await panel.sql<{ cidr: string }>`SELECT cidr
      FROM ip_permitida i JOIN contribuyente c ON c.id = i.contribuyente_id WHERE c.rfc = ${rfc} ORDER BY 1`;
    return rows.map(({ cidr }) => cidr);
  };
  const listOf = ({ $ }: Respuesta) => $('textarea').val();

  it('warns before one’s own is locked out, and does it when told so', async () => {
    const { rfc } = await addRfc(panel.db, ana);
    const pagina = hrefRfc(rfc, '/direcciones');
    const asked = await ana.submit(pagina, pagina, { lista: '203.0.113.7', accion: 'guardar' });
    expect([asked.status, await saved(rfc)]).toEqual([422, []]);
    expect(asked.text).toContain('Se quedaría fuera de la lista');
    expect(listOf(asked)).toBe('203.0.113.7');
    await ana.submit(pagina, pagina, { lista: '203.0.113.7', accion: 'sin-mi' });
    expect(await saved(rfc)).toEqual(['203.0.113.7/32']);
    expect(await audit(rfc, 'cambiar-ips')).toMatchObject([{ detalle: { cidrs: ['203.0.113.7/32'] } }]);
  });

  it('adds one’s own to what is typed, once, and saves nothing before it is asked to', async () => {
    const { rfc } = await addRfc(panel.db, ana);
    const pagina = hrefRfc(rfc, '/direcciones');
    const mine = await ana.submit(pagina, pagina, { lista: '203.0.113.7', accion: 'mia' });
    expect([mine.status, listOf(mine)]).toEqual([200, '203.0.113.7\n127.0.0.1']);
    expect(await saved(rfc)).toEqual([]);
    const twice = await ana.submit(pagina, pagina, { lista: '127.0.0.0/8', accion: 'mia' });
    expect(listOf(twice)).toBe('127.0.0.0/8');
    await ana.submit(pagina, pagina, { lista: '203.0.113.7\n127.0.0.1', accion: 'guardar' });
    expect(await saved(rfc)).toEqual(['127.0.0.1/32', '203.0.113.7/32']);
    await ana.submit(pagina, pagina, { lista: '', accion: 'guardar' });
    expect(await saved(rfc)).toEqual([]);
    expect((await ana.get(pagina)).text).toContain('desde cualquier dirección');
  });

  it('keeps a list whole, however many blanks are in it', async () => {
    const { rfc } = await addRfc(panel.db, ana);
    const pagina = hrefRfc(rfc, '/direcciones');
    const lista = `127.0.0.1${' '.repeat(19_990 - '127.0.0.1'.length)}203.0.113.117`;
    await ana.submit(pagina, pagina, { lista, accion: 'guardar' });
    expect(await saved(rfc)).toEqual(['127.0.0.1/32', '203.0.113.117/32']);
  });

  it('explains what cannot be read, keeps the text, and saves nothing of it', async () => {
    const { rfc } = await addRfc(panel.db, ana);
    const pagina = hrefRfc(rfc, '/direcciones');
    const lista = '127.0.0.1\n300.1.1.1\n<script>alert(1)</script>';
    const answer = await ana.submit(pagina, pagina, { lista, accion: 'guardar' });
    expect([answer.status, listOf(answer), await saved(rfc)]).toEqual([422, lista, []]);
    expect(answer.$('[role="alert"]').text()).toContain('«300.1.1.1»: cada número');
    expect(answer.text).not.toContain('<script>alert');
  });
});
