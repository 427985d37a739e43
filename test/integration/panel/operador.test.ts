import { randomUUID } from 'node:crypto';
import { SatError } from '@acuse/core';
import { createCaptchas, createLibro, createPagos } from '@acuse/db';
import { CLAVES_LISTADO, type ClaveListado, type FilaListado, LISTADOS } from '@acuse/listas';
import { createCargaListado, createListaEdos } from '@acuse/listas/db';
import { describe, expect, it } from 'vitest';
import { RUTAS } from '../../../apps/panel/src/rutas.ts';
import { acceptSolicitud, brokenInvariants, saldoDe, seedTaxpayer } from '../fixtures/database.ts';
import { abrirListado, type FakeList, filasListado } from '../listas/lista-fingida.ts';
import { newPago } from './fixtures/pagos.ts';
import { addRfc, attributesOf, type Campos, type Respuesta, textsOf, usePanel, usePersona } from './fixtures/panel.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const RUTAS_OPERADOR = RUTAS.filter(({ acceso }) => acceso === 'operador');
const autor = { actor: 'prueba', ip: null };
const HOSTILE = '<script>alert(1)</script>';

const panel = usePanel();
const operador = usePersona(panel, { rol: 'OPERADOR' });
const cliente = usePersona(panel, { nombre: HOSTILE });

const newCaptcha = () => createCaptchas(panel.db).ask(PIXEL, 600_000);
const audited = async (accion: string) =>
  (
    await panel.sql`SELECT actor, detalle, cuenta_id FROM auditoria WHERE accion = ${accion} ORDER BY id DESC LIMIT 1`
  )[0];

describe('the pages of the operator', () => {
  it('do not exist for a client: the same page as for an address that is none, whatever the id', async () => {
    const ids = [cliente.cuentaId, operador.cuentaId, randomUUID()];
    const { id: pago } = await newPago(panel.db, cliente.cuentaId);
    const token = await cliente.csrf('/no-existe');
    const same = (text: string) => text.replace(/nonce="[^"]*"/g, '').replace(/value="[^"]{20,}"/g, '');
    const missing = await cliente.get('/no-existe');
    expect(missing.status).toBe(404);
    expect(RUTAS_OPERADOR.length).toBeGreaterThan(10);
    for (const { metodo, path } of RUTAS_OPERADOR)
      for (const id of path.includes(':id') ? [...ids, pago] : ['']) {
        const address = path.replace(':id', id);
        const answer = metodo === 'GET' ? await cliente.get(address) : await cliente.post(address, { _csrf: token });
        expect([address, answer.status]).toEqual([address, 404]);
        expect(same(answer.text)).toBe(same(missing.text));
      }
    expect((await createPagos(panel.db).findAny(pago))?.estado).toBe('PENDIENTE');
  });

  it('show what is there, and treat it as text', async () => {
    const { db } = panel;
    await addRfc(db, cliente);
    const taxpayer = await seedTaxpayer(db, { saldo: 3 });
    const id = await late(taxpayer);
    await newCaptcha();
    await newPago(panel.db, cliente.cuentaId);
    const pages = RUTAS_OPERADOR.filter(({ metodo }) => metodo === 'GET').map(({ path }) =>
      path.replace(':id', cliente.cuentaId),
    );
    const seen = new Map<string, Respuesta>();
    for (const path of pages) {
      const page = await operador.get(path);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.text).not.toContain(HOSTILE);
      expect(page.$('h1')).toHaveLength(1);
      seen.set(path, page);
    }
    expect(seen.get('/operador')?.text).toContain(id);
    expect(seen.get('/operador')?.text).toContain('Ningún proceso ha dado señales');
    expect(seen.get('/operador/cuentas')?.text).toContain(cliente.email);
    expect(seen.get('/operador/captchas')?.$('img').attr('src')).toBe(
      `data:image/png;base64,${PIXEL.toString('base64')}`,
    );
    expect((await operador.get(`/operador/cuentas?q=${taxpayer.rfc.toLowerCase()}`)).text).not.toContain(cliente.email);
  });

  it('have no page for an invalid id, as for an unknown one', async () => {
    const _csrf = await operador.csrf('/operador');
    const campos = { _csrf, texto: 'AB12', creditos: '7', referencia: randomUUID(), motivo: 'x' };
    const named = RUTAS_OPERADOR.filter(({ path }) => path.includes(':'));
    expect(named).toHaveLength(9);
    for (const { metodo, path } of named)
      for (const id of ['x', "'", '1', randomUUID().toUpperCase(), randomUUID()]) {
        const at = path.replace(':id', encodeURIComponent(id));
        const answer = metodo === 'GET' ? await operador.get(at) : await operador.post(at, campos);
        // A captcha lives for minutes: answering an expired one is no mistake.
        const isGone = path === '/operador/captchas/:id' && id.length === 36;
        expect([metodo, at, answer.status]).toEqual([metodo, at, isGone ? 303 : 404]);
      }
  });

  /** A solicitud that has been due for a minute and that no worker has claimed. */
  async function late(taxpayer: Awaited<ReturnType<typeof seedTaxpayer>>) {
    await acceptSolicitud(panel.db, taxpayer);
    const rows = await panel.sql<{ id: string }>`
      WITH antigua AS (
        UPDATE solicitud SET due_at = now() - interval '1 minute' WHERE contribuyente_id = ${taxpayer.contribuyenteId} RETURNING id, due_at
      )
      UPDATE outbox o SET due_at = a.due_at FROM antigua a WHERE o.solicitud_id = a.id RETURNING a.id`;
    return rows[0]?.id ?? '';
  }
});

