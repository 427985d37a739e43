import { parseRfc } from '@acuse/contract';
import { createPanelRfcs, type RfcVista } from '@acuse/db';
import { type ContextoCliente, defineRuta, type Ruta } from '../../../http/ruta.ts';

/** Address of a page of an RFC, `sub` with its slash. */
export function hrefRfc(rfc: string, sub: '' | `/${string}` = ''): string {
  return `/rfcs/${encodeURIComponent(rfc)}${sub}`;
}

/** Declares an address below `/rfcs/:rfc`. An RFC that the account does not have, or that is none, is the one page for what is not there. */
export function defineRutaRfc(ruta: {
  readonly metodo: 'GET' | 'POST';
  readonly sub: '' | `/${string}`;
  handle(contexto: ContextoCliente, rfc: RfcVista): Promise<Response> | Response;
}): Ruta {
  return defineRuta({
    metodo: ruta.metodo,
    path: `/rfcs/:rfc${ruta.sub}`,
    acceso: 'cliente',
    async handle(contexto) {
      const { c, deps, usuario } = contexto;
      const pedido = parseRfc(c.req.param('rfc'));
      const found = pedido && (await createPanelRfcs(deps.database).find(usuario.cuentaId, pedido));
      return found ? ruta.handle(contexto, found) : contexto.noEncontrada();
    },
  });
}
