import type { RfcVista } from '@acuse/db';
import { useContext } from 'hono/jsx';
import { Menus } from './components/navegacion.tsx';
import { Permitido } from './components/permitido.tsx';

/** As many RFCs as a list to choose from can hold. */
export const MAX_ELEGIBLES = 1_000;

/** Address of a page of an RFC, `sub` with its slash. */
export function hrefRfc(rfc: string, sub: '' | `/${string}` = ''): string {
  return `/rfcs/${encodeURIComponent(rfc)}${sub}`;
}

/** Head of every page of an RFC: the way back, its name and its tabs. `parte`: address of the current tab. */
export const headOf = ({ rfc, nombre }: Pick<RfcVista, 'rfc' | 'nombre'>, parte: '' | `/${string}`) => ({
  camino: (
    <p class="suave">
      <a href="/rfcs">RFC</a> / <a href={hrefRfc(rfc)}>{rfc}</a>
    </p>
  ),
  partes: (
    <>
      {nombre === null ? null : <p class="suave">{nombre}</p>}
      <Pestanas rfc={rfc} parte={parte} />
    </>
  ),
});

function Pestanas({ rfc, parte }: { readonly rfc: string; readonly parte: '' | `/${string}` }) {
  return (
    <nav class="fila" aria-label={`Partes de ${rfc}`}>
      {useContext(Menus).rfc.map(([sub, texto, de]) => (
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
  );
}