describe('the lists of the SAT', { shuffle: false }, () => {
  const load = (clave: Exclude<ClaveListado, '69-b'>, fakeList: FakeList<FilaListado> = {}) =>
    createCargaListado(panel.db, clave).loadList(
      { abrir: abrirListado({ filas: filasListado('a', 10), ...fakeList }), minFilas: 1 },
      AbortSignal.timeout(60_000),
    );
  const rows = async () =>
    textsOf((await operador.get('/operador/listas')).$, '[aria-label="Todas las que se conocen"] tbody tr').map((row) =>
      row.replace(/\s+/g, ' ').trim(),
    );
  const rowOf = async (clave: ClaveListado) => (await rows())[CLAVES_LISTADO.indexOf(clave)];
  const notice = async () => (await operador.get('/operador')).$('.aviso').first().text();

  it('are all shown, with what was refused and why, in words', async () => {
    const all = await rows();
    expect(all).toHaveLength(CLAVES_LISTADO.length);
    for (const [at, clave] of CLAVES_LISTADO.entries()) expect(all[at]).toContain(LISTADOS[clave].nombre);
    expect(await rowOf('condonados-21')).toMatch(/—\s?—\s?No está\s?No se busca$/);
    expect(await notice()).not.toContain('del SAT sin');

    await load('firmes', { corte: '2026-07-30' });
    expect(await rowOf('firmes')).toMatch(/2026-07-30\s?10\s?\d.*Cargada/);
    await expect(load('firmes', { corte: '2026-08-30', filas: filasListado('b', 3) })).rejects.toThrow('MENGUADA');
    const moved = new SatError('SERVICIO_CON_ERROR', { codigo: 'HTTP 404' });
    await expect(load('cancelados', { failure: moved })).rejects.toThrow('404');
    await expect(load('exigibles', { failure: new Error(HOSTILE) })).rejects.toThrow();
    expect(await rowOf('firmes')).toMatch(/2026-07-30.*No se pudo.*menos renglones de los que debe.*se esperaban/);
    expect(await rowOf('cancelados')).toMatch(/No está.*No se pudo.*la lista se movió.*HTTP 404/);
    expect(await rowOf('exigibles')).toMatch(/Falló de nuestro lado/);
    const said = await notice();
    expect(said).toContain('3 listas del SAT sin actualizar la última vez');
    for (const clave of ['firmes', 'cancelados', 'exigibles'] as const) expect(said).toContain(LISTADOS[clave].nombre);
    expect(said).not.toContain('sin confirmar');
  });

  it('are refused no more once they came, and what a worker left half done refuses none', async () => {
    for (const clave of ['firmes', 'cancelados', 'exigibles'] as const) await load(clave, { corte: '2026-09-30' });
    const gone = AbortSignal.abort();
    const cut = createCargaListado(panel.db, 'firmes').loadList({ abrir: abrirListado(), minFilas: 1 }, gone);
    await expect(cut).rejects.toThrow();
    expect(await rowOf('firmes')).toMatch(/2026-09-30.*nada dice de la lista/);
    expect(await notice()).not.toContain('del SAT sin');
  });

  it('are old after three days without a word of the SAT, those put in by hand after forty-five', async () => {
    await load('csd');
    await load('sentencias');
    const aged = (
      dias: number,
    ) => panel.sql`UPDATE listado_version SET revisada_en = now() - make_interval(days => ${dias}),
      fuente = CASE archivo WHEN 'sentencias' THEN 'archivo:Sentencias.csv' ELSE fuente END WHERE archivo IN ('csd', 'sentencias')`;
    await aged(2);
    expect(await notice()).not.toContain('sin confirmar');
    await aged(4);
    expect(await rowOf('csd')).toContain('Vieja');
    expect(await rowOf('sentencias')).toContain('a mano, de archivo:Sentencias.csv');
    expect(await rowOf('sentencias')).not.toContain('Vieja');
    expect(await notice()).toContain(`1 lista del SAT sin confirmar desde hace días: ${LISTADOS.csd.nombre}.`);
    await aged(46);
    expect(await rowOf('sentencias')).toContain('Vieja');
    expect(await notice()).toContain('2 listas del SAT sin confirmar');
  });
});

