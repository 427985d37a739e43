import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPERACIONES } from '@acuse/sdk/operaciones';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { darFilas, fail, llamadas, saldoDe, UN_DIA, uuidsDelSat } from '../fixtures/pedidos.ts';
import { type Caller, useServicio } from '../fixtures/servicio.ts';
import { readZip } from '../fixtures/zip.ts';
import { runAcuse, startAcuse } from './acuse.ts';
import { type Datos, NOWHERE, openAssistant } from './assistant.ts';

const servicio = useServicio({}, {});
const newFolder = () => mkdtemp(join(servicio.dir, 'mcp-'));
const envOf = ({ apiKey, rfc }: Caller, url = servicio.api.url) => ({
  ACUSE_URL: url,
  ACUSE_API_KEY: apiKey,
  ACUSE_RFC: rfc,
});

const dataOf = (answer: Datos) => answer['data'] as Datos;
const itemsOf = (answer: Datos) => dataOf(answer)['items'] as readonly Datos[];
const toolOf = (path: string) => path.replace(/[/-]/g, '_');
const namesOf = (tools: readonly Tool[]) => tools.map(({ name }) => name).sort();

describe('the tools', () => {
  /** Decided by hand: a new operation is on one of these lists. */
  const SIN_COSTO = [
    ...['descarga/verificar', 'descarga/listar', 'efos/consultar', 'tax/opinion-cumplimiento-publica', 'uso/consultar'],
    ...['vault/estado', 'vault/firma-estado', 'webhooks/entregas', 'webhooks/listar'],
    ...['sincronizacion/cambios', 'sincronizacion/estimar', 'sincronizacion/listar', 'cfdi/consultar'],
    ...['descarga/estimar', 'estado/sat', 'efos/consultar-lote', 'cfdi/resumen'],
    ...['riesgo/paquete', 'riesgo/proveedores', 'llamadas/listar', 'conexion/estado'],
  ];
  const CON_COSTO = [
    ...['descarga/consulta-cfdi', 'tax/descarga-metadata', 'tax/facturas', 'tax/facturas-fiel', 'tax/retenciones'],
    ...['tax/declaraciones-fiel', 'tax/comunicados', 'tax/notificaciones', 'usuario/datos-fiscales'],
    ...['tax/informacion-fiscal', 'tax/opinion-cumplimiento', 'tax/opinion-cumplimiento-fiel'],
  ];
  const PARA_PERSONAS = [
    ...['vault/rfc-registrar', 'vault/rfc-guardar', 'vault/firma-registrar', 'vault/firma-guardar'],
    ...['descarga/cancelar', 'descarga/paquete', 'webhooks/crear', 'webhooks/actualizar', 'webhooks/borrar'],
    ...['webhooks/rotar-secreto', 'webhooks/probar', 'webhooks/reenviar', 'sincronizacion/crear', 'conexion/crear'],
    ...['sincronizacion/pausar', 'sincronizacion/reanudar', 'sincronizacion/borrar', 'conexion/revocar'],
  ];
  const OWN = ['descarga_esperar', 'lista_continuar'];

  it('are the reading operations, without those that take a credential or change stored data', async () => {
    expect([...SIN_COSTO, ...CON_COSTO, ...PARA_PERSONAS].sort()).toEqual(OPERACIONES.map(({ path }) => path).sort());
    const free = [...SIN_COSTO.map(toolOf), ...OWN];
    const all = [...free, ...CON_COSTO.map(toolOf)];
    const [usual, storing, saving] = await Promise.all([
      openAssistant(NOWHERE),
      openAssistant(NOWHERE, '--carpeta', await newFolder()),
      openAssistant(NOWHERE, '--creditos', '0'),
    ]);
    expect(namesOf(usual.tools)).toEqual(all.sort());
    expect(namesOf(storing.tools)).toEqual([...all, 'descarga_guardar'].sort());
    expect(namesOf(saving.tools)).toEqual(free.sort());
    expect(saving.client.getInstructions()).toContain('solo hay herramientas sin costo');
  });

  it('take what the catalogue says and nothing else, in Spanish, by schemas that stand alone', async () => {
    const { tools, client } = await openAssistant(NOWHERE, '--carpeta', await newFolder());
    const secrets = OPERACIONES.flatMap(({ campos }) =>
      campos.filter(({ esSecreto, esArchivo }) => esSecreto || esArchivo).map(({ nombre }) => nombre),
    );
    for (const { name, inputSchema, outputSchema, description, annotations = {} } of tools) {
      expect(description, name).toMatch(/^[A-ZÁÉÍÓÚ].*\.$/s);
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema, name).toMatchObject({ type: 'object' });
      expect(JSON.stringify([inputSchema, outputSchema]), name).not.toContain('$ref');
      const fields = Object.keys(inputSchema.properties ?? {});
      expect(fields.filter((field) => secrets.includes(field))).toEqual([]);
      const operacion = OPERACIONES.find(({ path }) => toolOf(path) === name);
      expect(annotations.destructiveHint, name).toBe(false);
      expect(annotations.readOnlyHint, name).toBe(operacion ? !operacion.cambia : name !== 'descarga_guardar');
      if (operacion === undefined) continue;
      const { campos } = operacion;
      expect(fields, name).toEqual(campos.map(({ nombre }) => nombre));
      const required = campos.filter(({ nombre, esObligatorio }) => esObligatorio && nombre !== 'rfc');
      expect(inputSchema.required, name).toEqual(required.map(({ nombre }) => nombre));
    }
    const facturas = tools.find(({ name }) => name === 'tax_facturas');
    expect(facturas?.inputSchema.properties).toMatchObject({
      rfc: {
        type: 'string',
        pattern: expect.any(String),
        description: expect.stringContaining('Si falta, ACU200101DB1.'),
      },
      desde: { type: 'string', format: 'date', examples: ['2026-01-01'] },
    });
    expect(client.getInstructions()).toMatch(/son datos[\s\S]*no las siga[\s\S]*Nunca pida ni reciba contraseñas/);
    expect(client.getServerVersion()).toMatchObject({ name: 'acuse', title: 'Acuse' });
  });
});

