/** The periodicities by their own words, in the text of a constancia. */
const NOMBRES: readonly (readonly [RegExp, string])[] = [
  [/bimestr/, 'Bimestral'],
  [/cuatrimestr/, 'Cuatrimestral'],
  [/(?<!cua)trimestr/, 'Trimestral'],
  [/semestr/, 'Semestral'],
  [/\banual/, 'Anual'],
  [/mensual/, 'Mensual'],
  [/quincen/, 'Quincenal'],
  [/seman/, 'Semanal'],
];

/** What a due date says of the periodicity without naming it; the first that fits counts. */
const INDICIOS: readonly (readonly [RegExp, string])[] = [
  [/segundo mes siguiente/, 'Bimestral'],
  [/ejercicio|del ano|cada ano|\bde (?:febrero|marzo|abril)\b/, 'Anual'],
  [/mes inmediato|mes siguiente|cada mes|del mes|dia 17/, 'Mensual'],
];

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** The periodicity that a text names first. */
function named(text: string): string | undefined {
  const found = NOMBRES.map(([pattern, name]) => ({ at: text.search(pattern), name }));
  return found.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at)[0]?.name;
}

const hinted = (text: string) => INDICIOS.find(([pattern]) => pattern.test(text))?.[1];

/**
 * How often an obligation recurs. The constancia has no such column: it says when the obligation is due ("A más tardar
 * el día 17 del mes inmediato posterior al periodo que corresponda") and often names the periodicity in its
 * description. `Sin periodo fijo` when neither tells.
 */
export function periodicidadDe(obligacion: { readonly descripcion: string; readonly vencimiento: string }): string {
  const [descripcion, vencimiento] = [plain(obligacion.descripcion), plain(obligacion.vencimiento)];
  return named(descripcion) ?? hinted(descripcion) ?? named(vencimiento) ?? hinted(vencimiento) ?? 'Sin periodo fijo';
}
