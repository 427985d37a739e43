import { type CampoErroneo, CfdiError } from '@acuse/contract';
import type { z } from 'zod';
import type { Operation } from '../operation.ts';

type Sent = Readonly<Record<string, unknown>>;
type Fields = Pick<Operation, 'body' | 'secretos'>;

const namesOf = ({ body, secretos }: Fields) => [...Object.keys(body.shape), ...Object.keys(secretos)];

/**
 * Everything that is wrong with the fields that were sent, one entry a field: first the names that are a slip of a
 * known one, then what the schema refuses, then the secret fields. Other unknown fields are no concern.
 */
export function wrongFields(
  operation: Fields,
  sent: Sent,
  issues: readonly z.core.$ZodIssue[],
  secretos: readonly CampoErroneo[],
): readonly CampoErroneo[] {
  const known = namesOf(operation);
  const slips = Object.keys(sent).flatMap((campo) => {
    const meant = known.includes(campo) ? undefined : known.find((name) => isSlipOf(campo, name));
    return meant === undefined ? [] : [{ campo, motivo: `no existe; ¿quiso decir ${meant}?` }];
  });
  const refused = issues.map((issue) => ({
    campo: issue.path.map(String).join('.'),
    motivo: motivoOf(issue, sent),
  }));
  const all = [...slips, ...refused, ...secretos];
  return all.filter(({ campo }, at) => all.findIndex((other) => other.campo === campo) === at);
}

/**
 * The error for a body with these wrong fields. A wrong RFC has a meaning of its own in the specification and goes
 * first.
 */
export function asWrongFields(
  operation: Fields & Pick<Operation, 'rfc'>,
  sent: Sent,
  campos: readonly CampoErroneo[],
): CfdiError {
  const rfc = operation.rfc === 'ninguno' ? undefined : campos.find(({ campo }) => campo === 'rfc');
  const [first = { campo: '', motivo: '' }] = rfc === undefined ? campos : [rfc];
  const datos = { ...first, campos: [first, ...campos.filter((other) => other !== first)] };
  if (rfc !== undefined) return new CfdiError('RFC_INVALIDO', datos);
  const [name = ''] = first.campo.split('.');
  if (first.motivo === FALTA) return new CfdiError('CAMPO_FALTANTE', datos);
  const isKnown = namesOf(operation).includes(name) || !Object.hasOwn(sent, name);
  return new CfdiError(isKnown ? 'CAMPO_INVALIDO' : 'CAMPO_DESCONOCIDO', datos);
}

/** What a required field that was not sent has wrong. */
const FALTA = 'falta';

function motivoOf(issue: z.core.$ZodIssue, sent: Sent): string {
  const [campo = ''] = issue.path;
  if (!Object.hasOwn(sent, campo)) return FALTA;
  const value = sent[String(campo)];
  const isOtherType = issue.code === 'invalid_type' && !(issue.expected === 'int' && typeof value === 'number');
  return isOtherType && issue.path.length === 1 ? `${issue.message}, llegó ${kindOf(value)}` : issue.message;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'un texto',
  number: 'un número',
  boolean: 'un booleano',
};

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'una lista' : (KINDS[typeof value] ?? 'un objeto');
}

/** Beyond this it is no slip of ours: the longest known name has 12 characters. */
const LONGEST = 32;
/** Names of so many letters may have two slips, shorter ones one. */
const LONG_NAME = 8;

/**
 * Whether a name is another one with slips: other case, accents or separators (`solicitudId`), or a letter or two
 * wrong, missing, too many or swapped.
 */
function isSlipOf(name: string, known: string): boolean {
  if (name.length > LONGEST) return false;
  const [a, b] = [bare(name), bare(known)];
  return a !== '' && distance(a, b) <= (b.length < LONG_NAME ? 1 : 2);
}

const bare = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** Optimal string alignment distance: Levenshtein's, with a swap of neighbours as one step. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  const cell = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          cell(i - 1, j) + 1,
          cell(i, j - 1) + 1,
          cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwap ? cell(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return cell(a.length, b.length);
}