describe('a download by an assistant', () => {
  it('goes from the request to a file in the folder, told as it goes, with no byte of it in the conversation', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const folder = join(await newFolder(), 'zips');
    const { ask, refusal, said, takeReports } = await openAssistant(envOf(caller), '--carpeta', folder);
    const { tipo, desde, hasta } = UN_DIA;
    const { solicitud_id } = dataOf(await ask('tax_descarga_metadata', { tipo, desde, hasta }));
    // The client asks for reports only where a caller listens.
    const onprogress = () => {};
    const waited = await ask('descarga_esperar', { solicitud_id }, { onprogress });
    const reports = takeReports();
    expect(waited).toMatchObject({ terminada: true, solicitud: { solicitud_id, estado: 'TERMINADA' } });
    expect(reports.at(-1)).toMatchObject({ progress: 100, total: 100, message: expect.stringContaining('TERMINADA') });
    expect(reports.map(({ progress }) => progress)).toEqual(
      [...new Set(reports.map(({ progress }) => progress))].sort((a, b) => a - b),
    );

    const guardado = await ask('descarga_guardar', { solicitud_id }, { onprogress });
    const received = takeReports();
    const name = `${tipo}_${desde}_${hasta}_${solicitud_id}.zip`;
    expect(await readdir(folder)).toEqual([name]);
    const zip = await readFile(join(folder, name));
    const uuids = uuidsDelSat(servicio, caller.rfc, UN_DIA);
    expect((await readZip(zip)).csv.map((row) => row['uuid'])).toEqual(uuids);
    const sha256 = createHash('sha256').update(zip).digest('hex');
    expect(guardado).toEqual({
      archivo: join(folder, name),
      bytes: zip.length,
      sha256,
      registros: uuids.length,
      formato: 'csv',
      confianza: 'confirmado',
      reembolsada: false,
    });
    expect(received.at(-1)).toMatchObject({ progress: 100, message: `${zip.length} de ${zip.length} bytes` });
    expect(((await stat(folder)).mode & 0o777).toString(8)).toBe('700');

    expect(await ask('descarga_guardar', { solicitud_id })).toEqual(guardado);
    await writeFile(join(folder, name), 'otra cosa');
    expect(await refusal('descarga_guardar', { solicitud_id })).toMatchObject({ error: 'ARCHIVO_DISTINTO' });
    expect(await readFile(join(folder, name), 'utf8')).toBe('otra cosa');
    expect([await saldoDe(servicio, caller), said()]).toEqual([1, '']);
  });

  it('leads out of the folder by no id, and stores nothing of what has not ended', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const folder = await newFolder();
    const { ask, refusal } = await openAssistant(envOf(caller), '--carpeta', folder);
    for (const solicitud_id of ['../../etc/x', '/etc/passwd', '..', 'a\u0000b', 7, `${folder}/x`])
      expect(await refusal('descarga_guardar', { solicitud_id })).toMatchObject({
        error: 'ORDEN_INVALIDA',
        texto: expect.stringContaining('«solicitud_id»'),
      });
    fail(servicio, caller, { service: 'portalcfdi', operation: 'AbrirConsulta', kind: 'status' });
    const { tipo, desde, hasta } = UN_DIA;
    const { solicitud_id } = dataOf(await ask('tax_descarga_metadata', { tipo, desde, hasta }));
    const named = { solicitud_id, ruta: '/tmp/x.zip' };
    expect(await refusal('descarga_guardar', named)).toMatchObject({ texto: expect.stringContaining('«ruta»') });
    expect(await refusal('descarga_guardar', { solicitud_id })).toMatchObject({ cfdi_codigo: 3002 });
    expect(await ask('descarga_esperar', { solicitud_id, segundos: 1 })).toMatchObject({
      terminada: false,
      solicitud: { solicitud_id, estado: 'EN_PROCESO' },
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('is no longer waited for when the assistant says so, and goes on by itself', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const { ask, call } = await openAssistant(envOf(caller));
    const stuck = fail(servicio, caller, { service: 'portalcfdi', operation: 'AbrirConsulta', kind: 'status' });
    const { tipo, desde, hasta } = UN_DIA;
    const { solicitud_id } = dataOf(await ask('tax_descarga_metadata', { tipo, desde, hasta }));
    const enough = new AbortController();
    const waiting = call(
      'descarga_esperar',
      { solicitud_id, segundos: 600 },
      { signal: enough.signal, onprogress: () => enough.abort('enough') },
    );
    await expect(waiting).rejects.toThrow('enough');
    servicio.simulador.world.faults.remove(stuck.id);
    expect(await ask('descarga_esperar', { solicitud_id })).toMatchObject({ terminada: true });
  });
});

describe('a list by an assistant', () => {
  it('comes in pieces that are paid for once', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 3 });
    darFilas(servicio, caller.rfc, UN_DIA, 200);
    const { ask } = await openAssistant(envOf(caller));
    const { desde, hasta } = UN_DIA;
    let answer = await ask('tax_facturas', { desde, hasta });
    const uuids = itemsOf(answer).map(({ uuid }) => uuid);
    expect(dataOf(answer)).toMatchObject({ total: 200, confianza: 'confirmado' });
    expect([uuids.length < 200, answer['quedan']]).toEqual([true, 200 - uuids.length]);
    const asked = llamadas(servicio, caller).length;
    while (answer['cursor'] !== null) {
      answer = await ask('lista_continuar', { cursor: answer['cursor'] });
      expect(JSON.stringify(answer).length).toBeLessThan(25_000);
      uuids.push(...itemsOf(answer).map(({ uuid }) => uuid));
    }
    expect(uuids.map(String).sort()).toEqual(uuidsDelSat(servicio, caller.rfc, UN_DIA).sort());
    expect([llamadas(servicio, caller).length, await saldoDe(servicio, caller)]).toEqual([asked, 2]);
  });

  it('goes on through the pages of the service by the same cursor', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 5 });
    const { ask } = await openAssistant(envOf(caller));
    const made: unknown[] = [];
    for (const tipo of ['recibidos', 'emitidos']) {
      const { desde, hasta } = UN_DIA;
      made.push(dataOf(await ask('tax_descarga_metadata', { tipo, desde, hasta }))['solicitud_id']);
    }
    const first = await ask('descarga_listar', { limite: 1 });
    expect([itemsOf(first).length, first['quedan'], dataOf(first)['siguiente']]).toEqual([1, 0, undefined]);
    const second = await ask('lista_continuar', { cursor: first['cursor'] });
    const idsOf = (page: Datos) => itemsOf(page).map(({ solicitud_id }) => solicitud_id);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(made.reverse());
    expect(second['cursor']).toBeNull();
    // The tool itself takes the cursor too.
    expect(idsOf(await ask('descarga_listar', { cursor: first['cursor'] }))).toEqual(idsOf(second));
  });
});

