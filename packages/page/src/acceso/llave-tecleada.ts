import type { AccessSnapshot } from '@acuse/core';
import { createAccessSnapshots, createLlavesRecordadas, type RfcVista } from '@acuse/db';
import { type ApiKey, createKeyring, createSellado, parseApiKey, wipeApiKey } from '@acuse/vault';
import type { ContextoCliente } from '../http/ruta.ts';

/** A key that was typed in and verified, with what it opens. The caller wipes it. */
export interface LlaveTecleada {
  readonly apiKey: ApiKey;
  readonly access: AccessSnapshot;
}

const NO_ES_LLAVE =
  'Eso no es una API key completa. Empieza con acuse_live_ o acuse_test_ y tiene 73 caracteres; cópiela entera, sin espacios.';
const AJENA = 'Esa no es la API key vigente de este RFC. Use la última que se generó para él.';

/**
 * Verifies that a typed text is the active API key of a taxpayer, and remembers it for the next forms of the session.
 * Without a text it uses the remembered key. Returns the key, or the fault in Spanish.
 */
export async function readTypedKey(
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

/**
 * Fault of a typed key for a call of the API, in Spanish, or null: it must have the id of the active key of this RFC,
 * so that no other RFC is asked about. The API verifies the key itself.
 */
export function faultOfLlave(texto: string, { llave }: Pick<RfcVista, 'llave'>): string | null {
  if (llave === null) return 'Este RFC todavía no tiene API key. Genérela primero en la página del RFC.';
  const key = parseApiKey(texto);
  if (key === null) return 'No es una API key completa. Péguela entera, como se mostró al generarla.';
  wipeApiKey(key);
  if (key.keyId === llave.id) return null;
  return `No es la API key vigente de este RFC, que termina en ${llave.ultimos4}.`;
}

/** Whether the session has the key of a taxpayer. */
export const isRecordada = async (
  contexto: Pick<ContextoCliente, 'deps' | 'browser'>,
  { id }: Pick<RfcVista, 'id'>,
): Promise<boolean> => (await createLlaveRecordada(contexto).known()).has(id);

type Contexto = Pick<ContextoCliente, 'deps' | 'browser'>;

/**
 * Remembers API keys that were made or typed in a session, so that forms do not ask for them again. Each is sealed twice:
 * under a key from the browser's cookie, and under the panel's own; neither the database with the panel's secrets nor the
 * cookie alone opens it. It ends with the session, at every change of the session's id, when the key stops being active,
 * and after the operator's time without use.
 */
export function createLlaveRecordada({ deps, browser }: Contexto) {
  const segundos = deps.settings.llaveRecordada;
  const sesionId = browser.sesion?.id;
  const kept = createLlavesRecordadas(deps.database);
  const ofCookie = () =>
    createSellado(createKeyring({ keys: new Map([['cookie', browser.sealKey()]]), current: 'cookie' }));
  const contextOf = (contribuyenteId: string) => ['panel/llave', sesionId ?? '', contribuyenteId];

  return {
    /** Keeps a key that was verified. Nothing happens where the operator lets none be kept. */
    async keep(texto: string, { id }: { readonly id: string }, apiKeyId: string): Promise<void> {
      if (segundos === 0 || sesionId === undefined) return;
      const contexto = contextOf(id);
      const sobre = deps.sellado.seal(ofCookie().seal(Buffer.from(texto), contexto), contexto);
      await kept.keep({ sesionId, contribuyenteId: id, apiKeyId, sobre, segundos });
    },

    /** The key of a taxpayer that the session has, or null. */
    async recall({ id }: { readonly id: string }): Promise<string | null> {
      if (segundos === 0 || sesionId === undefined) return null;
      const sobre = await kept.use(sesionId, id, segundos);
      const contexto = contextOf(id);
      const inner = sobre && deps.sellado.open(sobre, contexto);
      return (inner && ofCookie().open(inner, contexto))?.toString() ?? null;
    },

    /** Forgets the keys of all taxpayers that the session has. */
    async forget(): Promise<void> {
      if (sesionId !== undefined) await kept.forget(sesionId);
    },

    /** The taxpayers, by id, whose key the session has. */
    async known(): Promise<ReadonlySet<string>> {
      return segundos === 0 || sesionId === undefined ? new Set() : kept.known(sesionId);
    },
  };
}
