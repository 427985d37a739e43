import { parseRfc } from '@acuse/contract';
import { createContribuyentes, type RfcVista } from '@acuse/db';
import { routesOf } from '../../http/ruta.ts';

/** As many RFCs as a list to choose from can hold. */
export const MAX_ELEGIBLES = 1_000;

/** Address of a page of an RFC, `sub` with its slash. */
export function hrefRfc(rfc: string, sub: '' | `/${string}` = ''): string {
  return `/rfcs/${encodeURIComponent(rfc)}${sub}`;
}

/** The addresses of a page of an RFC of the account. */
export const rfcRoutes = () =>
  routesOf<RfcVista>('/rfcs/:rfc', async ({ deps, usuario }, nombre) => {
    const rfc = parseRfc(nombre);
    return rfc === null ? null : createContribuyentes(deps.database).find(usuario.cuentaId, rfc);
  });

const PARTES = [
  ['', 'Resumen'],
  ['/llave', 'API key'],
  ['/credenciales', 'Credenciales'],
  ['/operaciones', 'Operaciones'],
  ['/direcciones', 'Direcciones IP'],
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
        {PARTES.map(([sub, texto]) => (
          <a
            href={hrefRfc(rfc, sub)}
            class={sub === parte ? 'boton secundario' : 'boton discreto'}
            aria-current={sub === parte ? 'page' : undefined}
          >
            {texto}
          </a>
        ))}
      </nav>
    </>
  ),
});
