import type { Autor } from '@acuse/core';
import type { ContextoCliente } from './ruta.ts';

/** Whom the audit log names for what is done in a request, and from where. */
export function quien({ usuario, ip }: Pick<ContextoCliente, 'usuario' | 'ip'>): Autor & { ip: string } {
  return { actor: `usuario:${usuario.id}`, ip };
}
