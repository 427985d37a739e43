import type { TipoGuardada } from '@acuse/core';
import { createLlaves, type PorResellar, Rechazo, type Relevo, type RfcVista } from '@acuse/db';
import { type ApiKey, CredencialIlegible, generateApiKey, registroOf, resealGuardada, wipeApiKey } from '@acuse/vault';
import { quien } from '../../../http/quien.ts';
import type { ContextoCliente } from '../../../http/ruta.ts';
import type { LlaveTecleada } from './llave-tecleada.ts';

/** A key that was just made: the only time that its text exists. */
export interface LlaveGenerada {
  readonly texto: string;
  /** Kinds of credential that did not open under the earlier key, and were deleted. */
  readonly perdidas: readonly TipoGuardada[];
}

/**
 * Makes the only active key of a taxpayer. With `anterior`, what was stored under that key is sealed under the new one.
 * Null when the active key is no longer the one of `vigente` (its id, or null): the same form sent twice makes one key.
 */
export async function generarLlave(
  rfc: RfcVista,
  pedido: {
    readonly vigente: string | null;
    readonly anterior: LlaveTecleada | null;
  },
  contexto: Pick<ContextoCliente, 'deps' | 'usuario' | 'ip'>,
): Promise<LlaveGenerada | null> {
  const { deps } = contexto;
  const { database, hasher } = deps;
  const nueva = generateApiKey(deps.settings.modoLlave);
  try {
    const { anterior } = pedido;
    const relevo = anterior && relevoOf(rfc, { from: anterior.apiKey, to: nueva }, deps);
    const perdidas = await createLlaves(database).activate({
      contribuyenteId: rfc.id,
      llave: registroOf(hasher, nueva),
      vigente: pedido.vigente,
      ...(relevo ? { relevo } : {}),
      ...quien(contexto),
    });
    return { texto: nueva.text, perdidas };
  } catch (error) {
    if (error instanceof Rechazo && error.motivo === 'LLAVE_CAMBIADA') return null;
    throw error;
  } finally {
    wipeApiKey(nueva);
  }
}

function relevoOf(
  rfc: RfcVista,
  keys: { readonly from: ApiKey; readonly to: ApiKey },
  { keyring }: Pick<ContextoCliente['deps'], 'keyring'>,
): Relevo {
  const reseal = (guardada: PorResellar) => {
    try {
      const tipo = guardada.tipo === 'ciec' ? 'ciec' : 'efirma';
      return [resealGuardada(tipo, guardada, keys, rfc, keyring)];
    } catch (error) {
      if (error instanceof CredencialIlegible) return [];
      throw error;
    }
  };
  return { anterior: keys.from.keyId, reseal: (guardadas) => guardadas.flatMap(reseal) };
}
