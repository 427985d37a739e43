import { type Cuentas, createCuentas } from '@acuse/db';
import { rutasDe } from '../../../http/ruta-de.ts';

export type DetalleCuenta = NonNullable<Awaited<ReturnType<Cuentas['detail']>>>;

/** What is wrong with a field of a form of the page, by its form and name. */
export type Faltas = Readonly<Record<string, string>>;

/** Where the page of an account is, `sub` with its slash. */
export const hrefCuenta = (cuentaId: string, sub: '' | `/${string}` = '') => `/operador/cuentas/${cuentaId}${sub}`;

/** Declares an address of an account. */
export const defineRutaCuenta = rutasDe<DetalleCuenta>(
  '/operador/cuentas/:id',
  ({ deps }, id) => createCuentas(deps.database).detail(id),
  'operador',
);
