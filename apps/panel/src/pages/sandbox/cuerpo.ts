import { createHash } from 'node:crypto';
import type { Cuerpo } from '@acuse/page';
import { diaDe } from '@acuse/page/dia-mexico';
import type { CampoOperacion, SandboxOperation } from './catalogo.ts';

/** What the fields of a form show, by the operation's own names; never a secret or a file. */
export type Valores = Readonly<Record<string, string>>;

const MAX_LARGO = 200;

const isShown = ({ secreto, tipo }: CampoOperacion) => !secreto && tipo !== 'archivo';

/**
 * Fills a form with an example that works: the account's own RFC, the month before this one, the year before this one.
 * What `given` names goes first, as when a page links here with the id of a solicitud.
 */
export function exampleValues(
  { campos }: Pick<SandboxOperation, 'campos'>,
  { rfc, now, given }: { readonly rfc: string | null; readonly now: Date; readonly given: Valores },
): Valores {
  const own: Valores = { ...periodoAnterior(now), ...(rfc ? { rfc, rfc_receptor: rfc } : {}) };
  return Object.fromEntries(
    campos.filter(isShown).map((campo) => {
      const example = campo.requerido ? (own[campo.nombre] ?? campo.ejemplo) : '';
      return [campo.nombre, given[campo.nombre]?.slice(0, MAX_LARGO) ?? example];
    }),
  );
}

/** Typed values for the form. */
export function typedValues(
  { campos }: Pick<SandboxOperation, 'campos'>,
  typed: (campo: CampoOperacion) => string | undefined,
): Valores {
  return Object.fromEntries(campos.filter(isShown).map((campo) => [campo.nombre, typed(campo) ?? '']));
}

/** First and last day of the month before, and the year before, on the calendar of central Mexico. */
function periodoAnterior(now: Date): Valores {
  const [year = 0, month = 1] = diaDe(now).split('-').map(Number);
  const day = (date: number) => new Date(date).toISOString().slice(0, 10);
  return {
    desde: day(Date.UTC(year, month - 2, 1)),
    hasta: day(Date.UTC(year, month - 1, 0)),
    ejercicio: String(year - 1),
  };
}

/** In the form, so that no field of an operation is taken for one of the panel's own. */
export const fieldName = (campo: Pick<CampoOperacion, 'nombre'>): string => `c.${campo.nombre}`;

/** What stands for a secret in everything that is shown. */
export const MASCARA = '********';

/**
 * Makes the body from a posted form. Leaves out empty fields; sends an invalid number as typed, since the API explains
 * the fault. Files become base64.
 */
export async function readCuerpo(
  { campos: esperados }: Pick<SandboxOperation, 'campos'>,
  campos: Readonly<Record<string, string>>,
  archivos: Readonly<Record<string, File>>,
): Promise<Cuerpo> {
  const cuerpo: Record<string, Cuerpo[string]> = {};
  for (const esperado of esperados) {
    const name = fieldName(esperado);
    const archivo = archivos[name];
    if (esperado.tipo === 'archivo' && archivo) {
      cuerpo[esperado.nombre] = Buffer.from(await archivo.arrayBuffer()).toString('base64');
      continue;
    }
    const texto = campos[name];
    if (texto !== undefined && texto !== '') cuerpo[esperado.nombre] = typedValue(esperado, texto);
  }
  return cuerpo;
}

function typedValue({ tipo }: CampoOperacion, texto: string): Cuerpo[string] {
  if (tipo === 'varios') return texto.split(/[\s,]+/).filter((each) => each !== '');
  if (tipo === 'booleano' && ['true', 'false'].includes(texto)) return texto === 'true';
  const isNumber = (tipo === 'numero' || tipo === 'entero') && /^-?\d{1,15}(\.\d{1,10})?$/.test(texto.trim());
  return isNumber ? Number(texto) : texto;
}

/** The body that a form shows before it is sent, with a mask for each secret and file that is demanded. */
export function exampleCuerpo({ campos }: Pick<SandboxOperation, 'campos'>, valores: Valores): Cuerpo {
  const entries = campos.flatMap((campo) => {
    const { nombre, requerido } = campo;
    const mascara = maskOf(campo);
    if (mascara !== null) return requerido ? [[nombre, mascara]] : [];
    const texto = valores[nombre] ?? '';
    return texto === '' ? [] : [[nombre, typedValue(campo, texto)]];
  });
  return Object.fromEntries(entries);
}

/** What stands for the value of a field that is not shown; null for the others. */
function maskOf({ secreto, tipo }: CampoOperacion): string | null {
  if (secreto) return MASCARA;
  return tipo === 'archivo' ? '<base64 del archivo>' : null;
}

/** The same body with a mask in place of each secret, and of files, which would fill the page. */
export function maskCuerpo({ campos }: Pick<SandboxOperation, 'campos'>, cuerpo: Cuerpo): Cuerpo {
  const masked = Object.entries(cuerpo).map(([nombre, valor]) => {
    const campo = campos.find((each) => each.nombre === nombre);
    return [nombre, (campo && maskOf(campo)) ?? valor];
  });
  return Object.fromEntries(masked);
}

/** Every secret of a request as text, the key included: no output may contain one. */
export function secretsOf({ campos }: Pick<SandboxOperation, 'campos'>, cuerpo: Cuerpo, apiKey: string): string[] {
  const secretos = campos.filter(({ secreto }) => secreto).map(({ nombre }) => String(cuerpo[nombre] ?? ''));
  return [apiKey, ...secretos].filter((secreto) => secreto.length >= 4);
}

/** Puts the mask over every occurrence of a secret, also as it stands inside of a JSON string. */
export function maskText(texto: string, secretos: readonly string[]): string {
  return secretos
    .flatMap((secreto) => [secreto, JSON.stringify(secreto).slice(1, -1)])
    .reduce((masked, secreto) => masked.replaceAll(secreto, MASCARA), texto);
}

/** The call as a command for a shell. The key is a variable: written out it would end in the history. */
export function curlOf(apiUrl: string, nombre: string, cuerpo: Cuerpo): string {
  const json = JSON.stringify(cuerpo).replaceAll("'", `'\\''`);
  return [
    `curl '${apiUrl}/api/v1/${nombre}' \\`,
    `  -H "Authorization: Bearer $ACUSE_API_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${json}'`,
  ].join('\n');
}

/**
 * The Idempotency-Key of a form: the same form with the same content is one call, however often a browser sends it
 * again; another content in the same form, after going back, is another call. Operations that take such a key have no
 * secret in their body.
 */
export function idempotencyKeyOf(intento: string | undefined, cuerpo: Cuerpo): string | null {
  if (intento === undefined || !/^[0-9a-f-]{36}$/.test(intento)) return null;
  const digest = createHash('sha256').update(JSON.stringify(cuerpo)).digest('base64url');
  return `panel-${intento}-${digest.slice(0, 22)}`;
}
