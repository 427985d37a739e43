/** What an operator can do about errors of the system and of PostgreSQL (appendix A of its manual), by their code. */
const REMEDIES: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'Nadie contesta en la dirección de DATABASE_URL. Revise que PostgreSQL esté encendido y que servidor y puerto sean los suyos.',
  ENOTFOUND: 'El servidor de DATABASE_URL no existe o no se encuentra. Revise su nombre.',
  EAI_AGAIN: 'El servidor de DATABASE_URL no se encuentra por ahora. Revise su nombre y la red.',
  ETIMEDOUT: 'El servidor de DATABASE_URL no contesta a tiempo. Revise la red y el cortafuegos.',
  ECONNRESET: 'La base de datos cortó la conexión. Repita la orden.',
  EACCES:
    'No hay permiso para leer o escribir ese archivo o carpeta. Revise de quién es y con qué usuario da la orden.',
  ENOENT: 'No existe ese archivo o carpeta. Revise la ruta.',
  '28P01': 'PostgreSQL no acepta el usuario o la contraseña de DATABASE_URL.',
  '28000': 'PostgreSQL no acepta el usuario o la contraseña de DATABASE_URL.',
  '3D000': 'La base de datos de DATABASE_URL no existe. Créela, o corrija su nombre.',
  '42P01': 'La base de datos no tiene las tablas de Acuse. Llévela al esquema actual con: acuse migrar',
  '42703': 'La base de datos tiene un esquema anterior. Llévela al actual con: acuse migrar',
  '42501': 'El usuario de DATABASE_URL no tiene permiso para esto.',
  '57P03': 'PostgreSQL está arrancando o apagándose. Repita la orden en un momento.',
  '53300': 'PostgreSQL no admite más conexiones. Repita la orden en un momento.',
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
const DEPTH = 5;

/**
 * What an operator reads about an error that is none of our own: the remedy when its code, or that of what caused it, is known; else its message in
 * one line. Never a stack.
 */
export function explain(error: unknown): string {
  const remedy = remedyOf(error, DEPTH);
  if (remedy !== null) return remedy;
  const message =
    error instanceof Error ? (error.message.split('\n').find((line) => line.trim() !== '') ?? '') : '';
  return message.trim() === ''
    ? 'La orden falló sin decir por qué. Repítala; si vuelve a pasar, avise a soporte.'
    : message.trim();
}

function remedyOf(error: unknown, depth: number): string | null {
  if (typeof error !== 'object' || error === null || depth === 0) return null;
  const { code, kind, cause, errors, meta } = error as Record<
    'code' | 'kind' | 'cause' | 'errors' | 'meta',
    unknown
  >;
  for (const name of [code, typeof kind === 'string' ? KINDS[kind] : undefined]) {
    if (typeof name === 'string' && Object.hasOwn(REMEDIES, name)) return REMEDIES[name] ?? null;
  }
  const inside = [cause, meta, ...(Array.isArray(errors) ? errors : [])];
  if (typeof meta === 'object' && meta !== null) inside.push(...Object.values(meta));
  return inside.map((each) => remedyOf(each, depth - 1)).find((found) => found !== null) ?? null;
}
