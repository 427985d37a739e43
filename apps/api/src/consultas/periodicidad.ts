/** Words in how a constancia says when an obligation is due or what it is, and the periodicity they mean; the first that fits counts. */
const REGLAS: readonly (readonly [RegExp, string])[] = [
  [/bimestr|segundo mes siguiente/, 'Bimestral'],
  [/trimestr/, 'Trimestral'],
  [/cuatrimestr/, 'Cuatrimestral'],
  [/semestr/, 'Semestral'],
  [/anual|ejercicio|del ano|cada ano|\bde (?:febrero|marzo|abril)\b/, 'Anual'],
  [/mensual|mes inmediato|mes siguiente|cada mes|del mes|dia 17/, 'Mensual'],
  [/quincen/, 'Quincenal'],
  [/seman/, 'Semanal'],
];

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/**
 * How often an obligation recurs. The constancia has no such column: it says when the obligation is due ("A más tardar el día 17 del mes
 * inmediato posterior al periodo que corresponda") and often names the periodicity in its description. `Sin periodo fijo` when neither tells.
 */
export function periodicidadDe(obligacion: {
  readonly descripcion: string;
  readonly vencimiento: string;
}): string {
  for (const text of [plain(obligacion.descripcion), plain(obligacion.vencimiento)]) {
    const named = REGLAS.find(([pattern]) => pattern.test(text));
    if (named !== undefined) return named[1];
  }
  return 'Sin periodo fijo';
}
