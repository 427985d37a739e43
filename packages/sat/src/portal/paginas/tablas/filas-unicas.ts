import { ilegible } from '../ilegible.ts';

/** Notes a row under its key, once: RESPUESTA_ILEGIBLE when the key has come with other contents before. */
export function addOnce<F>(vistas: Map<string, F>, clave: string, fila: F): void {
  const conocida = vistas.get(clave);
  if (conocida !== undefined && JSON.stringify(conocida) !== JSON.stringify(fila)) {
    throw ilegible('un número con dos contenidos');
  }
  vistas.set(clave, fila);
}
