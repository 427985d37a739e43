import { type ContextoCliente, defineRuta, type Ruta } from './ruta.ts';

/** One address below that of a thing. */
export interface RutaDe<T> {
  readonly metodo: 'GET' | 'POST';
  /** What follows the thing's own address, with its slash. */
  readonly sub: '' | `/${string}`;
  handle(contexto: ContextoCliente, cosa: T): Promise<Response> | Response;
}

/**
 * Makes the function that declares the addresses of one kind of thing. `base` ends with the parameter that names it,
 * such as `/rfcs/:rfc`; `find` looks for it in the account of whoever asks, or anywhere for the operator. What is not
 * found, or is no name at all, is the one page for what is not there: no handler runs, and nothing tells another
 * account's thing from a missing one. `find` is asked for any text.
 */
export function rutasDe<T>(
  base: `/${string}/:${string}`,
  find: (contexto: ContextoCliente, nombre: string) => Promise<T | null>,
  acceso: 'cliente' | 'operador' = 'cliente',
): (ruta: RutaDe<T>) => Ruta {
  const parameter = base.slice(base.lastIndexOf(':') + 1);
  return ({ metodo, sub, handle }) =>
    defineRuta({
      metodo,
      path: `${base}${sub}`,
      acceso,
      async handle(contexto) {
        const cosa = await find(contexto, contexto.c.req.param(parameter) ?? '');
        return cosa === null ? contexto.noEncontrada() : handle(contexto, cosa);
      },
    });
}
