import type { AccessSnapshot } from '@acuse/core';
import { createAccessSnapshots, type RfcVista } from '@acuse/db';
import { type ApiKey, parseApiKey, wipeApiKey } from '@acuse/vault';
import { createLlaveRecordada } from '../../../acceso/llave-recordada.ts';
import type { ContextoCliente } from '../../../http/ruta.ts';

/** A key that was typed in and verified, with what it opens. The caller wipes it. */
export interface LlaveTecleada {
  readonly apiKey: ApiKey;
  readonly access: AccessSnapshot;
}

const NO_ES_LLAVE =
  'Eso no es una API key completa. Empieza con acuse_live_ o acuse_test_ y tiene 73 caracteres; cópiela entera, sin espacios.';
const AJENA = 'Esa no es la API key vigente de este RFC. Use la última que se generó para él.';

/**
 * Verifies that a typed text is the active API key of a taxpayer, and keeps it for the next forms of the session.
 * Without a text it is the one that was typed in lately. Returns the key, or what is wrong, in Spanish.
 */
export async function readLlaveTecleada(
  texto: string | undefined,
  rfc: Pick<RfcVista, 'id'>,
  contexto: Pick<ContextoCliente, 'deps' | 'browser'>,
): Promise<LlaveTecleada | string> {
  const recordada = createLlaveRecordada(contexto);
  const nueva = texto?.trim() ?? '';
  const tecleado = nueva === '' ? ((await recordada.recall(rfc)) ?? '') : nueva;
  const { database, hasher } = contexto.deps;
  if (tecleado === '') return 'Escriba la API key del RFC: sin ella no se puede cifrar ni abrir nada.';
  const apiKey = parseApiKey(tecleado);
  if (apiKey === null) return NO_ES_LLAVE;
  const accessSnapshots = createAccessSnapshots(database);
  const access = await accessSnapshots.load(apiKey.keyId);
  // The hash is computed for an unknown id as well, so that the time tells nothing.
  const isKey = hasher.verifyApiKey(apiKey, access?.apiKey ?? null);
  if (access !== null && isKey && access.contribuyenteId === rfc.id && access.apiKey.estado === 'ACTIVA') {
    if (nueva !== '') await recordada.keep(tecleado, rfc, apiKey.keyId);
    if (hasher.isStale(access.apiKey))
      await accessSnapshots.rehash(apiKey.keyId, access.apiKey.hash, hasher.hashApiKey(apiKey));
    return { apiKey, access };
  }
  wipeApiKey(apiKey);
  return AJENA;
}

/** Whether the key of a taxpayer need not be typed in now. */
export const isRecordada = async (
  contexto: Pick<ContextoCliente, 'deps' | 'browser'>,
  { id }: Pick<RfcVista, 'id'>,
): Promise<boolean> => (await createLlaveRecordada(contexto).known()).has(id);
