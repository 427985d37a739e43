import { createLlavesRecordadas } from '@acuse/db';
import { createKeyring, createSellado } from '@acuse/vault';
import type { ContextoCliente } from '../http/ruta.ts';

type Contexto = Pick<ContextoCliente, 'deps' | 'browser'>;

/**
 * API keys that somebody typed in, so that they are asked for once in a while and not for every form. Each is sealed
 * twice: under a key that only the browser's cookie gives, and under the panel's own, so that neither the database with
 * the panel's secrets nor the cookie alone opens it. It is over after some minutes without use, with the session, at
 * every change of the session's id, and as soon as the key is no longer active.
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

    /** The key of a taxpayer that was typed in lately, or null. */
    async recall({ id }: { readonly id: string }): Promise<string | null> {
      if (segundos === 0 || sesionId === undefined) return null;
      const sobre = await kept.use(sesionId, id, segundos);
      const contexto = contextOf(id);
      const inner = sobre && deps.sellado.open(sobre, contexto);
      return (inner && ofCookie().open(inner, contexto))?.toString() ?? null;
    },

    /** Forgets the keys of all taxpayers that were typed in during this session. */
    async forget(): Promise<void> {
      if (sesionId !== undefined) await kept.forget(sesionId);
    },

    /** The taxpayers, by id, whose key need not be typed in now. */
    async known(): Promise<ReadonlySet<string>> {
      return segundos === 0 || sesionId === undefined ? new Set() : kept.known(sesionId);
    },
  };
}
