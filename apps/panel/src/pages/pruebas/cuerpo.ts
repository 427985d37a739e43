import type { CampoOperacion, OperacionPrueba } from './catalogo.ts';

/** What goes to the API: a JSON object. */
export type Cuerpo = Readonly<Record<string, string | number>>;

/** In the form, so that no field of an operation is taken for one of the panel's own. */
export const fieldName = (campo: Pick<CampoOperacion, 'nombre'>): string => `c.${campo.nombre}`;

/** What stands for a secret in everything that is shown. */
export const MASCARA = '********';

/**
 * Makes the body out of a posted form. Empty fields are left out; what is no number where one is due goes as it was typed, since telling the
 * person is the API's part. Files go as base64.
 */
export async function readCuerpo(
  { campos: esperados }: Pick<OperacionPrueba, 'campos'>,
  campos: Readonly<Record<string, string>>,
  archivos: Readonly<Record<string, File>>,
): Promise<Cuerpo> {
  const cuerpo: Record<string, string | number> = {};
  for (const esperado of esperados) {
    const name = fieldName(esperado);
    const archivo = archivos[name];
    if (esperado.tipo === 'archivo' && archivo) {
      cuerpo[esperado.nombre] = Buffer.from(await archivo.arrayBuffer()).toString('base64');
      continue;
    }
    const texto = campos[name];
    if (texto === undefined || texto === '') continue;
    cuerpo[esperado.nombre] = isNumber(esperado, texto) ? Number(texto) : texto;
  }
  return cuerpo;
}

function isNumber({ tipo }: CampoOperacion, texto: string): boolean {
  return (tipo === 'numero' || tipo === 'entero') && /^-?\d{1,15}(\.\d{1,10})?$/.test(texto.trim());
}

/** The same body with a mask in place of each secret, and of files, which would fill the page. */
export function maskCuerpo({ campos }: Pick<OperacionPrueba, 'campos'>, cuerpo: Cuerpo): Cuerpo {
  const masked = Object.entries(cuerpo).map(([nombre, valor]) => {
    const campo = campos.find((each) => each.nombre === nombre);
    if (campo?.secreto) return [nombre, MASCARA];
    return [nombre, campo?.tipo === 'archivo' ? '<base64 del archivo>' : valor];
  });
  return Object.fromEntries(masked);
}

/** Every secret of a request as text, the key included: none of them may appear in what is shown. */
export function secretsOf(
  { campos }: Pick<OperacionPrueba, 'campos'>,
  cuerpo: Cuerpo,
  apiKey: string,
): string[] {
  const secretos = campos.filter(({ secreto }) => secreto).map(({ nombre }) => String(cuerpo[nombre] ?? ''));
  return [apiKey, ...secretos].filter((secreto) => secreto.length >= 4);
}

/** Puts the mask over every occurrence of a secret, also as it stands inside of a JSON string. */
export function maskText(texto: string, secretos: readonly string[]): string {
  return secretos
    .flatMap((secreto) => [secreto, JSON.stringify(secreto).slice(1, -1)])
    .reduce((masked, secreto) => masked.replaceAll(secreto, MASCARA), texto);
}

/** The call as a command for a shell. The key is a variable: a command with a key in it would end in a shell's history. */
export function curlOf(apiUrl: string, nombre: string, cuerpo: Cuerpo): string {
  const json = JSON.stringify(cuerpo).replaceAll("'", `'\\''`);
  return [
    `curl '${apiUrl}/api/v1/${nombre}' \\`,
    `  -H "Authorization: Bearer $ACUSE_API_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${json}'`,
  ].join('\n');
}
