import type { Pase } from '@acuse/core';
import { createPuerta, type RfcVista } from '@acuse/db';
import { type ApiKey, parseApiKey, wipeApiKey } from '@acuse/vault';
import type { PanelDeps } from '../../../panel-deps.ts';

/** A key that was typed in and verified, with what it opens. The caller wipes it. */
export interface LlaveTecleada {
  readonly apiKey: ApiKey;
  readonly pase: Pase;
}

const NO_ES_LLAVE =
  'Eso no es una API key completa. Empieza con acuse_live_ o acuse_test_ y tiene 73 caracteres; cópiela entera, sin espacios.';
const AJENA = 'Esa no es la API key vigente de este RFC. Use la última que se generó para él.';

/** Verifies that a typed text is the active API key of a taxpayer. Returns it, or what is wrong, in Spanish. */
export async function readLlaveTecleada(
  texto: string | undefined,
  rfc: Pick<RfcVista, 'id'>,
  { database, hasher }: Pick<PanelDeps, 'database' | 'hasher'>,
): Promise<LlaveTecleada | string> {
  const tecleado = texto?.trim() ?? '';
  if (tecleado === '') return 'Escriba la API key del RFC: sin ella no se puede cifrar ni abrir nada.';
  const apiKey = parseApiKey(tecleado);
  if (apiKey === null) return NO_ES_LLAVE;
  const pase = await createPuerta(database).load(apiKey.keyId);
  // The hash is computed for an unknown id as well, so that the time tells nothing.
  const isKey = hasher.verifyApiKey(apiKey, pase?.apiKey ?? null);
  if (pase !== null && isKey && pase.contribuyenteId === rfc.id && pase.apiKey.estado === 'ACTIVA')
    return { apiKey, pase };
  wipeApiKey(apiKey);
  return AJENA;
}
