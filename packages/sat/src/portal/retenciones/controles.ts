import { toRotulo } from '../../texto/forma.ts';
import { decodeEntidades, type Etiqueta, readAtributo, readTexto } from '../paginas/etiquetas.ts';
import { ilegible } from '../paginas/ilegible.ts';

/** One choice of a list. */
export interface Opcion {
  readonly valor: string;
  /** Without accents and letter case. */
  readonly texto: string;
}

/** The pages are known by the ids of their controls; the name that a browser sends is read from the page. */
export function findControl(etiquetas: readonly Etiqueta[], id: string): Etiqueta | null {
  const asked = new RegExp(`(?:^|_)${id}$`);
  return etiquetas.find((e) => !e.cierra && asked.test(readAtributo(e, 'id') ?? '')) ?? null;
}

/** The name under which a control is sent. Throws RESPUESTA_ILEGIBLE when the page has no such control. */
export function nameOf(etiquetas: readonly Etiqueta[], id: string): string {
  const control = findControl(etiquetas, id);
  if (control === null) throw ilegible(`retenciones: sin ${id}`);
  return readAtributo(control, 'name') || readAtributo(control, 'id') || id;
}

/** What a radio button is sent with when it is marked. */
export function markRadio(etiquetas: readonly Etiqueta[], id: string): [nombre: string, valor: string] {
  const control = findControl(etiquetas, id);
  return [nameOf(etiquetas, id), (control && readAtributo(control, 'value')) ?? 'on'];
}

/** The choices of a list, in order. */
export function readOpciones(etiquetas: readonly Etiqueta[], id: string): readonly Opcion[] {
  const control = findControl(etiquetas, id);
  if (control?.nombre !== 'select') throw ilegible(`retenciones: sin lista ${id}`);
  const from = etiquetas.indexOf(control) + 1;
  const length = etiquetas.slice(from).findIndex((e) => e.nombre === 'select');
  return etiquetas
    .slice(from, length === -1 ? undefined : from + length)
    .filter((e) => e.nombre === 'option' && !e.cierra)
    .map((e) => {
      const texto = readTexto([e]);
      return { valor: readAtributo(e, 'value') ?? texto, texto: toRotulo(texto) };
    });
}

/** The choice that stands for a number, whether it is written `5` or `05`; undefined when the list has none. */
export function findNumero(opciones: readonly Opcion[], numero: number): Opcion | undefined {
  const isIt = (escrito: string) => /^\d{1,4}$/.test(escrito) && Number(escrito) === numero;
  return opciones.find(({ texto }) => isIt(texto)) ?? opciones.find(({ valor }) => isIt(valor.trim()));
}

/** The button with this label, as it is sent when it is pressed; null when there is none, [] for one without a name. */
export function pressBoton(etiquetas: readonly Etiqueta[], rotulo: RegExp): Array<[string, string]> | null {
  for (const etiqueta of etiquetas) {
    if (etiqueta.cierra || (etiqueta.nombre !== 'button' && etiqueta.nombre !== 'input')) continue;
    const tipo = (
      readAtributo(etiqueta, 'type') ?? (etiqueta.nombre === 'button' ? 'submit' : 'text')
    ).toLowerCase();
    const valor = readAtributo(etiqueta, 'value') ?? '';
    const label = etiqueta.nombre === 'button' ? decodeEntidades(etiqueta.texto) : valor;
    if ((tipo !== 'submit' && tipo !== 'button') || !rotulo.test(label)) continue;
    const nombre = readAtributo(etiqueta, 'name') ?? '';
    return nombre === '' ? [] : [[nombre, valor]];
  }
  return null;
}
