import { ConfigError } from './config.ts';

/** An error whose message is all that its reader needs, in as many lines as it has. */
export class ExplainedError extends Error {
  override readonly name = 'ExplainedError';
}

/** What the operator changes to mend an error, by the names that they have where it happened. */
interface Where {
  /** The setting that names the server; `DATABASE_URL` unless told otherwise. */
  readonly server?: string;
  /** The setting or option that names the folder. */
  readonly folder?: string;
  /** The setting or option that names the port. */
  readonly port?: string;
}

type Remedy = (where: Where, fact: { readonly path?: string; readonly port?: number }) => string;

/** What a server that one of our settings names is called. */
const SERVERS: Readonly<Record<string, string>> = {
  DATABASE_URL: 'PostgreSQL',
  'QUEUE_URL o --redis': 'el servidor de la cola',
  S3_ENDPOINT: 'el almacén',
};
const serverOf = ({ server = 'DATABASE_URL' }: Where) => server;
const nameOf = (where: Where) => SERVERS[serverOf(where)] ?? 'el servidor';
const pathOf = (path: string | undefined) => (path === undefined ? 'ese archivo o carpeta' : `«${path}»`);
const orElse = (name: string | undefined, what: string) => (name === undefined ? '' : `, o elija ${what} con ${name}`);
const ofFolder: (reason: (path: string) => string) => Remedy =
  (reason) =>
  ({ folder }, { path }) =>
    `${reason(pathOf(path))}${orElse(folder, 'otra carpeta')}.`;

const denied: Remedy = (where, fact) =>
  fact.port === undefined
    ? ofFolder(
        (path) => `No hay permiso para leer o escribir ${path}. Revise de quién es y con qué usuario da la orden`,
      )(where, fact)
    : `El sistema no deja escuchar en el puerto ${fact.port}: los menores a 1024 son del administrador${orElse(where.port, 'otro')}.`;
const full = ofFolder((path) => `No queda espacio en el disco de ${path}. Libere espacio`);
const away: Remedy = (where) => `${serverOf(where)}: la conexión se cortó. Repita la orden.`;
const badLogin: Remedy = (where) => `PostgreSQL no acepta el usuario o la contraseña de ${serverOf(where)}.`;

