import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger, ExplainedError, explain } from '@acuse/runtime';
import { readSettings } from '../settings.ts';
import { type RunningStack, type StackOptions, startStack } from '../stack.ts';
import { askSimulator, isKeyActive, lastMonths, makeAccount, type ReadyAccount, RFC_DE_PRUEBA } from './account.ts';
import { type CommandOptions, helpOf, readOptions } from './options.ts';
import { startOnFreePorts } from './ports.ts';

const HOME = fileURLToPath(new URL('../../../../.acuse', import.meta.url));
/** Months with the number of rows that `--rows` asks for. */
const MONTHS = 3;

/**
 * The account of an earlier start, or a new one: its key is shown once by the service, so it is kept beside the data.
 * One that this database does not know, whose key was replaced, or that was made before there was a panel, has a new
 * one take its place.
 */
async function readyAccount(stack: RunningStack, home: string, rfc = RFC_DE_PRUEBA): Promise<ReadyAccount> {
  const path = join(home, rfc === RFC_DE_PRUEBA ? 'cuenta.json' : `cuenta-${rfc}.json`);
  try {
    const kept: ReadyAccount = JSON.parse(await readFile(path, 'utf8'));
    if (kept.panel && (await isKeyActive(stack, kept.api_key))) return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
  }
  const account = await makeAccount(stack, home, rfc);
  await writeFile(path, JSON.stringify(account, null, 2), { mode: 0o600 });
  return account;
}

function describe(stack: RunningStack, account: ReadyAccount, home: string, options: CommandOptions) {
  const { rfc, api_key, ciec, efirma, panel } = account;
  const line = {
    api: stack.apiUrl,
    panel: stack.panel?.publicUrl ?? null,
    simulador: stack.simuladorUrl,
    s3: stack.s3.endpoint,
    database_url: stack.databaseUrl,
    rfc,
    api_key,
    ciec,
    efirma,
    panel_user: panel?.user ?? null,
    panel_password: panel?.password ?? null,
    panel_operator_user: panel?.operator_user ?? null,
    panel_operator_password: panel?.operator_password ?? null,
  };
  if (options.json) return JSON.stringify(line);
  return [
    '',
    `API          ${line.api}      (documento OpenAPI: ${line.api}/openapi.json)`,
    `Panel        ${line.panel}`,
    `  usuario    ${line.panel_user}  (contraseña: ${line.panel_password})`,
    `  operador   ${line.panel_operator_user}  (contraseña: ${line.panel_operator_password})`,
    `Simulador    ${line.simulador}`,
    `S3           ${line.s3}`,
    `PostgreSQL   ${line.database_url}`,
    '',
    `RFC          ${rfc}`,
    `API key      ${api_key}`,
    `CIEC         ${ciec}`,
    `e.firma      ${efirma.cer}`,
    `             ${efirma.key}  (contraseña: ${efirma.password})`,
    '',
    `Ctrl-C detiene todo; los datos quedan en ${home}.`,
  ].join('\n');
}

async function main(): Promise<void> {
  const options = readOptions('start', process.argv.slice(2));
  if (options === null) {
    process.stdout.write(`${helpOf('start')}\n`);
    return;
  }
  const home = options.dataDir ?? HOME;
  const settings = readSettings(process.env);
  const log = createLogger({ name: 'start', level: options.json ? 'error' : 'warn' });
  await mkdir(home, { recursive: true, mode: 0o700 });
  let end: () => void = () => {};
  let fail: (error: Error) => void = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  // May reject before it is awaited, when a program ends during the start.
  ended.catch(() => {});
  const start = (ports: StackOptions['ports']) =>
    startStack({
      dataDir: home,
      logDir: join(home, 'log'),
      log,
      ...settings,
      ...(ports === undefined ? {} : { ports }),
      ...(options.redisUrl === undefined ? {} : { redisUrl: options.redisUrl }),
      withPanel: true,
      onUnexpectedExit: (name, code, signal) =>
        fail(
          new ExplainedError(
            `${name} terminó por sí solo (${signal ?? `código ${code}`}) y npm start se detuvo. Por qué, en su bitácora: ${join(home, 'log', name)}.log`,
          ),
        ),
    });
  const stack = await startOnFreePorts(options, settings, start);
  try {
    const account = await readyAccount(stack, home, options.rfc);
    if (options.rows !== undefined) {
      const filas = [{ tipo: 'recibidos', ...lastMonths(MONTHS, new Date()), cantidad: options.rows }];
      await askSimulator(stack, `contribuyentes/${account.rfc}`, { method: 'PUT', body: { filas } });
    }
    process.stdout.write(`${describe(stack, account, home, options)}\n`);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
    await ended;
  } finally {
    await stack.stop();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${explain(error, { folder: '--data' })}\n`);
  process.exitCode = 1;
}
