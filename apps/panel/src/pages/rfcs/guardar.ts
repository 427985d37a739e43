import type { Modo } from '@acuse/core';
import { createBoveda, createSesionesPortal, notifyOutbox, type RfcVista } from '@acuse/db';
import { hrefRfc, puede } from '@acuse/page';
import { type LlaveTecleada, readTypedKey } from '@acuse/page/llave-tecleada';
import type { Dueno } from '@acuse/vault';
import type { ContextoCliente } from '../../paginas.ts';
import { renderPrimerPedido } from '../solicitudes/nueva.tsx';
import { generateLlave, modoPedido } from './generar-llave.ts';

/** Faults by field of a refused form. No typed value is sent back: all are secret. */
export type Reparos = Readonly<Record<string, string>>;

/** Text for a key that was replaced or revoked between its check and the write. */
export const LLAVE_MUERTA = 'La API key se cambió o se revocó en este momento: no se guardó nada. Use la nueva.';

/** A key that opens the vault; `nueva` is its text when it was made for this form. */
export interface LlaveParaGuardar extends LlaveTecleada {
  readonly nueva: string | null;
}

/**
 * The typed or remembered key of an RFC; an RFC without one gets its first key. Returns the fault in Spanish otherwise.
 * The caller wipes the key.
 */
export async function keyFor(contexto: ContextoCliente, rfc: RfcVista): Promise<LlaveParaGuardar | string> {
  const isFirst = rfc.llave === null;
  if (isFirst && !puede(contexto.usuario.papel, 'cambiar', 'llaves'))
    return 'Un propietario o un desarrollador de la cuenta tiene que generar antes la API key de este RFC.';
  const pedido = { modo: modoPedido(contexto, rfc), vigente: null, anterior: null };
  const hecha = isFirst ? await generateLlave(rfc, pedido, contexto) : null;
  if (isFirst && hecha === null) return LLAVE_MUERTA;
  const nueva = hecha?.texto ?? null;
  const tecleada = await readTypedKey(nueva ?? contexto.campos['api_key'], rfc, contexto);
  return typeof tecleada === 'string' ? tecleada : { ...tecleada, nueva };
}

/** Associates the RFC with the key, as `vault/rfc-registrar` does, and answers with the next step. */
export async function answerStored(
  { apiKey, access, nueva }: LlaveParaGuardar,
  rfc: RfcVista,
  texto: string,
  contexto: ContextoCliente,
): Promise<Response> {
  const { contribuyenteId } = access;
  const isNew = !access.apiKey.isRegistrada;
  if (isNew)
    await createBoveda(contexto.deps.database).register({ apiKeyId: apiKey.keyId, contribuyenteId, ...contexto.autor });
  if (nueva !== null) return renderPrimerPedido(contexto, { rfc: rfc.rfc, llave: nueva, texto });
  const asociado = isNew ? ' El RFC quedó asociado con la llave: ya puede llamar a la API.' : '';
  return contexto.redirectTo(hrefRfc(rfc.rfc, '/credenciales'), { tono: 'exito', texto: `${texto}${asociado}` });
}

/** Whether credentials under a key of this mode are a simulator's, in an installation that asks the SAT with the others. */
export const isDePruebas = (modo: Modo, { deps }: Pick<ContextoCliente, 'deps'>): boolean =>
  deps.settings.modoLlave === 'live' && modo === 'test';

/** What the vault's functions write through, as the API has it. */
export function openVault(contexto: Pick<ContextoCliente, 'deps'>, modo: Modo) {
  const { deps } = contexto;
  const { database, keyring, sealer, newId, settings, log } = deps;
  return {
    boveda: createBoveda(database),
    sesiones: createSesionesPortal(database, { isPruebas: isDePruebas(modo, contexto) }),
    keyring,
    sealer,
    newId,
    // Not awaited: the relay also polls.
    wake: () => {
      notifyOutbox(database).catch((err: unknown) => log.warn({ err }, 'relay_not_woken'));
    },
    settings,
  };
}

export function duenoDe({ apiKey, access }: LlaveTecleada, contexto: ContextoCliente): Dueno {
  return { access, apiKey, ...contexto.autor };
}