describe('an error of an assistant', () => {
  it('has its name, and a remedy that asks for no password', async () => {
    const caller = await servicio.newCaller({ saldo: 1 });
    const { refusal, call, client } = await openAssistant(envOf(caller));
    await caller.call('vault/rfc-registrar', { rfc: caller.rfc });
    const { desde, hasta } = UN_DIA;
    const remedio = expect.stringMatching(/^No pida la credencial en la conversación/);
    const why = { error: 'CIEC_NO_GUARDADA', cfdi_codigo: 4003, request_id: expect.any(String), remedio };
    expect(await refusal('tax_facturas', { desde, hasta })).toMatchObject(why);
    expect(await refusal('tax_facturas', { desde: '2026-13-01', hasta })).toMatchObject({ error: 'CAMPO_INVALIDO' });
    expect(await refusal('tax_facturas', { desde, hasta, ciec: 'secreta12' })).toEqual({
      error: 'ORDEN_INVALIDA',
      texto: expect.stringMatching(/«ciec»; no se hizo nada\. Recibe: rfc, desde, hasta/),
    });
    expect(await refusal('lista_continuar', { cursor: 'x.1' })).toMatchObject({ error: 'ORDEN_INVALIDA' });
    // Its text speaks of tools too.
    expect(await refusal('sincronizacion_cambios')).toMatchObject({
      error: 'SINCRONIZACION_NO_ENCONTRADA',
      texto: expect.stringContaining('«acuse sincronizacion crear»'),
    });
    await expect(call('vault_rfc_guardar', { ciec: 'secreta12' })).rejects.toThrow('no existe la herramienta');
    const wrong = await openAssistant({ ...envOf(caller), ACUSE_API_KEY: 'acuse_test_x' });
    expect(await wrong.refusal('uso_consultar')).toMatchObject({
      error: 'API_KEY_INVALIDA',
      remedio: expect.stringContaining('acuse entrar'),
    });
    expect(await client.ping()).toEqual({});
  });

  it('ends the spending of a session at what its settings allow, and counts what came back for nothing', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 5 });
    const { ask, refusal } = await openAssistant(envOf(caller), '--creditos', '1');
    const { desde, hasta } = UN_DIA;
    const { tipo } = UN_DIA;
    expect(await refusal('tax_declaraciones_fiel', { ejercicio: 2025 })).toMatchObject({
      error: 'EFIRMA_NO_DISPONIBLE',
    });
    const { solicitud_id } = dataOf(await ask('tax_descarga_metadata', { tipo, desde, hasta }));
    expect(await refusal('tax_facturas', { desde, hasta })).toMatchObject({
      error: 'TOPE_DE_CREDITOS',
      texto: expect.stringContaining('puede gastar 1 créditos y ya usó 1'),
    });
    expect(dataOf(await ask('descarga_verificar', { solicitud_id }))).toMatchObject({ solicitud_id });
    expect(await saldoDe(servicio, caller)).toBe(4);
  });

  it('ends the call to the service when the assistant gives it up', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const { call, client } = await openAssistant({ ...NOWHERE, ACUSE_URL: `http://127.0.0.1:${port}` });
    const enough = new AbortController();
    const calling = call('uso_consultar', {}, { signal: enough.signal });
    const [socket] = await once(silent, 'connection');
    enough.abort('enough');
    await expect(calling).rejects.toThrow('enough');
    await once(socket.resume(), 'close');
    expect(await client.ping()).toEqual({});
  });
});

