import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface CommandOptions {
  /** The last line of the output is one JSON object for other programs. */
  readonly json: boolean;
  /** Redis as the queue; without it, the database is the queue. */
  readonly redisUrl?: string;
  /** Rows that the simulated authority has in the asked period; without it, the handful a day that it makes up. */
  readonly rows?: number;
  readonly credencial: 'ciec' | 'efirma';
  /** Taxpayer of the ready account; without it, one without surprises. */
  readonly rfc?: string;
  /** Port of the API; without it, 8080 or another one that is free. */
  readonly port?: number;
  /** Where everything that lasts is kept, absolute; without it, `.acuse` of the checkout. */
  readonly dataDir?: string;
}

/** What the two commands take: name, whether a value follows, which command, and what the help says of it. */
const OPTIONS = {
  json: { type: 'boolean', of: ['demo', 'start'], help: 'el resultado es un objeto JSON, solo en la salida estándar' },
  redis: {
    type: 'string',
    of: ['demo', 'start'],
    help: 'redis://servidor:puerto como cola, en lugar de la base de datos',
  },
  rows: { type: 'string', of: ['demo', 'start'], help: 'filas que el SAT simulado tiene en los últimos tres meses' },
  credencial: { type: 'string', of: ['demo'], help: 'ciec (si no se dice otra) o efirma' },
  rfc: { type: 'string', of: ['start'], help: 'RFC de la cuenta ya preparada' },
  port: { type: 'string', of: ['start'], help: 'puerto de la API (8080, o el siguiente libre, si no se dice)' },
  data: { type: 'string', of: ['demo', 'start'], help: 'carpeta de los datos (.acuse si no se dice)' },
  help: { type: 'boolean', of: ['demo', 'start'], help: 'muestra esta ayuda' },
} as const;

type CommandName = 'demo' | 'start';

const SUMMARIES: Readonly<Record<CommandName, string>> = {
  demo: 'Hace el trabajo principal de la nada hasta un ZIP comprobado, que queda en la carpeta de los datos.',
  start: 'Enciende todo con el panel hasta Ctrl-C. Los datos quedan en la carpeta de los datos.',
};

/** The help of a command, in Spanish. */
export function helpOf(command: CommandName): string {
  const lines = Object.entries(OPTIONS)
    .filter(([, { of }]) => (of as readonly string[]).includes(command))
    .map(([name, { type, help }]) => `  ${`--${name}${type === 'string' ? ' <valor>' : ''}`.padEnd(22)} ${help}`);
  const npm = command === 'start' ? 'npm start' : `npm run ${command}`;
  return [
    `Uso: ${npm} -- [opciones]`,
    '',
    SUMMARIES[command],
    '',
    'Opciones:',
    ...lines,
    '',
    'Los ajustes de .env.example se leen del ambiente y del archivo .env; DATABASE_URL, QUEUE_URL y S3_ENDPOINT cambian cada parte',
    'incluida por un servidor. Con --json, «npm run -s» calla a npm.',
  ].join('\n');
}

/**
 * Reads the arguments of `demo` and `start`; null when they ask for the help. @throws an Error in Spanish for the
 * operator.
 */
export function readOptions(command: CommandName, args: readonly string[]): CommandOptions | null {
  const values = parse(command, args);
  if (values.help) return null;
  const { json = false, redis, credencial = 'ciec', data } = values;
  if (redis !== undefined && !/^rediss?(\+sentinel|\+cluster)?:\/\//.test(redis))
    throw new Error('--redis: debe ser redis://servidor:puerto');
  if (credencial !== 'ciec' && credencial !== 'efirma') throw new Error('--credencial: debe ser ciec o efirma');
  const rfc = values.rfc?.trim().toUpperCase();
  if (rfc !== undefined && !/^[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}$/.test(rfc))
    throw new Error('--rfc: debe ser un RFC de 12 o 13 caracteres');
  const rows = integerOf('--rows', values.rows, 0, 50_000_000);
  const port = integerOf('--port', values.port, 1, 65_535);
  return {
    json,
    credencial,
    ...(redis === undefined ? {} : { redisUrl: redis }),
    ...(rfc === undefined ? {} : { rfc }),
    ...(rows === undefined ? {} : { rows }),
    ...(port === undefined ? {} : { port }),
    ...(data === undefined ? {} : { dataDir: resolve(data) }),
  };
}

function parse(command: CommandName, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(OPTIONS)
      .filter(([, { of }]) => (of as readonly string[]).includes(command))
      .map(([name, { type }]) => [name, { type }]),
  );
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const values: Partial<Record<keyof typeof OPTIONS, string>> = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = options[token.name];
    if (option === undefined) throw new Error(`no existe la opción ${token.rawName}. Véalas con --help`);
    if (option.type === 'string' && (token.value === undefined || token.value === ''))
      throw new Error(`--${token.name}: falta su valor`);
    if (option.type === 'boolean' && token.value !== undefined) throw new Error(`--${token.name}: va sin valor`);
    values[token.name as keyof typeof OPTIONS] = token.value ?? 'true';
  }
  const extra = positionals[0];
  if (extra !== undefined) throw new Error(`«${extra}» sobra: las opciones empiezan con --. Véalas con --help`);
  const { json, help, ...rest } = values;
  return { ...rest, json: json === 'true', help: help === 'true' };
}

function integerOf(name: string, value: string | undefined, min: number, max: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < min || number > max)
    throw new Error(`${name}: debe ser un número entero entre ${min} y ${max.toLocaleString('en-US')}`);
  return number;
}
