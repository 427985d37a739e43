import { createContext, useContext } from 'hono/jsx';
import { type Parte, puede } from '../acceso/permisos.ts';
import type { Persona } from '../http/ruta.ts';

/** An entry of the menu: address, text, drawing on a square of 24, and the part of an account that it is about. */
export type EntradaMenu = readonly [path: string, texto: string, trazo: string, parte?: Parte];

/** An entry of the operator's menu. */
export type EntradaOperacion = readonly [path: string, texto: string];

/** A tab of the pages of an RFC: its address after that of the RFC, its text, and the part of an account that it is about. */
export type PestanaRfc = readonly [sub: '' | `/${string}`, texto: string, parte: Parte];

/** The menus of the panel, those of features included, in the order of the page. */
export interface MenusPanel {
  readonly principal: readonly EntradaMenu[];
  readonly operacion: readonly EntradaOperacion[];
  readonly rfc: readonly PestanaRfc[];
}

/** The menus, from the layout. */
export const Menus = createContext<MenusPanel>({ principal: [], operacion: [], rfc: [] });

const OPERACION: EntradaMenu = ['/operador', 'Operación', 'M3 12h4l3-8 4 16 3-8h4'];

export function Navegacion({ ruta, usuario }: { readonly ruta: string; readonly usuario: Persona }) {
  const { principal } = useContext(Menus);
  const own = principal.filter(([, , , parte]) => parte === undefined || puede(usuario.papel, 'ver', parte));
  const entradas = usuario.rol === 'OPERADOR' ? [...own, OPERACION] : own;
  return (
    <nav class="navegacion" aria-label="Principal">
      <ul>
        {entradas.map(([path, texto, trazo]) => (
          <li>
            <a href={path} aria-current={current(ruta, path)}>
              <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
                <path d={trazo} />
              </svg>
              {texto}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function current(ruta: string, path: string): 'page' | 'true' | undefined {
  if (ruta === path) return 'page';
  return ruta.startsWith(`${path}/`) ? 'true' : undefined;
}

/** Links between the operator's pages. */
export function PartesOperacion({ ruta }: { readonly ruta: string }) {
  return (
    <nav class="fila" aria-label="Operación">
      {useContext(Menus).operacion.map(([path, texto]) => (
        <a href={path} aria-current={path === OPERACION[0] && path !== ruta ? undefined : current(ruta, path)}>
          {texto}
        </a>
      ))}
    </nav>
  );
}
