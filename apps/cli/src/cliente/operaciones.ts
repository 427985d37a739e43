import { readFile } from 'node:fs/promises';
import { RFC_PATTERN } from '@acuse/contract';
import {
  ask,
  type Consola,
  checkPeriodo,
  fechaArgument,
  listArgument,
  print,
  readSecreto,
  rfcArgument,
  rfcOf,
  type Servicio,
} from '@acuse/roles/client';
import { type Acuse, type OpcionesLlamada, paginas } from '@acuse/sdk';
import {
  type CampoOperacion,
  type Esquema,
  GRUPOS,
  OPERACIONES,
  type OperacionDelServicio,
} from '@acuse/sdk/operaciones';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { present } from './presentar.ts';

type Valores = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** What every order has beside the fields of its operation. */
interface Flags {
  readonly json?: boolean;
  readonly todo?: boolean;
}

const SIN_CONTRASENA = 'Sin terminal no hay a quién preguntar';
const wordsOf = (nombre: string) => nombre.replaceAll('_', '-');
const camelOf = (words: string) => words.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A number as the operation wants it. */
export const numberArgument = (esEntero: boolean) => (value: string) => {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || (esEntero && !Number.isSafeInteger(number)))
    throw new InvalidArgumentError(`debe ser un número${esEntero ? ' entero' : ''}`);
  return number;
};

/** Reads a value by its schema; null where any text will do. */
function readerOf({ type, format, pattern, items }: Esquema): ((value: string) => unknown) | null {
  if (type === 'integer' || type === 'number') return numberArgument(type === 'integer');
  if (type === 'array') {
    const read = readerOf(Object(items)) ?? String;
    return (value) => listArgument(value).map((each) => read(each));
  }
  if (format === 'date') return fechaArgument;
  return pattern === RFC_PATTERN ? rfcArgument : null;
}

/** The option of a field: a password is never one, but the file that has it. */
function optionOf({
  nombre,
  descripcion,
  tipo,
  esSecreto,
  esArchivo,
  valores,
  ejemplo,
  esquema,
}: CampoOperacion): Option {
  const words = wordsOf(nombre);
  if (esSecreto)
    return new Option(`--${words}-archivo <ruta>`, `archivo con ella, o - para la entrada estándar. ${descripcion}`);
  if (esArchivo) return new Option(`--${words} <archivo>`, `el archivo .${words}`);
  const example = ejemplo === null || valores !== null ? '' : ` Por ejemplo: ${ejemplo}`;
  const hint = tipo === 'array' ? ' Varios van separados por comas.' : '';
  // Left out, it is false.
  if (tipo === 'boolean') return new Option(`--${words}`, descripcion);
  const option = new Option(`--${words} <${words}>`, `${descripcion}${hint}${example}`);
  if (valores !== null) option.choices([...valores]);
  const read = valores === null ? readerOf(esquema) : null;
  if (read !== null) option.argParser(read);
  return option;
}

/** Fields that the order may leave out: the key belongs to one RFC, and passwords are asked for. */
const isOptional = ({ nombre, esObligatorio, esSecreto }: CampoOperacion) =>
  !esObligatorio || esSecreto || nombre === 'rfc';

async function secretOf(consola: Consola, { nombre, esObligatorio }: CampoOperacion, file: string | undefined) {
  if (file !== undefined) return readSecreto(consola, file);
  if (!esObligatorio) return undefined;
  const words = wordsOf(nombre);
  return ask(consola, `${nombre === 'ciec' ? 'CIEC' : 'Contraseña'} (no se muestra): `, {
    esSecreta: true,
    sinTerminal: `${SIN_CONTRASENA} la contraseña: dé --${words}-archivo con un archivo, o - para la entrada estándar.`,
  });
}

async function fieldValue(consola: Consola, campo: CampoOperacion, valores: Valores, rfc: string) {
  const words = wordsOf(campo.nombre);
  const given = valores[camelOf(campo.esSecreto ? `${words}-archivo` : words)];
  if (campo.esSecreto) return secretOf(consola, campo, given === undefined ? undefined : String(given));
  if (campo.esArchivo && given !== undefined) return (await readFile(String(given))).toString('base64');
  return given ?? (campo.nombre === 'rfc' && rfc !== '' ? rfc : undefined);
}

/** Calls a method of the client by the names that the document gives it. */
export function call(
  acuse: Acuse,
  { grupo, metodo }: OperacionDelServicio,
  peticion: object,
  opciones?: OpcionesLlamada,
): Promise<object> {
  const methods = Reflect.get(acuse, grupo) as Readonly<
    Record<string, (body: object, opciones?: OpcionesLlamada) => Promise<object>>
  >;
  const method = methods[metodo];
  if (method === undefined) throw new Error(`the client has no ${grupo}.${metodo}`);
  return method(peticion, opciones);
}

/** The answer of a list, as the service gives each page. */
interface Lista {
  readonly data: { readonly items: readonly unknown[]; readonly siguiente: string | null };
}

/** Every page of a list: one answer a line for programs, one table of all for people. */
async function printAll(
  consola: Consola,
  pedir: (pagina: { readonly cursor?: string }) => Promise<Lista>,
  json: boolean,
): Promise<void> {
  const items: unknown[] = [];
  let last: Lista | null = null;
  for await (const pagina of paginas(pedir)) {
    if (json) print(consola, JSON.stringify(pagina));
    else for (const item of pagina.data.items) items.push(item);
    last = pagina;
  }
  if (json || last === null) return;
  const data = { ...last.data, total: items.length, items };
  print(consola, present({ ...last, data }, consola.salida.columns ?? Infinity));
}

function addOperacion(grupo: Command, { consola, open }: Servicio, operacion: OperacionDelServicio): void {
  const command = grupo
    .command(operacion.accion)
    .summary(`${operacion.resumen}${operacion.costo === 0 ? '' : ` (${operacion.costo} crédito)`}`)
    .description(`${operacion.resumen}.\n\n${operacion.descripcion}`)
    .option('--json', 'la respuesta tal como la da el servicio, en una línea de JSON');
  for (const campo of operacion.campos) {
    const option = optionOf(campo);
    command.addOption(isOptional(campo) ? option : option.makeOptionMandatory());
  }
  if (operacion.campos.some(({ nombre }) => nombre === 'cursor'))
    command.option('--todo', 'todas las páginas, una tras otra; con --json, una por línea');
  command.action(async ({ json = false, todo = false, ...valores }: Valores & Flags) => {
    checkPeriodo(valores['desde'], valores['hasta']);
    const { acuse, acceso } = await open();
    const peticion: Record<string, unknown> = {};
    for (const campo of operacion.campos) {
      const value = await fieldValue(consola, campo, valores, acceso.rfc);
      if (value !== undefined) peticion[campo.nombre] = value;
      else if (campo.nombre === 'rfc') rfcOf(acceso, undefined);
    }
    if (todo) {
      const pedir = (pagina: object) => call(acuse, operacion, { ...peticion, ...pagina }) as Promise<Lista>;
      await printAll(consola, pedir, json);
      return;
    }
    const answer = await call(acuse, operacion, peticion);
    print(consola, json ? JSON.stringify(answer) : present({ ...answer }, consola.salida.columns ?? Infinity));
  });
}

/** Every operation of the service as an order: `tax/facturas` is `acuse tax facturas`. */
export function addOperaciones(program: Command, servicio: Servicio): void {
  for (const { name, description = '' } of GRUPOS) {
    const grupo = program.command(name).description(description);
    for (const operacion of OPERACIONES.filter((each) => each.grupo === name)) addOperacion(grupo, servicio, operacion);
  }
}
