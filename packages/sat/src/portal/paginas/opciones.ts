import { type Etiqueta, readTexto } from './etiquetas.ts';
import { ilegible } from './ilegible.ts';

/** One choice of a list. */
export interface Opcion {
  readonly valor: string;
  readonly texto: string;
}

/** A list of choices. */
export interface Lista {
  /** '' when it has none, as the name. */
  readonly id: string;
  readonly nombre: string;
  readonly opciones: readonly Opcion[];
}

/**
 * The lists (`select`) of a page with their choices in order, closed to people or not. Throws RESPUESTA_ILEGIBLE for
 * one that does not end.
 */
export function readListas(etiquetas: readonly Etiqueta[]): readonly Lista[] {
  const listas: Lista[] = [];
  let opciones: Opcion[] | null = null;
  for (const etiqueta of etiquetas) {
    if (etiqueta.nombre === 'select') {
      opciones = etiqueta.cierra ? null : [];
      if (opciones === null) continue;
      const [id, nombre] = [etiqueta.atributos.get('id') ?? '', etiqueta.atributos.get('name') ?? ''];
      listas.push({ id, nombre, opciones });
    } else if (etiqueta.nombre === 'option' && !etiqueta.cierra && opciones !== null) {
      const texto = readTexto([etiqueta]);
      opciones.push({ valor: etiqueta.atributos.get('value') ?? texto, texto });
    }
  }
  if (opciones !== null) throw ilegible('lista sin terminar');
  return listas;
}
