import type { Papel } from '@acuse/db';
import { type Child, createContext, type PropsWithChildren, useContext } from 'hono/jsx';
import { type Parte, puede } from '../acceso/permisos.ts';

/** Role of the reader in the account, from the layout; null without one. */
export const PapelDeQuienLee = createContext<Papel | null>(null);

type PermitidoProps = PropsWithChildren<
  ({ readonly ver: Parte; readonly cambiar?: never } | { readonly cambiar: Parte; readonly ver?: never }) & {
    /** What the others see in its place. */
    readonly otherwise?: Child;
  }
>;

/** What only those see who may see or change a part of the account: the way there, and its forms. */
export function Permitido({ ver, cambiar, otherwise = null, children }: PermitidoProps) {
  const papel = useContext(PapelDeQuienLee);
  const isAllowed = ver === undefined ? puede(papel, 'cambiar', cambiar) : puede(papel, 'ver', ver);
  return <>{isAllowed ? children : otherwise}</>;
}
