import { parseRfc } from '@acuse/contract';
import { createContribuyentes, type RfcVista } from '@acuse/db';
import type { Parte } from '../../acceso/permisos.ts';
import { Permitido } from '../../components/permitido.tsx';
import { routesOf } from '../../http/ruta.ts';

/** As many RFCs as a list to choose from can hold. */
export const MAX_ELEGIBLES = 1_000;

/** Address of a page of an RFC, `sub` with its slash. */
export function hrefRfc(rfc: string, sub: '' | `/${string}` = ''): string {
  return `/rfcs/${encodeURIComponent(rfc)}${sub}`;
}

/** The addresses of a page of an RFC of the account, for those who may see or change `parte`. */
export const rfcRoutes = (parte: Parte) =>
  routesOf<RfcVista, Parte>(parte, '/rfcs/:rfc', async ({ deps, usuario }, nombre) => {
    const rfc = parseRfc(nombre);
    return rfc === null ? null : createContribuyentes(deps.database).find(usuario.cuentaId, rfc);
  });

const PARTES = [
  ['', 'Resumen', 'rfcs'],
  ['/llave', 'API key', 'llaves'],
  ['/credenciales', 'Credenciales', 'credenciales'],
  ['/al-dia', 'Al día', 'credenciales'],
  ['/cfdi', 'CFDI', 'paquetes'],
  ['/proveedores', 'Contrapartes', 'paquetes'],
  ['/operaciones', 'Operaciones', 'accesos'],
  ['/direcciones', 'Direcciones IP', 'accesos'],
] as const;

/** What stands over every page of one RFC: its name, and the way to its other parts; `parte` is shown now. */
export const headOf = ({ rfc, nombre }: Pick<RfcVista, 'rfc' | 'nombre'>, parte: (typeof PARTES)[number][0]) => ({
  camino: (
    <p class="suave">
      <a href="/rfcs">RFC</a> / <a href={hrefRfc(rfc)}>{rfc}</a>
    </p>
  ),
  partes: (
    <>
      {nombre === null ? null : <p class="suave">{nombre}</p>}
      <nav class="fila" aria-label={`Partes de ${rfc}`}>
        {PARTES.map(([sub, texto, de]) => (
          <Permitido ver={de}>
            <a
              href={hrefRfc(rfc, sub)}
              class={sub === parte ? 'boton secundario' : 'boton discreto'}
              aria-current={sub === parte ? 'page' : undefined}
            >
              {texto}
            </a>
          </Permitido>
        ))}
      </nav>
    </>
  ),
});
