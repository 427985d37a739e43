import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Settings, settingsSchema } from './world/settings.ts';
import { isRfc } from './world/taxpayers/persona.ts';

/** An order that cannot be carried out as it was given; its message is in Spanish, for who gave it. */
export class OptionError extends Error {}

/** Every option by its name: the setting that it takes the place of, and what the help says of it. */
const OPTIONS: Readonly<Record<string, { setting: string; value?: string; many?: boolean; help: string }>> = {
  puerto: { setting: 'SIMULADOR_PORT', value: 'n', help: 'puerto en el que escucha (4500); 0 toma uno libre' },
  host: {
    setting: 'SIMULADOR_HOST',
    value: 'dirección',
    help: 'dirección en la que escucha (127.0.0.1: solo esta máquina)',
  },
  https: { setting: 'SIMULADOR_HTTPS', help: 'sirve HTTPS, con un certificado de su propia autoridad' },
  datos: {
    setting: 'SIMULADOR_DATA_DIR',
    value: 'carpeta',
    help: 'guarda ahí su autoridad (ca.pem) y lo que emite; sin ella, todo vive en memoria',
  },
  efirma: {
    setting: 'SIMULADOR_EFIRMAS',
    value: 'RFC',
    many: true,
    help: 'deja en la carpeta de --datos una e.firma de ese RFC; puede repetirse',
  },
  semilla: {
    setting: 'SIMULADOR_SEMILLA',
    value: 'texto',
    help: 'la misma da los mismos contribuyentes y CFDI (acuse)',
  },
  reloj: {
    setting: 'SIMULADOR_RELOJ',
    value: 'instante',
    help: 'hora a la que arranca su reloj, como 2026-03-31T23:50:00-06:00 (la de la máquina)',
  },
  ajuste: {
    setting: 'SIMULADOR_AJUSTES',
    value: 'nombre=valor',
    many: true,
    help: 'cambia un ajuste, como max_filas_metadata=1000; puede repetirse',
  },
};

/** Those that no setting stands for. */
const FLAGS = {
  json: 'dice las direcciones en un solo renglón de JSON, para programas',
  help: 'muestra esta ayuda',
  version: 'muestra la versión',
} as const;

const listOf = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((part) => part !== ''))
    .pipe(z.array(item));

