type Json = Readonly<Record<string, unknown>>;

/** A field of a request or an answer, as callers depend on it. */
interface Campo {
  /** JSON types that it may have. */
  readonly tipos: string[];
  /** Its values; absent where any is possible. */
  valores?: string[];
  requerido?: true;
  /** Bounds of a value that is sent. */
  limites?: Record<string, number | string>;
}

/** Fields by their path, such as `items[].rfc`; the whole is the empty path. */
type Campos = Record<string, Campo>;

/** The part of an OpenAPI document that callers depend on, by operation or `webhook` event. */
export type Superficie = Record<
  string,
  { pide?: Campos; contesta: Campos; errores?: Record<string, string>; deprecated?: true }
>;

/** A difference for callers. */
export interface CambioApi {
  /** Path of the operation, or `webhook` and the event. */
  readonly operacion: string;
  readonly cambio: keyof typeof TEXTOS;
  /** The field, value or error; absent for a whole operation. */
  readonly que?: string;
  /** Whether a caller of the version before may fail. */
  readonly incompatible: boolean;
  readonly texto: string;
}

const TEXTOS = {
  OPERACION_NUEVA: 'Operación nueva',
  OPERACION_POR_RETIRAR: 'Operación que se retirará',
  OPERACION_RETIRADA: 'Operación retirada',
  PETICION_CAMPO_NUEVO: 'Campo opcional nuevo en la petición',
  PETICION_CAMPO_OBLIGATORIO: 'Campo obligatorio en la petición',
  PETICION_CAMPO_RETIRADO: 'Campo retirado de la petición',
  PETICION_TIPO: 'La petición ya no acepta el tipo',
  PETICION_VALOR_NUEVO: 'La petición acepta el valor',
  PETICION_VALOR_RETIRADO: 'La petición ya no acepta el valor',
  PETICION_LIMITE: 'Límite cambiado en la petición',
  RESPUESTA_CAMPO_NUEVO: 'Campo nuevo en la respuesta',
  RESPUESTA_CAMPO_RETIRADO: 'Campo retirado de la respuesta',
  RESPUESTA_CAMPO_INCIERTO: 'Campo que ya no está siempre en la respuesta',
  RESPUESTA_TIPO: 'La respuesta puede traer el tipo',
  RESPUESTA_VALOR_NUEVO: 'La respuesta puede traer el valor',
  ERROR_NUEVO: 'Error nuevo',
  ERROR_CAMBIADO: 'Error con otro código HTTP',
} as const;

const COMPATIBLES: ReadonlySet<keyof typeof TEXTOS> = new Set([
  'OPERACION_NUEVA',
  'OPERACION_POR_RETIRAR',
  'PETICION_CAMPO_NUEVO',
  'PETICION_VALOR_NUEVO',
  'RESPUESTA_CAMPO_NUEVO',
  'RESPUESTA_VALOR_NUEVO',
  'ERROR_NUEVO',
]);

const LIMITES = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'pattern'];

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
const objectOf = (value: unknown): Record<string, Json> => (value ?? {}) as Record<string, Json>;

function targetOf(document: Json, ref: string): Json {
  const found = ref
    .slice(2)
    .split('/')
    .reduce<Json>((node, name) => objectOf(node)[name] ?? {}, document);
  return found;
}

/** Adds the fields of a schema below `at`. */
function flatten(into: Campos, node: Json, document: Json, at: string, isRequired: boolean, above: readonly string[]) {
  const ref = node['$ref'];
  if (typeof ref === 'string') {
    if (!above.includes(ref)) flatten(into, targetOf(document, ref), document, at, isRequired, [...above, ref]);
    return;
  }
  into[at] ??= { tipos: [] };
  const campo = into[at];
  if (isRequired) campo.requerido = true;
  for (const tipo of [node['type'] ?? []].flat() as string[]) if (!campo.tipos.includes(tipo)) campo.tipos.push(tipo);
  const values = 'const' in node ? [node['const']] : node['enum'];
  if (Array.isArray(values)) campo.valores = [...new Set([...(campo.valores ?? []), ...values.map(String)])].sort();
  const limits = LIMITES.filter((name) => name in node).map((name) => [name, node[name]]);
  if (limits.length > 0) campo.limites = { ...campo.limites, ...Object.fromEntries(limits) };
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    for (const part of listOf(node[key])) flatten(into, part, document, at, isRequired, above);
  const required = (node['required'] ?? []) as readonly string[];
  for (const [name, field] of Object.entries(objectOf(node['properties'])))
    flatten(into, field, document, at === '' ? name : `${at}.${name}`, required.includes(name), above);
  for (const [key, suffix] of [
    ['items', '[]'],
    ['additionalProperties', '.*'],
  ] as const)
    if (typeof node[key] === 'object') flatten(into, node[key] as Json, document, `${at}${suffix}`, true, above);
}

const schemaIn = (body: unknown): Json =>
  objectOf(objectOf(objectOf(body)['content'])['application/json'])['schema'] ?? {};

function fieldsOf(body: unknown, document: Json): Campos {
  const campos: Campos = {};
  flatten(campos, schemaIn(body), document, '', true, []);
  return campos;
}

/** Names of the errors of an operation, with their HTTP status. */
function errorsOf(responses: Record<string, Json>, document: Json): Record<string, string> {
  const errores: Record<string, string> = {};
  for (const [status, response] of Object.entries(responses)) {
    const ref = response['$ref'];
    const body = typeof ref === 'string' ? targetOf(document, ref) : response;
    const content = objectOf(objectOf(body['content'])['application/json']);
    if (Number(status) >= 400) for (const name of Object.keys(objectOf(content['examples']))) errores[name] = status;
  }
  return errores;
}