describe('the page about assistants', () => {
  const page = () => readFile(new URL('../../../docs/integrators/es/asistentes.md', import.meta.url), 'utf8');

  it('names every tool and its price', async () => {
    const { tools } = await openAssistant(NOWHERE, '--carpeta', await newFolder());
    const rows = [...(await page()).matchAll(/^\| ((?:`[a-z_]+`,? ?)+)\| (\d) \|/gm)];
    const prices = rows.flatMap(([, names = '', price]) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [name, Number(price)]),
    );
    const costOf = ({ name }: Tool) => OPERACIONES.find(({ path }) => toolOf(path) === name)?.costo ?? 0;
    expect(Object.fromEntries(prices)).toEqual(Object.fromEntries(tools.map((tool) => [tool.name, costOf(tool)])));
    expect(prices).toHaveLength(tools.length);
  });

  it('shows settings by which the server of a checkout answers', async () => {
    const blocks = [...(await page()).matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
      ([, text = '']) => JSON.parse(text) as Record<string, { acuse: { command: string; args: string[] } }>,
    );
    expect(blocks.map((block) => Object.keys(block))).toEqual([['mcpServers'], ['servers']]);
    const inCodex = /^command = (.*)\nargs = (.*)$/m.exec(await page());
    const settings = [
      ...blocks.flatMap((block) => Object.values(block).map(({ acuse }) => acuse)),
      { command: JSON.parse(inCodex?.[1] ?? ''), args: JSON.parse(inCodex?.[2] ?? '') as string[] },
    ];
    expect(new Set(settings.map(({ command, args }) => [command, ...args].join(' '))).size).toBe(1);
    expect(await page()).toContain(`-- ${settings[0]?.command} ${settings[0]?.args.join(' ')}`);
    const folder = join(await newFolder(), 'zips');
    const args = settings[0]?.args.map((arg) =>
      arg
        .replace('/ruta/de/acuse/', fileURLToPath(new URL('../../../', import.meta.url)))
        .replace('/ruta/de/los/zip', folder),
    );
    const client = new Client({ name: 'acuse-test', version: '1.0.0' });
    const env = { PATH: process.env['PATH'] ?? '', ...NOWHERE };
    await client.connect(new StdioClientTransport({ command: settings[0]?.command ?? '', args: args ?? [], env }));
    onTestFinished(() => client.close());
    expect(namesOf((await client.listTools()).tools)).toContain('descarga_guardar');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('acuse mcp as a process', () => {
  const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
  const clientInfo = { name: 'acuse-test', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const INITIALIZE = line({ id: 1, method: 'initialize', params });

  it('writes nothing but the protocol to its output, and ends with 0 when its assistant goes', async () => {
    const input = `${INITIALIZE}esto no es JSON\n${line({ method: 'notifications/initialized' })}${line({ id: 2, method: 'tools/list' })}`;
    const { code, out, err } = await runAcuse(['mcp'], { env: NOWHERE, input });
    const answers = out
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each) as { id: number; jsonrpc: string; result: { tools?: unknown[] } });
    expect([code, answers.map(({ id, jsonrpc }) => [id, jsonrpc])]).toEqual([
      0,
      [
        [1, '2.0'],
        [2, '2.0'],
      ],
    ]);
    expect(answers[1]?.result.tools?.length).toBeGreaterThan(20);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(err).not.toContain('    at ');
  });

  it('ends with 0 when it is asked to, and by its class of error when it cannot begin', async () => {
    const { client, call } = await openAssistant(NOWHERE);
    const pid = (client.transport as StdioClientTransport).pid ?? 0;
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });
    process.kill(pid, 'SIGTERM');
    await closed;
    await expect(call('uso_consultar')).rejects.toThrow();

    const folder = await newFolder();
    await writeFile(join(folder, 'archivo'), '');
    await mkdir(join(folder, 'ajena'), { mode: 0o500 });
    for (const [code, args, env, said] of [
      [3, [], {}, 'acuse entrar'],
      [3, [], { ...NOWHERE, ACUSE_URL: 'acuse.example' }, 'https://acuse.example'],
      [2, ['--creditos', 'muchos'], NOWHERE, 'debe ser un número entero'],
      [2, ['--creditos=-1'], NOWHERE, 'no puede ser negativo'],
      [9, ['--carpeta', join(folder, 'archivo', 'x')], NOWHERE, 'archivo'],
    ] as const)
      expect([args, await runAcuse(['mcp', ...args], { env, input: INITIALIZE })]).toEqual([
        args,
        { code, out: '', err: expect.stringContaining(said) },
      ]);
    const asked = startAcuse(['mcp', '--help']);
    expect((await asked.ended).out).toContain('--carpeta <carpeta>');
  });
});
