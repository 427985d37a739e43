import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCliente } from '@acuse/cli';
import { programEntry } from '@acuse/embedded';
import { GRUPOS, OPERACIONES } from '@acuse/sdk/operaciones';
import { describe, expect, inject, it } from 'vitest';
import { everyCommand } from '../fixtures/cli.ts';
import { issueEfirma } from '../fixtures/efirma.ts';
import { darFilas, fail, saldoDe, UN_DIA, uuidsDelSat } from '../fixtures/pedidos.ts';
import { type Caller, ciecOf, useServicio } from '../fixtures/servicio.ts';
import { readZip } from '../fixtures/zip.ts';
import { runAcuse, startAcuse, startAtTerminal } from './acuse.ts';

const canTerminal = spawnSync('script', ['--version']).status === 0;
const servicio = useServicio({}, {});
const DIA = ['--desde', UN_DIA.desde, '--hasta', UN_DIA.hasta];

const newFolder = () => mkdtemp(join(servicio.dir, 'cli-'));
/** Settings with the key in the environment. */
const envOf = ({ apiKey, rfc }: Caller) => ({ ACUSE_URL: servicio.api.url, ACUSE_API_KEY: apiKey, ACUSE_RFC: rfc });

describe('acuse entrar', () => {
  it('tries the key, stores it for its user alone, and every later order finds it there', async () => {
    const caller = await servicio.newCaller();
    const env = { HOME: await newFolder() };
    const entrar = [
      'entrar',
      '--url',
      `${servicio.api.url}/`,
      '--rfc',
      caller.rfc.toLowerCase(),
      '--llave-archivo',
      '-',
    ];
    const entered = await runAcuse(entrar, { env, input: `${caller.apiKey}\n` });
    const file = join(env.HOME, '.config/acuse/acceso.json');
    expect(entered).toEqual({
      code: 0,
      err: '',
      out: `Listo: ${caller.rfc} en ${servicio.api.url}. Guardado en ${file}\n`,
    });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      url: servicio.api.url,
      llave: caller.apiKey,
      rfc: caller.rfc,
    });
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
    expect(((await stat(join(file, '..'))).mode & 0o777).toString(8)).toBe('700');

    const ciec = await runAcuse(['vault', 'rfc-guardar', '--ciec-archivo', '-'], { env, input: ciecOf(caller.rfc) });
    expect(ciec).toEqual({ code: 0, err: '', out: 'OK\n' });
    const { out } = await runAcuse(['vault', 'firma-estado', '--json'], { env });
    expect(JSON.parse(out)).toMatchObject({ cfdi_codigo: 1, data: { rfc: caller.rfc, tiene_cer: false } });

    expect((await runAcuse(['salir'], { env })).out).toBe('Borrado.\n');
    const gone = await runAcuse(['vault', 'firma-estado'], { env });
    expect([gone.code, gone.err]).toEqual([3, expect.stringContaining('acuse entrar')]);
  });

  it('stores nothing when the key is wrong, and takes no key without a terminal or a file', async () => {
    const caller = await servicio.newCaller();
    const env = { HOME: await newFolder() };
    const entrar = ['entrar', '--url', servicio.api.url, '--rfc', caller.rfc];
    const wrong = await runAcuse([...entrar, '--llave-archivo', '-'], { env, input: 'acuse_test_x' });
    expect([wrong.code, wrong.err]).toEqual([
      3,
      expect.stringMatching(/API key[\s\S]*API_KEY_INVALIDA, 1001; X-Request-Id /),
    ]);
    const alone = await runAcuse(entrar, { env });
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('--llave-archivo')]);
    const argued = await runAcuse([...entrar, '--llave', caller.apiKey], { env });
    expect([argued.code, argued.err]).toEqual([2, expect.stringContaining('no existe la opción --llave')]);
    expect(await readdir(env.HOME)).toEqual([]);
  });

  it.runIf(canTerminal)('asks at a terminal without showing what is typed', async () => {
    const caller = await servicio.newCaller();
    const env = { HOME: await newFolder() };
    const entrar = startAtTerminal(['entrar'], { env });
    for (const [question, answer] of [
      ['Dirección del servicio: ', servicio.api.url],
      ['RFC: ', caller.rfc],
      ['API key (no se muestra): ', caller.apiKey],
    ] as const) {
      await expect.poll(() => entrar.seen.screen).toContain(question);
      entrar.type(`${answer}\r`);
    }
    const { code, screen } = await entrar.ended;
    expect([code, screen]).toEqual([0, expect.stringContaining('Listo: ')]);
    expect(screen).not.toContain(caller.apiKey);

    const guardar = startAtTerminal(['vault', 'rfc-guardar'], { env });
    await expect.poll(() => guardar.seen.screen).toContain('CIEC (no se muestra): ');
    guardar.type('\u0003');
    expect((await guardar.ended).code).toBe(130);
  });
});

