import { createHash } from 'node:crypto';
import type { ConteoXml } from '@acuse/sdk';
import { describe, expect, test } from 'vitest';
import { saldoDe } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { darFilas } from '../fixtures/pedidos.ts';
import { type Caller, expectOk, useServicio, waitForEnd } from '../fixtures/servicio.ts';
import { readZip } from '../fixtures/zip.ts';
import { type Mensaje, openProgress } from './fixtures/avance.ts';
import { addCaller, type Persona, presetOf, startPanel } from './fixtures/panel.ts';

const servicio = useServicio();
const envOf = (API_PUBLIC_URL: string) => ({
  env: { API_PUBLIC_URL, S3_BUCKET: servicio.bucket, API_KEY_PEPPERS: servicio.apiEnv['API_KEY_PEPPERS'] ?? '' },
});
/** A panel over the service's database, storage and API. */
const panel = duringTests(() => startPanel({ database: servicio.database, ...envOf(servicio.api.url) }));

/** A user with a taxpayer, its key and its CIEC. */
async function owner(saldo = 5, at = panel): Promise<{ persona: Persona; caller: Caller }> {
  const persona = await at.registrar({ saldo });
  return { persona, caller: await addCaller(servicio, persona) };
}

const CRITERIOS = { tipo: 'recibidos', desde: '2025-01-01', hasta: '2025-02-28' };

/** Fills and sends the form; gives the id of the solicitud that it led to. */
async function ask(
  { persona, caller }: { persona: Persona; caller: Caller },
  criterios: Readonly<Record<string, string>> = CRITERIOS,
): Promise<string> {
  const campos = { ...criterios, rfc: caller.rfc, api_key: caller.apiKey };
  const answer = await persona.submit('/solicitudes/nueva', '/solicitudes/nueva', campos);
  const id = /^\/solicitudes\/([0-9a-f-]{36})$/.exec(answer.location ?? '')?.[1];
  if (answer.status !== 303 || !id) throw new Error(`${answer.status}: ${answer.$('main').text()}`);
  return id;
}

/** More looks than a test waits for: the request at the authority ends when the test says so. */
const NUNCA = 1_000_000;

/** Waits until the panel has noticed of every stream that it was closed. */
const noneOpen = () => expect.poll(() => panel.deps.seguimiento.abiertos).toBe(0);

const stepsOf = (mensajes: readonly Mensaje[]) => mensajes.map(({ data }) => Number(data['porcentaje']));

