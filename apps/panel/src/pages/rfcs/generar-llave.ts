import type { Modo, TipoGuardada } from '@acuse/core';
import { createLlaves, Rechazo, type Relevo, type RfcVista, type ToReseal } from '@acuse/db';
import { createLlaveRecordada, type LlaveTecleada } from '@acuse/page/llave-tecleada';
import { type ApiKey, CredencialIlegible, generateApiKey, registroOf, resealGuardada, wipeApiKey } from '@acuse/vault';
import type { ContextoCliente } from '../../paginas.ts';

/**
 * Mode of the next key of an RFC: by the form where test keys have a simulator beside the SAT, else by the key before;
 * elsewhere the mode of all keys.
 */
export function modoPedido({ campos, deps }: Pick<ContextoCliente, 'campos' | 'deps'>, { llave }: RfcVista): Modo {
  const { modoLlave, hayPruebas } = deps.settings;
  if (!hayPruebas) return modoLlave;
  return (campos['modo'] ?? llave?.modo) === 'test' ? 'test' : 'live';
}

/** A key that was just made: the only time that its text exists. */
export interface LlaveGenerada {
  readonly texto: string;
  /** Kinds of credential that did not open under the earlier key, and were deleted. */
  readonly perdidas: readonly TipoGuardada[];
}

/**
 * Makes the only active key of a taxpayer, which the session remembers. With `anterior` it reseals the credentials of that
 * key under the new one.
 * Null when the active key is not `vigente` (its id, or null): the same form sent twice makes one key.
 */
export async function generateLlave(
  rfc: RfcVista,
  pedido: { readonly modo: Modo; readonly vigente: string | null; readonly anterior: LlaveTecleada | null },
  contexto: Pick<ContextoCliente, 'deps' | 'autor' | 'browser'>,
): Promise<LlaveGenerada | null> {
  const { deps } = contexto;
  const { database, hasher } = deps;
  const nueva = generateApiKey(pedido.modo);
  try {
    const { anterior } = pedido;
    const relevo = anterior && relevoOf(rfc, { from: anterior.apiKey, to: nueva }, deps);
    const perdidas = await createLlaves(database).activate({
      contribuyenteId: rfc.id,
      llave: registroOf(hasher, nueva),
      vigente: pedido.vigente,
      ...(relevo ? { relevo } : {}),
      ...contexto.autor,
    });
    await createLlaveRecordada(contexto).keep(nueva.text, rfc, nueva.keyId);
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
  const reseal = (guardada: ToReseal) => {
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
