import type { ContextoCliente } from './ruta.ts';

/** Who does something and from where, as the audit log names people of the panel. */
export interface Quien {
  readonly actor: string;
  readonly ip: string;
}

/** Whom the audit log names for what is done in a request. */
export function quien({ usuario, ip }: Pick<ContextoCliente, 'usuario' | 'ip'>): Quien {
  return { actor: `usuario:${usuario.id}`, ip };
}