/** `nombre=valor`, the value as the setting of that name has it. */
const ajuste = z.string().transform((text, context) => {
  const [name = '', value = ''] = text.split(/=(.*)/s);
  const field = Object.entries(settingsSchema.shape).find(([each]) => each === name)?.[1];
  const isTruth = value === 'true' || value === 'false';
  const found = [value, ...(value === '' ? [] : [Number(value)]), ...(isTruth ? [value === 'true'] : [])]
    .map((candidate) => field?.safeParse(candidate))
    .find((result) => result?.success);
  if (found) return [name, found.data] as const;
  const message = field ? `«${value}» no es un valor de ${name}` : `no hay un ajuste «${name}»: van como nombre=valor`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const aPort = 'debe ser un número entero entre 0 y 65535';
const schema = z.object({
  SIMULADOR_HOST: z.string().min(1, 'falta su valor').default('127.0.0.1'),
  SIMULADOR_PORT: z
    .string()
    .regex(/^\d{1,5}$/, aPort)
    .transform(Number)
    .refine((port) => port <= 65_535, aPort)
    .default(4500),
  SIMULADOR_HTTPS: z.stringbool({ error: 'debe ser true o false' }).default(false),
  SIMULADOR_DATA_DIR: z.string().min(1, 'falta su valor').optional(),
  SIMULADOR_EFIRMAS: listOf(z.string().refine(isRfc, 'no tiene la forma de un RFC')),
  SIMULADOR_SEMILLA: z.string().min(1, 'falta su valor').optional(),
  SIMULADOR_RELOJ: z.iso
    .datetime({ offset: true, error: 'debe ser un instante como 2026-03-31T23:50:00-06:00' })
    .transform((text) => new Date(text))
    .optional(),
  SIMULADOR_AJUSTES: listOf(ajuste).transform((pairs): Partial<Settings> => Object.fromEntries(pairs)),
});

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly https: boolean;
  /** Absolute. */
  readonly dataDir: string | undefined;
  /** RFCs that get an e.firma in `dataDir`. */
  readonly efirmas: readonly string[];
  readonly reloj: Date | undefined;
  readonly settings: Partial<Settings>;
  /** True to print the addresses as one line of JSON. */
  readonly json: boolean;
  /** Text to print instead of starting; null to start. */
  readonly shows: 'help' | 'version' | null;
}

/** Reads options and environment, the options first. @throws OptionError that names every fault. */
export function loadConfig(args: readonly string[] = [], env: NodeJS.ProcessEnv = process.env): Config {
  const { settings: given, flags } = readArgs(args);
  const result = schema.safeParse({ ...env, ...given });
  if (!result.success) {
    const faults = result.error.issues.map(({ path: [setting], message }) => `${optionOf(setting)}: ${message}`);
    throw new OptionError(faults.join('\n'));
  }
  const read = result.data;
  const dataDir = read.SIMULADOR_DATA_DIR;
  if (read.SIMULADOR_EFIRMAS.length > 0 && dataDir === undefined)
    throw new OptionError('--efirma: diga también con --datos en qué carpeta se deja');
  return {
    host: read.SIMULADOR_HOST,
    port: read.SIMULADOR_PORT,
    https: read.SIMULADOR_HTTPS,
    dataDir: dataDir === undefined ? undefined : resolve(dataDir),
    efirmas: read.SIMULADOR_EFIRMAS,
    reloj: read.SIMULADOR_RELOJ,
    settings: {
      ...read.SIMULADOR_AJUSTES,
      ...(read.SIMULADOR_SEMILLA !== undefined && { semilla: read.SIMULADOR_SEMILLA }),
    },
    json: flags.has('json'),
    shows: flags.has('help') ? 'help' : flags.has('version') ? 'version' : null,
  };
}

/** A setting as who starts the program knows it. */
function optionOf(setting: PropertyKey | undefined): string {
  const [name] = Object.entries(OPTIONS).find(([, option]) => option.setting === setting) ?? [];
  return `--${name} (${String(setting)})`;
}

function readArgs(args: readonly string[]) {
  const options: Readonly<Record<string, { setting?: string; value?: string; many?: boolean }>> = {
    ...OPTIONS,
    ...Object.fromEntries(Object.keys(FLAGS).map((name) => [name, {}])),
  };
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }]),
    ),
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const settings: Record<string, string> = {};
  const flags = new Set<string>();
  for (const token of tokens) {
    if (token.kind === 'positional') throw new OptionError(`«${token.value}» sobra: las opciones empiezan con --`);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const option = options[name];
    if (!option) throw new OptionError(`no existe la opción ${rawName}`);
    if (option.value === undefined && value !== undefined) throw new OptionError(`--${name}: va sin valor`);
    if (option.value !== undefined && !value) throw new OptionError(`--${name}: falta su valor`);
    const { setting, many } = option;
    if (setting === undefined) flags.add(name);
    else settings[setting] = many && settings[setting] ? `${settings[setting]},${value}` : (value ?? 'true');
  }
  return { settings, flags };
}

/** The help, in Spanish. */
export function helpText(): string {
  const line = (option: string, help: string) => `  ${option.padEnd(26)} ${help}`;
  return [
    'Uso: simulador [opciones]',
    '',
    'Hace las veces del SAT para programar y probar sin él: descarga masiva, portales, estado de un CFDI, lista 69-B.',
    'No es el SAT, ni le pregunta nada: lo que contesta no tiene validez fiscal.',
    '',
    'Opciones:',
    ...Object.entries(OPTIONS).map(([name, option]) =>
      line(`--${name}${option.value ? ` <${option.value}>` : ''}`, option.help),
    ),
    ...Object.entries(FLAGS).map(([name, help]) => line(`--${name}`, help)),
    '',
    `Cada opción se lee también del ambiente: ${Object.values(OPTIONS)
      .map(({ setting }) => setting)
      .join(', ')}.`,
    'Los ajustes, las fallas y todo lo demás que se puede cambiar en marcha: README.md del paquete.',
  ].join('\n');
}
