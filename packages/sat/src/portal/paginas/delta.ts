import { ilegible } from './ilegible.ts';

/** One record of the answer to a partial postback of ASP.NET AJAX. */
export interface RegistroDelta {
  readonly tipo: string;
  readonly id: string;
  readonly contenido: string;
}

const MAX_CARACTERES = 24 * 1024 * 1024;
const MAX_REGISTROS = 10_000;
const LARGO = /^\d{1,9}$/;

/**
 * Reads `length|type|id|content|` records to the end of the text. The length counts the UTF-16 units of the content,
 * which may hold any character, the bar included (System.Web.UI.PageRequestManager). A text that was cut, or decoded
 * with another charset, does not add up and throws RESPUESTA_ILEGIBLE.
 */
export function parseDelta(texto: string): readonly RegistroDelta[] {
  if (texto.length > MAX_CARACTERES) throw ilegible('delta demasiado grande');
  const end = texto.trimEnd().length;
  const registros: RegistroDelta[] = [];
  let at = 0;
  while (at < end) {
    const [largo, tipo, id, from] = readCabecera(texto, at);
    const to = from + largo;
    if (to >= texto.length || texto[to] !== '|') throw ilegible('delta: los largos no cuadran');
    registros.push({ tipo, id, contenido: texto.slice(from, to) });
    if (registros.length > MAX_REGISTROS) throw ilegible('delta con demasiados registros');
    at = to + 1;
  }
  if (registros.length === 0) throw ilegible('delta vacio');
  return registros;
}

function readCabecera(texto: string, at: number): [largo: number, tipo: string, id: string, from: number] {
  const first = texto.indexOf('|', at);
  const largo = first === -1 || first - at > 9 ? '' : texto.slice(at, first);
  const second = texto.indexOf('|', first + 1);
  const third = second === -1 ? -1 : texto.indexOf('|', second + 1);
  if (!LARGO.test(largo) || third === -1) throw ilegible('delta: cabecera de registro');
  return [Number(largo), texto.slice(first + 1, second), texto.slice(second + 1, third), third + 1];
}