/** What an operator can do about errors of the system and of PostgreSQL (appendix A of its manual), by their code. */
const REMEDIES: Readonly<Record<string, Remedy>> = {
  ECONNREFUSED: (where) =>
    `Nadie contesta en la dirección de ${serverOf(where)}. Revise que ${nameOf(where)} esté encendido y que servidor y puerto sean los suyos.`,
  ENOTFOUND: (where) => `El servidor de ${serverOf(where)} no existe o no se encuentra. Revise su nombre.`,
  EAI_AGAIN: (where) => `El servidor de ${serverOf(where)} no se encuentra por ahora. Revise su nombre y la red.`,
  ETIMEDOUT: (where) => `El servidor de ${serverOf(where)} no contesta a tiempo. Revise la red y el cortafuegos.`,
  EHOSTUNREACH: (where) => `No hay camino al servidor de ${serverOf(where)}. Revise su nombre y la red.`,
  ECONNRESET: away,
  EPIPE: away,
  EADDRINUSE: (where, { port }) =>
    `${where.port === undefined ? '' : `${where.port}: `}alguien escucha ya en el puerto ${port}. Deténgalo, o elija otro.`,
  EADDRNOTAVAIL: () =>
    'Esta máquina no tiene la dirección en la que se pidió escuchar. Revise el ajuste que termina en _HOST.',
  EACCES: denied,
  EPERM: denied,
  EROFS: ofFolder((path) => `El disco de ${path} es de solo lectura. Cambie sus permisos`),
  ENOSPC: full,
  EDQUOT: full,
  ENOTDIR: ofFolder((path) => `${path} no está dentro de una carpeta. Corrija la ruta`),
  EEXIST: ofFolder((path) => `${path} ya existe y no es una carpeta. Cambie su nombre`),
  EISDIR: (_, { path }) => `${path === undefined ? 'Eso' : `«${path}»`} es una carpeta. Dé el nombre de un archivo.`,
  ENAMETOOLONG: (_, { path }) =>
    `El sistema no admite un nombre tan largo como el de ${pathOf(path)}. Dé uno más corto.`,
  EMFILE: () => 'El proceso llegó a su límite de archivos abiertos. Súbalo (ulimit -n) y repita la orden.',
  ENOENT: (_, { path }) => `No existe ${pathOf(path)}. Revise la ruta.`,
  ENOMEM: () => 'No queda memoria en la máquina. Libere memoria y repita la orden.',
  '08P01': (where) =>
    `${serverOf(where)}: si hay un PgBouncer delante de PostgreSQL, agregue a la dirección ?pgbouncer=true&direct=servidor:5432.`,
  '28P01': badLogin,
  '28000': badLogin,
  '3D000': (where) => `La base de datos de ${serverOf(where)} no existe. Créela, o corrija su nombre.`,
  '42P01': () => 'La base de datos no tiene las tablas de Acuse. Llévela al esquema actual con: acuse operador migrar',
  '42703': () => 'La base de datos tiene un esquema anterior. Llévela al actual con: acuse operador migrar',
  '42501': (where) => `El usuario de ${serverOf(where)} no tiene permiso para esto.`,
  '53100': () => 'PostgreSQL no tiene espacio en su disco. Libere espacio y repita la orden.',
  '57P03': () => 'PostgreSQL está arrancando o apagándose. Repita la orden en un momento.',
  '53300': () => 'PostgreSQL no admite más conexiones. Repita la orden en un momento.',
};
/** Prisma's words for the same. */
const KINDS: Readonly<Record<string, string>> = {
  DatabaseNotReachable: 'ECONNREFUSED',
  SocketTimeout: 'ETIMEDOUT',
  ConnectionClosed: 'ECONNRESET',
  AuthenticationFailed: '28P01',
  DatabaseAccessDenied: '42501',
  DatabaseDoesNotExist: '3D000',
  TableDoesNotExist: '42P01',
  ColumnNotFound: '42703',
  TooManyConnections: '53300',
};
/** What other programs print of the same, in their logs. */
const PRINTED: readonly (readonly [words: RegExp, code: string])[] = [
  [/no space left on device/i, 'ENOSPC'],
  [/permission denied/i, 'EACCES'],
  [/address already in use/i, 'EADDRINUSE'],
  [/read-only file system/i, 'EROFS'],
];
const DEPTH = 5;

/**
 * What an operator reads about an error that is none of our own: the remedy when its code, or that of what caused it,
 * is known; else its message in one line. Never a stack.
 */
export function explain(error: unknown, where: Where = {}): string {
  if (error instanceof ExplainedError || error instanceof ConfigError) return error.message;
  const remedy = remedyOf(error, where, DEPTH);
  if (remedy !== null) return remedy;
  const message = error instanceof Error ? (error.message.split('\n').find((line) => line.trim() !== '') ?? '') : '';
  return message.trim() === ''
    ? 'La orden falló sin decir por qué. Repítala; si vuelve a pasar, avise a soporte.'
    : message.trim();
}

/** Explains the output of another program that gave up. Null when the output has no known failure. */
export function explainPrinted(text: string, where: Where, fact: { path?: string; port?: number }): string | null {
  const code = PRINTED.find(([words]) => words.test(text))?.[1];
  return code === undefined ? null : (REMEDIES[code]?.(where, fact) ?? null);
}

function remedyOf(error: unknown, where: Where, depth: number): string | null {
  if (typeof error !== 'object' || error === null || depth === 0) return null;
  const { code, kind, cause, errors, meta, path, port } = error as Record<string, unknown>;
  for (const name of [code, typeof kind === 'string' ? KINDS[kind] : undefined]) {
    if (typeof name !== 'string' || !Object.hasOwn(REMEDIES, name)) continue;
    const fact = { ...(typeof path === 'string' ? { path } : {}), ...(typeof port === 'number' ? { port } : {}) };
    return REMEDIES[name]?.(where, fact) ?? null;
  }
  const inside = [cause, meta, ...(Array.isArray(errors) ? errors : [])];
  if (typeof meta === 'object' && meta !== null) inside.push(...Object.values(meta));
  return inside.map((each) => remedyOf(each, where, depth - 1)).find((found) => found !== null) ?? null;
}
