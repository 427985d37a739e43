import { toRotulo } from '../../texto/forma.ts';
import { type Etiqueta, elementoEn, readTexto } from '../paginas/etiquetas.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { type Opcion, readListas } from '../paginas/opciones.ts';

/** The pages are known by the ids of their controls; the name that a browser sends is read from the page. */
export function findControl(etiquetas: readonly Etiqueta[], id: string): Etiqueta | null {
  const asked = new RegExp(`(?:^|_)${id}$`);
  return etiquetas.find((e) => !e.cierra && asked.test(e.atributos.get('id') ?? '')) ?? null;
}

/** The name under which a control is sent. Throws RESPUESTA_ILEGIBLE when the page has no such control. */
export function nameOf(etiquetas: readonly Etiqueta[], id: string): string {
  const control = findControl(etiquetas, id);
  if (control === null) throw ilegible(`retenciones: sin ${id}`);
  return control.atributos.get('name') || control.atributos.get('id') || id;
}

/** What a radio button is sent with when it is marked. */
export function markRadio(etiquetas: readonly Etiqueta[], id: string): [nombre: string, valor: string] {
  const control = findControl(etiquetas, id);
  return [nameOf(etiquetas, id), control?.atributos.get('value') ?? 'on'];
}

/**
 * The choices of a list, in order, their texts in comparable form. Throws RESPUESTA_ILEGIBLE when the page has no such
 * list.
 */
export function readOpciones(etiquetas: readonly Etiqueta[], id: string): readonly Opcion[] {
  const asked = new RegExp(`(?:^|_)${id}$`);
  const lista = readListas(etiquetas).find((candidata) => asked.test(candidata.id));
  if (lista === undefined) throw ilegible(`retenciones: sin lista ${id}`);
  return lista.opciones.map(({ valor, texto }) => ({ valor, texto: toRotulo(texto) }));
}

/** The choice that stands for a number, whether it is written `5` or `05`; undefined when the list has none. */
export function findNumero(opciones: readonly Opcion[], numero: number): Opcion | undefined {
  const isIt = (escrito: string) => /^\d{1,4}$/.test(escrito) && Number(escrito) === numero;
  return opciones.find(({ texto }) => isIt(texto)) ?? opciones.find(({ valor }) => isIt(valor.trim()));
}

/** The button with this label, as it is sent when it is pressed; null when there is none, [] for one without a name. */
export function pressBoton(etiquetas: readonly Etiqueta[], rotulo: RegExp): Array<[string, string]> | null {
  for (const [i, etiqueta] of etiquetas.entries()) {
    if (etiqueta.cierra || (etiqueta.nombre !== 'button' && etiqueta.nombre !== 'input')) continue;
    const tipo = (etiqueta.atributos.get('type') ?? (etiqueta.nombre === 'button' ? 'submit' : 'text')).toLowerCase();
    const valor = etiqueta.atributos.get('value') ?? '';
    const label = etiqueta.nombre === 'button' ? readTexto(elementoEn(etiquetas, i)) : valor;
    if ((tipo !== 'submit' && tipo !== 'button') || !rotulo.test(label)) continue;
    const nombre = etiqueta.atributos.get('name') ?? '';
    return nombre === '' ? [] : [[nombre, valor]];
  }
  return null;
}
