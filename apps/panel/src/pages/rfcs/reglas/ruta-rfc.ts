import { parseRfc } from '@acuse/contract';
import { createContribuyentes, type RfcVista } from '@acuse/db';
import { rutasDe } from '../../../http/ruta-de.ts';

/** Address of a page of an RFC, `sub` with its slash. */
export function hrefRfc(rfc: string, sub: '' | `/${string}` = ''): string {
  return `/rfcs/${encodeURIComponent(rfc)}${sub}`;
}

/** Declares an address of an RFC of the account. */
export const defineRutaRfc = rutasDe<RfcVista>('/rfcs/:rfc', async ({ deps, usuario }, nombre) => {
  const rfc = parseRfc(nombre);
  return rfc === null ? null : createContribuyentes(deps.database).find(usuario.cuentaId, rfc);
});
