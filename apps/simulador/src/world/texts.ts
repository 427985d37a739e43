/** Months in Spanish, in lower case. */
export const MESES = [
  'enero',
  'febrero',
  'marzo',
  'abril',
  'mayo',
  'junio',
  'julio',
  'agosto',
  'septiembre',
  'octubre',
  'noviembre',
  'diciembre',
] as const;

/** The name of a month, from `'01'` to `'12'` or from 1 to 12; empty for any other. */
export function mesDe(month: string | number): string {
  return MESES[Number(month) - 1] ?? '';
}

/** `14 de agosto de 2025` of `2025-08-14` (more behind the day is left out). */
export function dayInWords(day: string): string {
  const [year = '', month = '', date = ''] = day.slice(0, 10).split('-');
  return `${date} de ${mesDe(month)} de ${year}`;
}

/** `14/08/2025` of `2025-08-14` (more behind the day is left out), or with another separator; empty for null. */
export function dayFirst(day: string | null, separator: '/' | '-' = '/'): string {
  return (day ?? '').slice(0, 10).split('-').reverse().join(separator);
}

/** `1160.5` as `$1,160.50`. */
export function pesos(importe: string | number): string {
  return `$${PESOS.format(Number(importe))}`;
}

/** Making one takes far longer than using it, and a page has hundreds of amounts. */
const PESOS = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Text safe inside elements and double-quoted attributes of XML. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** The text that `escapeXml` made safe. */
export function unescapeXml(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