describe('what the operator does', () => {
  it('is written down, every action of it', async () => {
    const otra = await panel.registrar();
    const [acreditado, rechazado] = [await newPago(panel.db, otra.cuentaId), await newPago(panel.db, otra.cuentaId)];
    const captcha = await newCaptcha();
    await createListaEdos(panel.db).importar({ ...autor, fuente: 'antes', rfcs: ['AAA010101000'] });
    const cuenta = `/operador/cuentas/${otra.cuentaId}`;
    const listas = '/operador/listas';
    const archivo = new File(['rfc\nAAA010101000\nBBB010101000\n'], 'edos.csv', { type: 'text/csv' });
    /** Address of the route with a value for its id; page with its form; form; noted change. */
    const acciones: [ruta: string, id: string, desde: string, campos: Campos, escrito: string][] = [
      ['/operador/cuentas/:id/abono', otra.cuentaId, cuenta, { creditos: '7', referencia: 'F-1' }, 'abonar-creditos'],
      ['/operador/cuentas/:id/ajuste', otra.cuentaId, cuenta, { creditos: '−2', motivo: 'doble' }, 'ajustar-saldo'],
      ['/operador/cuentas/:id/suspension', otra.cuentaId, cuenta, { motivo: 'devuelto' }, 'suspender-cuenta'],
      ['/operador/cuentas/:id/reapertura', otra.cuentaId, cuenta, {}, 'reabrir-cuenta'],
      ['/operador/pagos/:id/confirmar', acreditado.id, '/operador/pagos', { rastreo: 'R1' }, 'acreditar-pago'],
      ['/operador/pagos/:id/rechazar', rechazado.id, '/operador/pagos', { motivo: 'no llegó' }, 'rechazar-pago'],
      ['/operador/captchas/:id', captcha, '/operador/captchas', { texto: 'AB12' }, 'contestar-captcha'],
      ['/operador/listas/69b', '', listas, { forzar: 'si' }, 'pedir-lista-69b'],
      ['/operador/listas/edos/borrar', '', listas, { seguro: 'si' }, 'borrar-edos'],
      ['/operador/listas/edos', '', listas, { fuente: 'Comité', archivo }, 'importar-edos'],
    ];
    // What cannot be undone is asked about.
    const quitar = '/operador/listas/edos/borrar';
    expect((await operador.submit('/operador/listas', quitar)).status).toBe(422);
    for (const [ruta, id, desde, campos, escrito] of acciones) {
      const accion = ruta.replace(':id', id);
      const answer = await operador.submit(desde, accion, campos);
      expect([accion, answer.status]).toEqual([accion, 303]);
      expect(await audited(escrito)).toMatchObject({ actor: `usuario:${operador.usuarioId}` });
    }
    const posts = RUTAS_OPERADOR.filter(({ metodo }) => metodo === 'POST').map(({ path }) => path);
    const codigo = '/operador/cuentas/:id/codigo';
    expect((await operador.submit(cuenta, `${cuenta}/codigo`)).status).toBe(200);
    expect(await audited('ofrecer-password')).toMatchObject({ actor: `usuario:${operador.usuarioId}` });
    expect(new Set([...acciones.map(([ruta]) => ruta), codigo])).toEqual(new Set(posts));

    expect(await saldoDe(panel, otra)).toBe(105);
    expect(await audited('abonar-creditos')).toMatchObject({
      cuenta_id: otra.cuentaId,
      detalle: { creditos: 7, referencia: 'F-1' },
    });
    expect(await createCaptchas(panel.db).respuesta(captcha)).toBe('AB12');
    expect(await createListaEdos(panel.db).estado()).toMatchObject({ fuente: 'Comité', rfcs: 2 });
    expect((await createPagos(panel.db).findAny(rechazado.id))?.motivo).toBe('no llegó');
    const pedidos = await panel.db.pool.query('SELECT forzar FROM efos_pedido');
    expect(pedidos.rows).toEqual([{ forzar: true }]);
    const log = await operador.get(`/operador/auditoria?actor=usuario:${operador.usuarioId}`);
    for (const [, , , , escrito] of acciones) expect(log.text).toContain(escrito);
    expect(log.text).toContain(operador.email);
  });

  it('credits a reference once, to one account, however often and from wherever it is sent', async () => {
    const [una, otra] = [await panel.registrar(), await panel.registrar()];
    const abonos = createLibro(panel.db);
    const quien = { actor: 'prueba', ip: '127.0.0.1', detalle: 'x' };
    const referencia = randomUUID();
    const all = await Promise.all(
      Array.from({ length: 8 }, () => abonos.credit({ cuentaId: una.cuentaId, creditos: 5, referencia, ...quien })),
    );
    expect(all.filter(({ resultado }) => resultado === 'ABONADO')).toHaveLength(1);
    expect(all.filter(({ resultado }) => resultado === 'REPETIDO')).toHaveLength(7);
    expect(await abonos.credit({ cuentaId: una.cuentaId, creditos: 6, referencia, ...quien })).toEqual({
      resultado: 'REFERENCIA_USADA',
    });
    const path = `/operador/cuentas/${otra.cuentaId}`;
    const answer = await operador.submit(path, `${path}/abono`, { creditos: '5', referencia });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('ya se abonó');
    for (const creditos of ['0', '-1', '1.5', '1000001', 'x', ''])
      expect((await operador.submit(path, `${path}/abono`, { creditos, referencia: randomUUID() })).status).toBe(422);
    expect([await saldoDe(panel, una), await saldoDe(panel, otra)]).toEqual([5, 0]);
    const rows = await panel.sql`SELECT FROM auditoria
      WHERE accion = 'abonar-creditos' AND cuenta_id = ANY(${[una.cuentaId, otra.cuentaId]}::uuid[])`;
    expect(rows).toHaveLength(1);
    expect(await brokenInvariants(panel.db)).toEqual([]);
  });

  it('touches only payments that a person confirms, once', async () => {
    const otra = await panel.registrar();
    const ajeno = await newPago(panel.db, otra.cuentaId, { proveedor: 'demostracion' });
    const propio = await newPago(panel.db, otra.cuentaId);
    const _csrf = await operador.csrf('/operador/pagos');
    const confirm = (id: string) => operador.post(`/operador/pagos/${id}/confirmar`, { _csrf });
    expect((await confirm(ajeno.id)).status).toBe(404);
    expect((await confirm(randomUUID())).status).toBe(404);
    expect((await confirm(propio.id)).status).toBe(303);
    expect((await confirm(propio.id)).status).toBe(303);
    expect(await saldoDe(panel, otra)).toBe(100);
  });

  it('keeps what was typed beside what is wrong with it, in the form of that payment', async () => {
    const otra = await panel.registrar();
    const [antes, uno, otro] = [
      await newPago(panel.db, otra.cuentaId),
      await newPago(panel.db, otra.cuentaId),
      await newPago(panel.db, otra.cuentaId),
    ];
    const usada = randomUUID();
    await createPagos(panel.db).confirmar({ id: antes.id, actor: 'prueba', ip: null, proveedorRef: usada });
    const at = (sub: string) => `/operador/pagos/${uno.id}/${sub}`;
    const confirmado = await operador.submit('/operador/pagos', at('confirmar'), { rastreo: usada });
    expect(confirmado.status).toBe(422);
    const { $ } = confirmado;
    expect(attributesOf($, '[aria-invalid="true"]', 'id')).toEqual([`rastreo-${uno.id}`]);
    expect($(`#rastreo-${uno.id}`).attr('value')).toBe(usada);
    expect($(`#rastreo-${uno.id}-error`).text()).toContain('ya se usó en otro pago');
    expect($(`#rastreo-${otro.id}`).attr('value')).toBeUndefined();

    const largo = 'x'.repeat(201);
    for (const motivo of ['', '   ', largo]) {
      const rechazado = await operador.submit('/operador/pagos', at('rechazar'), { motivo });
      expect(rechazado.status).toBe(422);
      const page = rechazado.$;
      expect(page(`#motivo-${uno.id}`).attr('value')).toBe(motivo);
      expect(page(`#motivo-${uno.id}-error`).text()).toContain('lo lee quien compró');
    }
    expect((await createPagos(panel.db).findAny(uno.id))?.estado).toBe('PENDIENTE');
    // On the second page of those that wait, the same.
    const query = `?despues=${uno.id}`;
    const lugar = `/operador/pagos/${otro.id}/confirmar${query}`;
    const segunda = await operador.submit(`/operador/pagos${query}`, lugar, { rastreo: usada });
    expect(segunda.$(`#rastreo-${otro.id}`).attr('value')).toBe(usada);
    expect(segunda.$(`#rastreo-${uno.id}`)).toHaveLength(0);

    expect((await operador.submit('/operador/pagos', at('confirmar'))).status).toBe(303);
    // The page says that a captcha is over, whatever was typed.
    const token = await operador.csrf('/operador');
    expect((await operador.post(at('rechazar'), { _csrf: token, motivo: '' })).status).toBe(303);
    expect((await operador.abrir('/operador/pagos')).text).toContain('ya estaba resuelto');
  });

  it('answers a captcha once; one that is over is said to be', async () => {
    await newCaptcha();
    const captcha = await newCaptcha();
    const _csrf = await operador.csrf('/operador/captchas');
    const answer = (texto: string) => operador.post(`/operador/captchas/${captcha}`, { _csrf, texto });
    for (const texto of ['   ', 'a b'.repeat(20)]) {
      const refused = await answer(texto);
      expect(refused.status).toBe(422);
      const { $ } = refused;
      expect(attributesOf($, '[autofocus]', 'id')).toEqual([`captcha-${captcha}`]);
      expect($(`#captcha-${captcha}`).attr('value')).toBe(texto);
      expect($(`#captcha-${captcha}-error`).text()).toContain('de 1 a 50');
    }
    expect(await createCaptchas(panel.db).respuesta(captcha)).toBeNull();
    await answer('UNO');
    await answer('DOS');
    expect((await answer('')).status).toBe(303);
    expect(await createCaptchas(panel.db).respuesta(captcha)).toBe('UNO');
    expect((await operador.abrir('/operador/captchas')).text).toContain('ya no esperaba respuesta');
  });

  it('leaves the list of EDOS as it is when the file is not one', async () => {
    await createListaEdos(panel.db).importar({ ...autor, fuente: 'buena', rfcs: ['AAA010101000'] });
    const send = (contents: string) =>
      operador.submit('/operador/listas', '/operador/listas/edos', {
        fuente: 'mala',
        archivo: new File([contents], 'edos.csv'),
      });
    const answer = await send(`rfc\nAAA010101000\n${HOSTILE}\n`);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('línea 3');
    expect(answer.text).not.toContain(HOSTILE);
    expect((await send('A'.repeat(5 * 1024 * 1024))).status).toBe(413);
    expect(await createListaEdos(panel.db).estado()).toMatchObject({ fuente: 'buena' });
  });
});
