import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hasCheckDigit, parseRfc } from '@acuse/contract';
import { freePort } from '@acuse/embedded';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiDocument, Content } from '../../../apps/api/src/site/postman.ts';
import { createCaller } from '../../../packages/embedded/src/commands/account.ts';
import { blocksOf, documents, type Orden, openShell, ordenesOf, ROOT, textOf } from './ordenes.ts';

/** What no test can run beside others: which commands, and why. */
const NOT_HERE: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^docker compose /, 'needs a Docker engine; the orders after `operador` run in test/integration/panel/cli.test.ts'],
  [/^npm run demo\b/, 'starts a stack of its own for minutes; CI runs it on a fresh clone'],
  [/^npm test\b/, 'is what runs this test'],
  [/^acuse escuchar /, 'waits for events until Ctrl-C; it runs in test/integration/cli/escuchar.test.ts'],
  [
    /^(psql|pg_restore|DATABASE_URL="\$NUEVA"|acuse operador (comprobar|respaldar))/,
    'is about a database that nothing works on; it runs in test/integration/recuperacion',
  ],
  [/^acuse operador contribuyente /, 'deletes a taxpayer; it runs in test/integration/borrado'],
  [
    /^acuse operador (revisar|solicitudes|captchas|efos|listas|llave|secretos)\b/,
    'is the operator’s; it runs in test/integration/cli/ordenes-operador.test.ts',
  ],
  [/assemble\.bench\.ts/, 'a bench of minutes with a million rows'],
  [/^npm (run build|pack|install) /, 'would leave files in the checkout; test/integration/sdk packs and installs it'],
];
/** Pages whose commands another test runs, as published. */
const ELSEWHERE = /^apps\/simulador\/README\.md$/; // test/integration/simulador
/** Fields of an answer to a request that was made before. */
const SOMETIMES = ['duplicada'];

const canRun = ['bash', 'curl'].every((program) => spawnSync(program, ['--version']).status === 0);

const exampleOf = (part: Content | undefined) =>
  Object(part?.content['application/json'].example) as Record<string, unknown>;

interface Started {
  readonly api: string;
  readonly simulador: string;
  readonly rfc: string;
  readonly api_key: string;
  readonly ciec: string;
}

const all = documents();
const ordenes = all.flatMap(ordenesOf);
const runs = ({ document, text }: Orden) =>
  !ELSEWHERE.test(document) && !NOT_HERE.some(([command]) => command.test(text));

describe('the documents', () => {
  it('mark every block of commands as one', () => {
    const plain = all.flatMap((document) =>
      blocksOf(document)
        .filter(
          ({ language, text }) => language === '' && /^(\$ )?(npm|npx|node|curl|docker|acuse|bash|export) /m.test(text),
        )
        .map(() => document),
    );
    expect(plain).toEqual([]);
  });

  it('show commands, of which few cannot run here', () => {
    expect(ordenes.length).toBeGreaterThan(60);
    for (const [command, reason] of NOT_HERE)
      expect(
        ordenes.some(({ text }) => command.test(text)),
        `${reason}: no document shows ${command}`,
      ).toBe(true);
  });

  it('show no RFC whose check digit is wrong where a query would warn of it', () => {
    const wrong = ordenes.flatMap(({ document, text }) =>
      [...text.matchAll(/\b[A-ZÑ&]{3,4}\d{6}[A-Z\d]{2}[A\d]\b/g)]
        .map(([rfc]) => rfc)
        .filter((rfc) => parseRfc(rfc) !== null && !hasCheckDigit(rfc))
        .map((rfc) => `${document}: ${rfc}`),
    );
    expect(wrong).toEqual([]);
  });

  it('name existing commands and npm scripts only', () => {
    const scripts = Object.keys(JSON.parse(textOf('package.json')).scripts);
    const named = all.flatMap((document) =>
      [...textOf(document).matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = '']) => `${document}: ${name}`),
    );
    expect(named.filter((each) => !scripts.includes(each.split(': ')[1] ?? ''))).toEqual([]);
  });
});