describe('an operation', () => {
  it('each is a command with an option for every field, none of them for a password', () => {
    const [program] = everyCommand(createCliente({} as Parameters<typeof createCliente>[0]));
    const orders = GRUPOS.flatMap(({ name }) => program?.commands.find((each) => each.name() === name) ?? []);
    expect(orders.flatMap((group) => group.commands.map((each) => `${group.name()}/${each.name()}`)).sort()).toEqual(
      OPERACIONES.map(({ path }) => path).sort(),
    );
    for (const { grupo, accion, campos } of OPERACIONES) {
      const order = orders.find((group) => group.name() === grupo)?.commands.find((each) => each.name() === accion);
      const options = order?.options.map(({ long }) => long) ?? [];
      expect(options).toContain('--json');
      for (const { nombre, esSecreto } of campos)
        expect(options).toContain(`--${nombre.replaceAll('_', '-')}${esSecreto ? '-archivo' : ''}`);
    }
    const secret = OPERACIONES.flatMap(({ campos }) =>
      campos.filter(({ esSecreto }) => esSecreto).map(({ nombre }) => nombre),
    );
    expect([...new Set(secret)].sort()).toEqual(['ciec', 'password']);
  });

  it('has no English in the help of any order', () => {
    for (const command of everyCommand(createCliente({} as Parameters<typeof createCliente>[0])))
      expect(command.helpInformation()).not.toMatch(
        /\b(?:Usage|Options|Commands|Arguments|display|default|choices|output|help for)\b/,
      );
  });

  it('answers a table for people, and the answer of the service for programs', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 5 });
    const facturas = ['tax', 'facturas', ...DIA];
    const json = await runAcuse([...facturas, '--json'], { env: envOf(caller) });
    const answer = JSON.parse(json.out) as { data: { items: { uuid: string }[] } };
    const uuids = uuidsDelSat(servicio, caller.rfc, UN_DIA).sort();
    expect(answer.data.items.map(({ uuid }) => uuid).sort()).toEqual(uuids);
    expect(json.out.trimEnd().split('\n')).toHaveLength(1);
    const { out, code } = await runAcuse(facturas, { env: envOf(caller) });
    expect(code).toBe(0);
    expect(out).toMatch(/^total +\d+$/m);
    const rows = out.split('\n').filter((line) => uuids.some((uuid) => line.includes(uuid)));
    expect(rows).toHaveLength(uuids.length);
    expect(out).toMatch(/^uuid .*emisor_rfc/m);
    expect(new Set(rows.map((row) => row.search(/[0-9a-f]{8}-[0-9a-f]{4}-/i))).size).toBe(1);
  });

  it('of a list gives every page with --todo: an answer a line for programs, one table for people', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 5 });
    const facturas = ['tax', 'facturas', ...DIA, '--limite', '2', '--todo'];
    const uuids = uuidsDelSat(servicio, caller.rfc, UN_DIA).sort();
    const json = await runAcuse([...facturas, '--json'], { env: envOf(caller) });
    const pages = json.out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { data: { items: { uuid: string }[] } }).data.items);
    expect(pages).toHaveLength(Math.ceil(uuids.length / 2));
    expect(pages.flatMap((items) => items.map(({ uuid }) => uuid)).sort()).toEqual(uuids);
    const { out, code } = await runAcuse(facturas, { env: envOf(caller) });
    expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^total +${uuids.length}$`, 'm'))]);
    expect(out.split('\n').filter((line) => uuids.some((uuid) => line.includes(uuid)))).toHaveLength(uuids.length);
    const { err, code: refused } = await runAcuse(['vault', 'estado', '--todo'], { env: envOf(caller) });
    expect([refused, err]).toEqual([2, expect.stringContaining('--todo')]);
  });

  it('takes an e.firma from its files, and its password from a file or the standard input', async () => {
    const caller = await servicio.newCaller();
    const folder = await newFolder();
    const efirma = await issueEfirma(servicio, { rfc: caller.rfc });
    for (const part of ['cer', 'key'] as const)
      await writeFile(join(folder, `efirma.${part}`), Buffer.from(efirma[part], 'base64'));
    await writeFile(join(folder, 'password'), `${efirma.password}\n`);
    const options = { env: envOf(caller), cwd: folder };
    expect((await runAcuse(['vault', 'firma-registrar', '--cer', 'efirma.cer'], options)).code).toBe(0);
    const guardar = ['vault', 'firma-guardar', '--key', 'efirma.key', '--password-archivo'];
    expect((await runAcuse([...guardar, 'password'], options)).code).toBe(0);
    expect((await runAcuse([...guardar, '-'], { ...options, input: efirma.password })).code).toBe(0);
    const estado = await runAcuse(['vault', 'firma-estado'], options);
    expect(estado.out).toMatch(/^tiene_key +sí$/m);
    const missing = await runAcuse([...guardar, 'nothing'], options);
    expect([missing.code, missing.err]).toEqual([9, expect.stringContaining('nothing')]);
  });

  it('takes a list with commas', async () => {
    const caller = await servicio.newCaller();
    const crear = ['webhooks', 'crear', '--url', 'https://erp.example/acuse', '--eventos'];
    const { out } = await runAcuse([...crear, 'saldo.bajo, llave.por_rotar', '--json'], { env: envOf(caller) });
    expect(JSON.parse(out)).toMatchObject({ data: { eventos: ['saldo.bajo', 'llave.por_rotar'] } });
    const wrong = await runAcuse([...crear, 'saldo'], { env: envOf(caller) });
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('eventos')]);
  });

  it('ends with a code by the class of its error, told to people and to programs', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 0 });
    const env = envOf(caller);
    const paying = envOf(await servicio.newCiecCaller({ saldo: 1 }));
    const unknown = '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f';
    const verificar = ['descarga', 'verificar', '--solicitud-id', unknown];
    const away = { ...env, ACUSE_URL: 'http://127.0.0.1:9' };
    for (const [code, args, name, own = env] of [
      [2, ['tax', 'facturas', ...DIA, '--limite', '0'], 'CAMPO_INVALIDO', paying],
      [3, verificar, 'API_KEY_INVALIDA', { ...env, ACUSE_API_KEY: 'x' }],
      [4, ['tax', 'facturas', ...DIA], 'SALDO_INSUFICIENTE'],
      [5, verificar, 'SOLICITUD_NO_ENCONTRADA'],
      [6, ['tax', 'declaraciones-fiel', '--ejercicio', '2025'], 'EFIRMA_NO_DISPONIBLE', paying],
      [7, verificar, 'SIN_CONEXION', away],
    ] as const) {
      const { code: ended, err, out } = await runAcuse([...args, '--json'], { env: own });
      expect([args, ended, out]).toEqual([args, code, '']);
      expect(JSON.parse(err)).toMatchObject({ error: name, texto: expect.stringMatching(/\.|\)$/) });
    }
    const people = await runAcuse(verificar, { env });
    expect(people.err).toMatch(
      /^Error: No existe una solicitud.*\n\(SOLICITUD_NO_ENCONTRADA, 2002; X-Request-Id .*\)\n$/,
    );
    const lost = await runAcuse(verificar, { env: { ...env, ACUSE_URL: 'acuse.example' } });
    expect([lost.code, lost.err]).toEqual([3, expect.stringContaining('https://acuse.example')]);
    const unread = await runAcuse(['tax', 'facturas', ...DIA, '--json', '--nada'], { env });
    expect([unread.code, JSON.parse(unread.err)]).toEqual([
      2,
      { error: 'ORDEN_INVALIDA', texto: 'no existe la opción --nada' },
    ]);
    for (const words of [['tax', 'factura'], ['tax/factura']]) {
      const typo = await runAcuse(words, { env });
      expect([typo.code, typo.err]).toEqual([2, 'Error: no existe la orden «factura»\n¿Quiso decir facturas?\n']);
    }
    expect((await runAcuse(['uso/consultar'], { env })).code).toBe(0);
  });
});

describe('acuse descargar', () => {
  it('narrows the CFDI that it asks for', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const options = ['--estado', 'vigente', '--comprobante', 'I', '--contraparte', 'EKU9003173C9'];
    const rest = { rfc_contraparte: ['EKU9003173C9'], complemento: 'iedu' };
    options.push('--complemento', 'iedu');
    const { code } = await runAcuse(['descargar', ...DIA, ...options], { env: envOf(caller), cwd: await newFolder() });
    expect([code, await servicio.sql`SELECT filtros FROM solicitud WHERE rfc = ${caller.rfc}`]).toEqual([
      0,
      [{ filtros: { estado_comprobante: 'vigente', tipo_comprobante: 'I', ...rest } }],
    ]);
  });

  it('tells each step in lines where there is no terminal, and leaves the whole ZIP in a file', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const cwd = await newFolder();
    const { code, out, err } = await runAcuse(['descargar', ...DIA, '--capsula'], { env: envOf(caller), cwd });
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^Solicitud [0-9a-f-]{36}: hecha\.\n\d+ % (EN_PROCESO|TERMINADA)/),
    ]);
    expect(err).not.toContain('\u001b');
    expect(await servicio.sql`SELECT capsula FROM solicitud WHERE rfc = ${caller.rfc}`).toEqual([{ capsula: true }]);
    const name = `${caller.rfc}_recibidos_${UN_DIA.desde}_${UN_DIA.hasta}.zip`;
    expect(await readdir(cwd)).toEqual([name]);
    const zip = await readFile(join(cwd, name));
    const uuids = uuidsDelSat(servicio, caller.rfc, UN_DIA);
    expect((await readZip(zip)).csv.map((row) => row['uuid'])).toEqual(uuids);
    expect(out).toContain(`${name}: ${uuids.length} CFDI`);
    expect(out).toContain(createHash('sha256').update(zip).digest('hex'));

    const again = await runAcuse(['descargar', ...DIA], { env: envOf(caller), cwd });
    expect([again.code, again.err]).toEqual([9, expect.stringContaining('No se pidió ni se cobró nada')]);
    const nowhere = await runAcuse(['descargar', ...DIA, '--salida', 'no/x.zip'], { env: envOf(caller), cwd });
    expect([nowhere.code, nowhere.err]).toEqual([9, 'Error: No existe «no». Revise la ruta.\n']);
    const folder = await runAcuse(['descargar', ...DIA, '--salida', '.', '--sobrescribir'], {
      env: envOf(caller),
      cwd,
    });
    expect([folder.code, folder.err]).toEqual([9, 'Error: «.» es una carpeta. Dé el nombre de un archivo.\n']);
    expect(await saldoDe(servicio, caller)).toBe(1);
  });

  it('is not stopped by a reader who leaves, and neither is an order of the operator', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const cwd = await newFolder();
    for (const args of [
      ['descargar', ...DIA, '--salida', 'x.zip', '--json'],
      ['operador', 'secretos', '--carpeta', 'secretos'],
    ]) {
      const order = startAcuse(args, { env: envOf(caller), cwd });
      order.child.stdout.destroy();
      expect(await order.ended).toMatchObject({ code: 0, err: expect.not.stringContaining('EPIPE') });
    }
    expect((await readdir(cwd)).sort()).toEqual(['secretos', 'x.zip']);
    expect((await readdir(join(cwd, 'secretos'))).length).toBeGreaterThan(3);
  });

  it('that cannot write its file says by which order to go on without another charge', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const cwd = await newFolder();
    // It may be called so, but not while it is written.
    const salida = `${'x'.repeat(240)}.zip`;
    const { code, err } = await runAcuse(['descargar', ...DIA, '--salida', salida], { env: envOf(caller), cwd });
    expect([code, err]).toEqual([
      9,
      expect.stringMatching(/Retómela con:\n {2}acuse descargar --continuar .*\nError: .+\n$/),
    ]);
    const [, id = ''] = /--continuar (\S+)/.exec(err) ?? [];
    const on = await runAcuse(['descargar', '--continuar', id, '--salida', 'x.zip'], { env: envOf(caller), cwd });
    expect([on.code, await readdir(cwd), await saldoDe(servicio, caller)]).toEqual([0, ['x.zip'], 1]);
  });

  it('after Ctrl-C says by which whole order to go on, and --continuar goes on without another charge', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const cwd = await newFolder();
    const stuck = fail(servicio, caller, { service: 'portalcfdi', operation: 'AbrirConsulta', kind: 'status' });
    const given = ['--rfc', caller.rfc, '--salida', 'de mayo.zip', '--sobrescribir'];
    const left = startAcuse(['descargar', ...DIA, ...given], { env: envOf(caller), cwd });
    await expect.poll(() => left.said.err).toContain('EN_PROCESO');
    left.child.kill('SIGINT');
    const { code, err } = await left.ended;
    const [, id = ''] =
      /\n {2}acuse descargar --continuar ([0-9a-f-]{36}) --rfc [A-Z0-9&Ñ]+ --salida 'de mayo.zip' --sobrescribir\n$/.exec(
        err,
      ) ?? [];
    expect([code, id.length, err]).toEqual([130, 36, expect.stringContaining('no se vuelve a cobrar')]);
    expect(await readdir(cwd)).toEqual([]);

    servicio.simulador.world.faults.remove(stuck.id);
    const { ACUSE_URL, ACUSE_API_KEY } = envOf(caller);
    const on = await runAcuse(['descargar', '--continuar', id, '--salida', 'x.zip', '--json'], {
      env: { ACUSE_URL, ACUSE_API_KEY },
      cwd,
    });
    const lines = on.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({ solicitud_id: id, estado: expect.any(String), progreso: expect.any(Number) });
    expect(on.err).toBe('');
    const { size: bytes } = await stat(join(cwd, 'x.zip'));
    expect([on.code, lines.at(-1)]).toEqual([
      0,
      expect.objectContaining({ solicitud_id: id, archivo: 'x.zip', bytes }),
    ]);
    expect(await saldoDe(servicio, caller)).toBe(1);
  });

  it.runIf(canTerminal).each([100, 24])(
    'draws one line on a terminal of %s columns, and none is wider',
    async (columns) => {
      const caller = await servicio.newCiecCaller({ saldo: 2 });
      darFilas(servicio, caller.rfc, UN_DIA, 3);
      const cwd = await newFolder();
      const order = startAtTerminal(
        ['descargar', ...DIA, '--salida', 'x.zip'],
        { env: { ...envOf(caller), NO_COLOR: '1' }, cwd },
        columns,
      );
      const { code, screen } = await order.ended;
      expect(code).toBe(0);
      const drawn = screen
        .split('\r\u001b[2K')
        .slice(1)
        .map((line) => line.split('\r\n')[0] ?? '');
      const bars = drawn.filter((line) => line.includes('EN_PROCESO') || line.includes('TERMINADA'));
      expect(bars.length).toBeGreaterThan(0);
      for (const line of bars) expect(line.length).toBeLessThan(columns);
      expect(bars.some((line) => line.startsWith('│'))).toBe(columns === 100);
      expect(screen).not.toContain('\u001b[32m');
      expect(screen).toMatch(/x\.zip: 3 CFDI/);
    },
  );
});

it('says without a stack that an answer could not be written', async () => {
  const full = await open('/dev/full', 'w');
  const args = [programEntry(inject('programs'), 'cli'), 'completar'];
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', full.fd, 'pipe'] });
  await full.close();
  expect([status, String(stderr)]).toEqual([9, expect.stringMatching(/^Error: .*espacio en el disco.*\n$/)]);
});

it.each([
  ['Ctrl-C, which a terminal sends to the whole group', -1],
  ['a SIGINT to its process alone', 1],
])('of a checkout ends with 130 after %s while an answer is waited for', async (_, sign) => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const bin = fileURLToPath(new URL('../../../apps/cli/bin/acuse.mjs', import.meta.url));
  const env = { PATH: process.env['PATH'], ACUSE_URL: `http://127.0.0.1:${port}`, ACUSE_API_KEY: 'acuse_test_x' };
  const child = spawn(process.execPath, [bin, 'uso', 'consultar'], { env, detached: true, stdio: 'ignore' });
  await once(silent, 'connection');
  process.kill(sign * (child.pid ?? 0), 'SIGINT');
  const [code, signal] = await once(child, 'close');
  // As a shell counts it.
  expect(code ?? 128 + constants.signals[signal as 'SIGINT']).toBe(130);
  silent.close();
});