/** Reads what callers depend on. */
export function superficieOf(document: Json): Superficie {
  const operations = Object.entries(objectOf(document['paths'])).map(([path, item]) => {
    const { requestBody, responses, deprecated } = objectOf(item['post']);
    const answers = objectOf(responses);
    return [
      path.replace('/api/v1/', ''),
      {
        pide: fieldsOf(requestBody, document),
        contesta: fieldsOf(answers['200'], document),
        errores: errorsOf(answers, document),
        ...(deprecated ? { deprecated: true as const } : {}),
      },
    ] as const;
  });
  const events = Object.entries(objectOf(document['webhooks'])).map(
    ([event, item]) =>
      [`webhook ${event}`, { contesta: fieldsOf(objectOf(item['post'])['requestBody'], document) }] as const,
  );
  return Object.fromEntries([...operations, ...events]);
}

type Note = (cambio: CambioApi['cambio'], que?: string) => void;

const without = <T>(some: readonly T[] = [], others: readonly T[] = []) => some.filter((one) => !others.includes(one));
const places = (campos: Campos) => Object.keys(campos);
/** The outermost of some fields: a field brings those below it. */
const outermost = (paths: readonly string[]) =>
  paths.filter(
    (path) =>
      !paths.some((other) => path !== other && /^[.[]/.test(path.slice(other.length)) && path.startsWith(other)),
  );

function compareRequests(before: Campos, after: Campos, note: Note): void {
  for (const path of outermost(without(places(before), places(after)))) note('PETICION_CAMPO_RETIRADO', path);
  for (const path of outermost(without(places(after), places(before))))
    note(after[path]?.requerido ? 'PETICION_CAMPO_OBLIGATORIO' : 'PETICION_CAMPO_NUEVO', path);
  for (const [path, old] of Object.entries(before)) {
    const now = after[path];
    if (now === undefined) continue;
    if (now.requerido && !old.requerido) note('PETICION_CAMPO_OBLIGATORIO', path);
    for (const tipo of without(old.tipos, now.tipos)) note('PETICION_TIPO', `${path}: ${tipo}`);
    if (old.valores === undefined && now.valores !== undefined) note('PETICION_VALOR_RETIRADO', `${path}: *`);
    if (now.valores !== undefined)
      for (const value of without(old.valores, now.valores)) note('PETICION_VALOR_RETIRADO', `${path}: ${value}`);
    if (old.valores !== undefined)
      for (const value of without(now.valores, old.valores)) note('PETICION_VALOR_NUEVO', `${path}: ${value}`);
    for (const name of LIMITES)
      if (isNarrower(name, old.limites?.[name], now.limites?.[name])) note('PETICION_LIMITE', `${path}: ${name}`);
  }
}

/** Whether a bound refuses what it took before. Another pattern counts as narrower: nothing tells. */
function isNarrower(name: string, old: number | string | undefined, now: number | string | undefined): boolean {
  if (now === undefined || now === old) return false;
  if (old === undefined || name === 'pattern') return true;
  return name.startsWith('max') ? now < old : now > old;
}

function compareAnswers(before: Campos, after: Campos, note: Note): void {
  for (const path of outermost(without(places(before), places(after)))) note('RESPUESTA_CAMPO_RETIRADO', path);
  for (const path of outermost(without(places(after), places(before)))) note('RESPUESTA_CAMPO_NUEVO', path);
  for (const [path, old] of Object.entries(before)) {
    const now = after[path];
    if (now === undefined) continue;
    if (old.requerido && !now.requerido) note('RESPUESTA_CAMPO_INCIERTO', path);
    for (const tipo of without(now.tipos, old.tipos)) note('RESPUESTA_TIPO', `${path}: ${tipo}`);
    if (old.valores !== undefined)
      for (const value of now.valores === undefined ? ['*'] : without(now.valores, old.valores))
        note('RESPUESTA_VALOR_NUEVO', `${path}: ${value}`);
  }
}

/** Differences between what callers depended on and what they depend on now, by operation. */
export function changesBetween(before: Superficie, after: Superficie): CambioApi[] {
  const changes: CambioApi[] = [];
  for (const operacion of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    const note: Note = (cambio, que) => {
      const texto = `${TEXTOS[cambio]}${que === undefined ? '' : `: ${que}`}`;
      const incompatible = !COMPATIBLES.has(cambio);
      changes.push({ operacion, cambio, ...(que === undefined ? {} : { que }), incompatible, texto });
    };
    const [old, now] = [before[operacion], after[operacion]];
    if (old === undefined) note('OPERACION_NUEVA');
    else if (now === undefined) note('OPERACION_RETIRADA');
    else {
      if (now.deprecated && !old.deprecated) note('OPERACION_POR_RETIRAR');
      compareRequests(old.pide ?? {}, now.pide ?? {}, note);
      compareAnswers(old.contesta, now.contesta, note);
      for (const [name, status] of Object.entries(now.errores ?? {})) {
        const earlier = old.errores?.[name];
        if (earlier === undefined) note('ERROR_NUEVO', name);
        else if (earlier !== status) note('ERROR_CAMBIADO', `${name}: ${status}`);
      }
    }
  }
  return changes;
}
