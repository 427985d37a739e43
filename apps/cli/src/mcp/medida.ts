/** How much of an answer goes into a conversation. */
export const MEDIDA = {
  /** Characters of JSON of a piece of a list. */
  lista: 20_000,
  /** Characters of a text. */
  texto: 2_000,
  /** Elements of a list within an answer. */
  elementos: 100,
} as const;

/** What a person does not see and a model reads: control, format and private characters, and halves of one. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;

function boundedText(text: string): string {
  const visible = text.replace(INVISIBLE, '');
  if (visible.length <= MEDIDA.texto) return visible;
  return `${visible.slice(0, MEDIDA.texto)}… [recortado: son ${visible.length} caracteres]`;
}

/**
 * A value for a model: without text that a person would not see, without texts longer than a page and without long
 * lists. Shortened text says so, or `onCut` gets its name and length.
 */
export function bounded(value: unknown, onCut: (texto: string) => void, nombre = ''): unknown {
  if (typeof value === 'string') return boundedText(value);
  if (Array.isArray(value)) {
    if (value.length > MEDIDA.elementos) onCut(`${nombre}: ${MEDIDA.elementos} de ${value.length}`);
    return value.slice(0, MEDIDA.elementos).map((one) => bounded(one, onCut, nombre));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, bounded(one, onCut, name)]));
}
