export type ObjetoJson = Readonly<Record<string, unknown>>;

/** The JSON object that a text is; null for any other text. */
export function parseObjeto(json: string): ObjetoJson | null {
  try {
    return toObjeto(JSON.parse(json));
  } catch {
    return null;
  }
}

/** A value of JSON as an object; null when it is none. */
export function toObjeto(valor: unknown): ObjetoJson | null {
  return typeof valor === 'object' && valor !== null && !Array.isArray(valor) ? (valor as ObjetoJson) : null;
}