describe('from the form to the file', () => {
  test('progress moves in the open stream while a worker works, and the end comes with the package', async () => {
    const who = await owner();
    const id = await ask(who);
    const flow = await openProgress(who.persona, id);
    expect(flow.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const first = await flow.next();
    expect(first).toMatchObject({ event: 'avance', data: { porcentaje: 0, palabra: 'EN_PROCESO' } });
    const { settings } = servicio.simulador.world;
    const looks = settings.verificaciones_hasta_terminar;
    settings.verificaciones_hasta_terminar = NUNCA;
    const worker = await servicio.startWorker();
    const rest: Mensaje[] = [];
    while (!rest.some(({ data }) => Number(data['porcentaje']) > 0)) rest.push(await flow.next());
    settings.verificaciones_hasta_terminar = looks;
    rest.push(...(await flow.untilClosed()));
    expect(rest.at(-1)).toMatchObject({ event: 'fin', id: 'fin', data: { porcentaje: 100, palabra: 'TERMINADA' } });
    const steps = stepsOf([first, ...rest]);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(new Set(steps).size).toBeGreaterThan(2);
    expect(rest.some(({ data }) => Number(data['intentos']) > 0 && data['ultima'] !== 'todavía ninguna')).toBe(true);
    await worker.stop();

    const page = (await who.persona.get(`/solicitudes/${id}`)).$;
    expect(page('.linea').text()).toMatch(/Terminó: el ZIP tiene/);
    expect(page('.linea').text()).toMatch(/El SAT aceptó la petición del 1 ene 2025/);
    expect(page('[aria-label="CFDI por tipo de comprobante"] tbody tr').length).toBeGreaterThan(0);
    const download = await who.persona.submit(`/solicitudes/${id}`, `/solicitudes/${id}/descargar`);
    const url = download.$('a[href*="X-Amz-Signature"]').attr('href') ?? '';
    const zip = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(page('main').text()).toContain(createHash('sha256').update(zip).digest('hex'));

    const { csv, manifest } = await readZip(zip);
    const { rows } = await servicio.db.pool.query<{ resumen: { porEfecto: object; porMes: object } }>(
      'SELECT resumen FROM solicitud WHERE id = $1',
      [id],
    );
    const resumen = rows[0]?.resumen;
    expect(manifest['resumen']).toMatchObject({ por_efecto: resumen?.porEfecto, por_mes: resumen?.porMes });
    const counted: Record<string, number> = {};
    for (const { efecto_comprobante: efecto } of csv as unknown as Record<string, string>[])
      counted[String(efecto)] = (counted[String(efecto)] ?? 0) + 1;
    expect(resumen?.porEfecto).toEqual(counted);
  });

  test('a browser that comes back late gets the end, and one that has it is told to stay away', async () => {
    const who = await owner();
    const id = await ask(who, { ...CRITERIOS, tipo: 'emitidos' });
    const flow = await openProgress(who.persona, id);
    const { id: seen } = await flow.next();
    await flow.close();
    const worker = await servicio.startWorker();
    await waitForEnd(who.caller, id);
    await worker.stop();
    const again = await openProgress(who.persona, id, seen);
    expect(await again.untilClosed()).toMatchObject([{ event: 'fin', data: { palabra: 'TERMINADA' } }]);
    const last = await who.persona.get(`/solicitudes/${id}/avance`, { 'last-event-id': 'fin' });
    expect([last.status, last.text]).toEqual([204, '']);
  });
});

describe('an open stream', () => {
  test('ends when its session logs out; that of another session goes on', async () => {
    const [one, two] = [await owner(), await owner()];
    const flow = await openProgress(one.persona, await ask(one));
    const other = await openProgress(two.persona, await ask(two));
    await Promise.all([flow.next(), other.next()]);
    await one.persona.post('/salir', { _csrf: await one.persona.csrf('/solicitudes/nueva') });
    expect(await flow.untilClosed()).toEqual([]);
    expect(panel.deps.seguimiento.abiertos).toBe(1);
    await other.close();
    await noneOpen();
  });

  test('is one of few that a session may have', async () => {
    const who = await owner();
    const id = await ask(who);
    const flows = [];
    for (let n = 0; n < 6; n++) flows.push(await openProgress(who.persona, id));
    const refused = await who.persona.get(`/solicitudes/${id}/avance`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    await Promise.all(flows.map((flow) => flow.close()));
    await noneOpen();
    await (await openProgress(who.persona, id)).close();
    await noneOpen();
  });

  test('ends when the process stops, which does not wait for it', async () => {
    const stopping = await panel.another(envOf(servicio.api.url));
    const who = await owner(5, stopping);
    const flow = await openProgress(who.persona, await ask(who));
    await flow.next();
    const closing = stopping.close();
    expect(await flow.untilClosed()).toEqual([]);
    await closing;
  });
});

describe('the form', () => {
  test('asked twice is one solicitud and one charge; sent anew it finds the equal one', async () => {
    const who = await owner();
    const page = (await who.persona.get('/solicitudes/nueva')).$;
    const preset = presetOf(page('form[action="/solicitudes/nueva"]'));
    const campos = { ...preset, ...CRITERIOS, rfc: who.caller.rfc, api_key: who.caller.apiKey };
    const [a, b] = [
      await who.persona.post('/solicitudes/nueva', campos),
      await who.persona.post('/solicitudes/nueva', campos),
    ];
    expect([a.status, a.location]).toEqual([303, b.location]);
    expect(`/solicitudes/${await ask(who)}`).toBe(a.location);
    expect((await who.persona.abrir('/solicitudes')).text).toContain('Ya había una solicitud igual en curso');
    expect(await saldoDe(servicio, who.persona)).toBe(4);
  });

  test('asks for a capsula only where its box is ticked, and keeps it ticked when something else is wrong', async () => {
    const who = await owner();
    const capsulaOf = async (id: string) => panel.sql`SELECT capsula FROM solicitud WHERE id = ${id}`;
    expect(await capsulaOf(await ask(who))).toEqual([{ capsula: false }]);
    const criterios = { ...CRITERIOS, tipo: 'emitidos', capsula: 'si' };
    expect(await capsulaOf(await ask(who, criterios))).toEqual([{ capsula: true }]);
    const campos = { ...criterios, rfc: who.caller.rfc, desde: 'ayer' };
    const wrong = await who.persona.submit('/solicitudes/nueva', '/solicitudes/nueva', campos);
    expect([wrong.status, wrong.$('[name="capsula"]').is(':checked')]).toEqual([422, true]);
  });

  test('begins with the criteria of the one that is asked again, and never with its key', async () => {
    const who = await owner();
    const id = await ask(who, { ...CRITERIOS, formato: 'parquet' });
    const page = (await who.persona.get(`/solicitudes/nueva?como=${id}`)).$;
    expect(page('[name="rfc"] [selected]').attr('value')).toBe(who.caller.rfc);
    expect(page('[name="tipo"] [selected]').attr('value')).toBe('recibidos');
    expect(page('[name="desde"]').attr('value')).toBe('2025-01-01');
    expect(page('[name="formato"] [selected]').attr('value')).toBe('parquet');
    expect((await who.persona.get(`/solicitudes/${id}`)).main).toContain('Parquet, para DuckDB y pandas');
    expect(page('[name="api_key"]').attr('value')).toBeUndefined();
    expect(page('main').text()).toMatch(/Cuesta 1 crédito; su saldo es de 4 créditos/);
  });

  test('narrows a request, shows how, and keeps it for the one that is asked again', async () => {
    const who = await owner();
    const filtros = {
      estado: 'vigente',
      comprobante: 'I',
      contraparte: 'eku9003173c9, XIQB891116QE4',
      complemento: 'iedu',
    };
    const id = await ask(who, { ...CRITERIOS, tipo: 'emitidos', ...filtros });
    expect((await who.persona.get(`/solicitudes/${id}`)).main).toContain(
      'Solo vigentes; Ingreso; Instituciones educativas privadas 1.0; EKU9003173C9, XIQB891116QE4',
    );
    const page = (await who.persona.get(`/solicitudes/nueva?como=${id}`)).$;
    expect(page('[name="estado"] [selected]').attr('value')).toBe('vigente');
    expect(page('[name="comprobante"] [selected]').attr('value')).toBe('I');
    expect(page('[name="complemento"] [selected]').attr('value')).toBe('iedu');
    expect(page('[name="contraparte"]').attr('value')).toBe('EKU9003173C9, XIQB891116QE4');
  });

  test('asks for the XML and their tables, shows them on their way and counted, and keeps the choice', async () => {
    const who = await owner();
    const pedido = { tipo: 'recibidos', desde: '2025-01-01', hasta: '2025-01-03' } as const;
    darFilas(servicio, who.caller.rfc, pedido, 40);
    const id = await ask(who, { ...pedido, contenido: 'xml', tablas: 'si' });
    const open = (await who.persona.get(`/solicitudes/${id}`)).$;
    expect(open('[data-dato="xml"]').text()).toBe('0');
    expect(open('[data-dato="completo"]').text()).toBe('todavía no se sabe');
    expect(open('main').text()).toContain('Metadata y los XML de los CFDI, con tablas');
    const flow = await openProgress(who.persona, id);
    expect((await flow.next()).data).toMatchObject({ xml: '0', faltan: 'todavía no se sabe' });
    const worker = await servicio.startWorker();
    await flow.untilClosed();
    await worker.stop();
    const { xml } = await expectOk(who.caller.call('descarga/verificar', { solicitud_id: id }));
    const { esperados, entregados, faltantes } = xml as ConteoXml;
    expect([entregados + faltantes, faltantes > 0]).toEqual([esperados, true]);
    const page = (await who.persona.get(`/solicitudes/${id}`)).$;
    expect(page('#xml dl').text()).toBe(`Esperados${esperados}Entregados${entregados}Faltantes${faltantes}`);
    expect(page('#xml li').text()).toMatch(/^\d+ cancelados: el SAT no entrega el XML de un CFDI recibido y cancelado/);
    expect(page('#xml').text()).toContain('faltantes.csv');
    const again = (await who.persona.get(`/solicitudes/nueva?como=${id}`)).$;
    expect(again('[name="contenido"] [selected]').attr('value')).toBe('xml');
    expect(again('[name="tablas"]').is(':checked')).toBe(true);
    expect(await saldoDe(servicio, who.persona)).toBe(4);
  });

  test('shows a fault of the content at its field', async () => {
    const who = await owner();
    const faultOf = async (campo: string, criterios: Record<string, string>) => {
      const campos = { ...CRITERIOS, ...criterios, rfc: who.caller.rfc, api_key: who.caller.apiKey };
      const { status, $ } = await who.persona.submit('/solicitudes/nueva', '/solicitudes/nueva', campos);
      return [status, $(`#campo-${campo}-error`).text()];
    };
    expect(await faultOf('tablas', { tablas: 'si' })).toEqual([422, expect.stringMatching(/necesita contenido xml/i)]);
    const cancelled = { contenido: 'xml', estado: 'cancelado' };
    expect(await faultOf('contenido', cancelled)).toEqual([422, expect.stringMatching(/solo hay metadata/i)]);
  });

  test('says what is wrong, charges nothing and does not show the key again', async () => {
    const [who, other] = [await owner(1), await owner()];
    const good = { ...CRITERIOS, rfc: who.caller.rfc, api_key: who.caller.apiKey };
    const send = async (campos: Record<string, string>) => {
      const answer = await who.persona.submit('/solicitudes/nueva', '/solicitudes/nueva', { ...good, ...campos });
      expect(answer.text).not.toContain(who.caller.apiKey);
      expect(answer.text).not.toContain(other.caller.apiKey);
      const { $ } = answer;
      return [answer.status, $('.falta, [role="alert"]').text()] as const;
    };
    const wrong: [Record<string, string>, RegExp][] = [
      [{ rfc: other.caller.rfc }, /Elija uno de sus RFC/],
      [{ tipo: 'todos' }, /emitidos o recibidos/],
      [{ formato: 'xls' }, /uno de los formatos/],
      [{ desde: '2025-02-30' }, /año-mes-día/],
      [{ desde: '2025-03-01', hasta: '2025-02-01' }, /no puede ser posterior/],
      [{ hasta: '2999-01-01' }, /^No se pidió ni se cobró nada.*No puede ser posterior a hoy/],
      [{ desde: '2001-01-01' }, /No puede ser anterior a/],
      [{ contraparte: 'EKU9003173C9, XIQB891116QE4' }, /con recibidos puede tener un solo RFC/i],
      [{ contraparte: 'no' }, /formato de un RFC/],
      [{ api_key: 'acuse_test_x' }, /No es una API key completa/],
      [{ api_key: other.caller.apiKey }, /No es la API key vigente de este RFC/],
    ];
    for (const [campos, text] of wrong) {
      const [status, found] = await send(campos);
      expect([status, found]).toEqual([422, expect.stringMatching(text)]);
    }
    await ask(who);
    const [status, text] = await send({ tipo: 'emitidos' });
    expect([status, text]).toEqual([422, expect.stringContaining('El saldo no alcanza')]);
    expect(await saldoDe(servicio, who.persona)).toBe(0);
  });

  test('says that nobody knows when the API does not answer, and keeps the attempt', async () => {
    const away = await panel.another(envOf('http://127.0.0.1:1'));
    const { persona, caller } = await owner(1, away);
    const _csrf = await persona.csrf('/solicitudes/nueva');
    const intento = 'intento-de-prueba-1';
    const campos = { _csrf, ...CRITERIOS, rfc: caller.rfc, api_key: caller.apiKey, intento };
    const answer = await persona.post('/solicitudes/nueva', campos);
    expect(answer.status).toBe(503);
    expect(answer.text).toContain('La API no contestó');
    expect(answer.$('[name="intento"]').attr('value')).toBe(intento);
  });
});
