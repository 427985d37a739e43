import { createPagos, isUuid, type Pago } from '@acuse/db';
import { rutasDe } from '../../http/ruta-de.ts';

/** The page of a purchase. */
export function hrefCompra({ id }: Pick<Pago, 'id'>): string {
  return `/saldo/compras/${id}`;
}

/** Declares an address of a purchase of the account. */
export const defineRutaCompra = rutasDe<Pago>('/saldo/compras/:id', async ({ deps, usuario }, id) =>
  isUuid(id) ? createPagos(deps.database).find(usuario.cuentaId, id) : null,
);