describe.runIf(canRun)('every command of the documents, before what npm start started', { tags: ['slow'] }, () => {
  let home = '';
  let stack: ChildProcess;
  let started: Started;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'acuse-documentos-'));
    const args = ['packages/embedded/bin/acuse.mjs', 'start', '--json', '--data', home];
    // Settings that these commands need: otherwise sign-ups are closed or limited by address.
    const settings = {
      API_PORT: String(await freePort()),
      PANEL_REGISTRO: 'cerrado',
      REGISTROS_IP: '1',
      ENTRADAS_IP: '1',
    };
    stack = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...settings, RATE_LIMIT_BURST: '10000' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await Promise.race([
      once(createInterface({ input: stack.stdout ?? process.stdin }), 'line'),
      once(stack, 'exit').then(([code]) => Promise.reject(new Error(`npm start ended with ${code}`))),
    ]);
    started = JSON.parse(line);
    expect(started.api).toBe(`http://127.0.0.1:${settings.API_PORT}`);
    const { api, api_key, rfc, ciec } = started;
    const own = { API: api, KEY: api_key, API_KEY: api_key, RFC: rfc, CIEC: ciec, SAT: started.simulador };
    env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...own };
    env['XDG_CONFIG_HOME'] = home;
  }, 300_000);
  afterAll(async () => {
    if (stack?.exitCode === null) {
      const ended = once(stack, 'exit');
      stack.kill('SIGTERM');
      await ended;
    }
    await rm(home, { recursive: true, force: true });
  }, 120_000);

  /** Those that end with a 31st, as the documents' does. */
  const LONG_MONTHS = ['01', '03', '05', '07', '08', '10', '12'];

  /** The command for this stack: its addresses and folders in place of those that a document gives as an example. */
  const here = (text: string) =>
    text
      .replace(/\bKEY=acuse_test_…/, `KEY=${started.api_key}`)
      .replace(/\bAPI=http:\/\/127\.0\.0\.1:8080\b/, `API=${started.api}`)
      .replaceAll('.acuse/', `${home}/`)
      .replace(/\b(marzo|2025)\.zip/g, `${home}/$1.zip`)
      .replace(/([">\s])efirma\.(json|cer|key)?/g, `$1${home}/efirma.$2`);

  const codesOf = (output: string) => [...output.matchAll(/"cfdi_codigo":(\d+)/g)].map(([, code]) => Number(code));

  it('of docs/openapi.json: every example, with the fields that it shows', { timeout: 600_000 }, async () => {
    const shell = openShell(env);
    const call = createCaller(started.api, started.api_key);
    const { rfc, ciec } = started;
    const profile = await fetch(`${started.simulador}/control/contribuyentes/${rfc}`);
    const { perfil } = (await profile.json()) as { perfil: { idCif: string } };
    const file = async (part: string) => (await shell.run(`base64 -w0 ${home}/efirma/${rfc}.${part}`)).output;
    const own: Record<string, unknown> = {
      ciec,
      id_cif: perfil.idCif,
      cer: await file('cer'),
      key: await file('key'),
      password: 'contrasena-de-prueba',
    };
    shell.close();
    const { paths } = JSON.parse(textOf('docs/openapi.json')) as ApiDocument;
    const shown = Object.entries(paths).map(([path, { post }]) => ({
      path: path.replace('/api/v1/', ''),
      body: exampleOf(post.requestBody),
      data: Object(exampleOf(post.responses['200'])['data']),
    }));
    expect(shown.length).toBeGreaterThan(40);
    const byNeed = ({ path }: { path: string }) => (/registrar/.test(path) ? 0 : /guardar/.test(path) ? 1 : 2);
    const seen: string[] = [];
    for (const { path, body, data } of [...shown].sort((a, b) => byNeed(a) - byNeed(b))) {
      if (path.startsWith('descarga/') || path === 'riesgo/paquete') Object.assign(own, await preparedFor(path));
      else if (path.startsWith('riesgo/')) await preparedSincronizacion();
      if (path.startsWith('webhooks/')) Object.assign(own, await preparedWebhook());
      if (path.startsWith('conexion/')) Object.assign(own, await preparedConexion());
      own['cursor'] = path.startsWith('sincronizacion/') ? await preparedSincronizacion() : undefined;
      // The cursor of a page belongs to its filters, and the first page has none.
      if (path.startsWith('cfdi/')) {
        await preparedSincronizacion();
        Reflect.deleteProperty(body, 'cursor');
      }
      const mine = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, own[name] ?? value]));
      const answer = await call(path, mine);
      const shownFields = Object.keys(data).filter((field) => !SOMETIMES.includes(field));
      for (const field of shownFields) expect(answer, path).toHaveProperty(field);
      seen.push(path);
    }
    expect(seen).toHaveLength(shown.length);

    /** A subscription, and a cursor of its changes. */
    async function preparedSincronizacion(): Promise<unknown> {
      await call('sincronizacion/crear', { rfc, tipo: 'recibidos', desde: '2026-11-01' });
      return Reflect.get(Object(await call('sincronizacion/cambios', { rfc })), 'siguiente');
    }

    /** A link to connect. */
    async function preparedConexion(): Promise<Record<string, unknown>> {
      const asked = { rfc, solicitante: 'Contadores', finalidad: 'Probar' };
      const { conexion_id } = await call<{ conexion_id: string }>('conexion/crear', asked);
      return { conexion_id };
    }

    /** A webhook, and a delivery of it. */
    async function preparedWebhook(): Promise<Record<string, unknown>> {
      const url = `https://erp.example/${seen.length}`;
      const campos = { rfc, url, eventos: ['saldo.bajo'] };
      const { webhook_id } = await call<{ webhook_id: string }>('webhooks/crear', campos);
      const { entrega_id } = await call<{ entrega_id: string }>('webhooks/probar', { webhook_id });
      return { webhook_id, entrega_id, url: `${url}/other` };
    }

    /** A request as the operation wants it, or a CFDI that the SAT knows. */
    async function preparedFor(path: string): Promise<Record<string, unknown>> {
      if (path === 'descarga/consulta-cfdi') {
        const { items } = await call<{ items: { uuid: string; emisor_rfc: string; total: number }[] }>('tax/facturas', {
          rfc,
          desde: '2026-03-01',
          hasta: '2026-03-31',
        });
        const [cfdi] = items;
        return { uuid: cfdi?.uuid, rfc_emisor: cfdi?.emisor_rfc, rfc_receptor: rfc, total: cfdi?.total };
      }
      const period = {
        desde: path === 'descarga/cancelar' ? '2022-01-01' : '2026-02-01',
        hasta: path === 'descarga/cancelar' ? '2026-10-31' : '2026-02-28',
      };
      const { solicitud_id } = await call<{ solicitud_id: string }>('tax/descarga-metadata', {
        rfc,
        tipo: 'emitidos',
        ...period,
      });
      if (path.endsWith('/paquete'))
        await expect
          .poll(async () => (await call<{ estado: string }>('descarga/verificar', { solicitud_id })).estado, {
            timeout: 120_000,
          })
          .toBe('TERMINADA');
      return { solicitud_id };
    }
  });

  it.each(all.filter((document) => ordenesOf(document).some(runs)))('of %s', { timeout: 600_000 }, async (document) => {
    const shell = openShell(env);
    // The documents all ask for the same month, in both languages and into files of one name: the SAT takes so many
    // requests that are equal, and no more.
    const at = all.indexOf(document);
    const mes = `${2021 + (Math.floor(at / LONG_MONTHS.length) % 5)}-${LONG_MONTHS[at % LONG_MONTHS.length]}`;
    await shell.run(`rm -f ${home}/marzo.zip ${home}/2025.zip`);
    let solicitud = '';
    try {
      // What a document shows of the simulator's control is refused with a status: that is a failed command.
      if (!/^(README|LEEME)/.test(document)) await shell.run('curl() { command curl -sS --fail-with-body "$@"; }');
      for (const orden of ordenesOf(document).filter(runs)) {
        const text = here(orden.text)
          .replaceAll('2026-03-', `${mes}-`)
          .replaceAll('erp.example/acuse', `erp.example/acuse-${at}`) // a second webhook of one URL is a 409
          .replaceAll('"solicitud_id":"…"', `"solicitud_id":"${solicitud}"`);
        const { code, output } = await shell.run(text);
        expect([orden.text, code, output]).toEqual([orden.text, 0, output]);
        // `paquete` answers 3002 until the ZIP is there, as the document says beside it.
        const expected = text.startsWith('call descarga/paquete') ? [1, 3002] : [1];
        for (const codigo of codesOf(output))
          expect([orden.text, expected.includes(codigo), output]).toEqual([orden.text, true, output]);
        if (/^(call|op) /.test(text))
          expect([orden.text, codesOf(output).length, output]).toEqual([orden.text, 1, output]);
        solicitud = /"solicitud_id":"([^"]+)"/.exec(output)?.[1] ?? solicitud;
      }
    } finally {
      shell.close();
    }
  });
});
