import type { QuienOpera } from '@acuse/db';
import type { ContextoCliente } from '../../http/ruta.ts';

/** Whom the audit log names for what an operator does in the panel. */
export function quienOpera({ usuario, ip }: Pick<ContextoCliente, 'usuario' | 'ip'>): QuienOpera {
  return { actor: `usuario:${usuario.id}`, ip };
}
