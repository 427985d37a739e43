import type { Etiqueta } from '../paginas/etiquetas.ts';

/** Tags that begin or end a line of a page as a reader sees it; the cells of a table's row are one line. */
const LINEA = new Set(
  'address article aside body br button dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr html iframe legend li main nav ol option p section select summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
const SIN_TEXTO = new Set(['script', 'style', 'title', 'noscript', 'textarea', 'template']);

/** The lines of text of a page, in order, without empty ones; runs of white space as one blank. */
export function readBloques(etiquetas: readonly Etiqueta[]): readonly string[] {
  const bloques: string[] = [];
  let partes: string[] = [];
  const flush = () => {
    const texto = partes.join(' ').replace(/\s+/g, ' ').trim();
    if (texto !== '') bloques.push(texto);
    partes = [];
  };
  for (const { nombre, cierra, texto } of etiquetas) {
    if (LINEA.has(nombre)) flush();
    if (cierra || !SIN_TEXTO.has(nombre)) partes.push(texto);
  }
  flush();
  return bloques;
}

/** Whether a page came to its end: what follows a cut would be missing without a trace. */
export function isEntera(etiquetas: readonly Etiqueta[]): boolean {
  return etiquetas.some(({ nombre, cierra }) => cierra && (nombre === 'html' || nombre === 'body'));
}
