import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Makes and reads the opaque values a page carries; only the maker can read them. */
export type Seal = ReturnType<typeof createSeal>;

/** Seals what a page's `__VIEWSTATE` says: its own values, and for which page and session it was made. */
export function sealView(seal: Seal, { id: sesion }: { id: string }, pagina: string, own: object): string {
  return seal.close({ ...own, pagina, sesion });
}

/** The page's own values of a view state that came back; null when it is not of that page and session. */
export function openView<T extends object>(seal: Seal, { id }: { id: string }, pagina: string, text: string): T | null {
  const view = seal.open(text) as (T & { pagina?: unknown; sesion?: unknown }) | null;
  return view?.pagina === pagina && view.sesion === id ? view : null;
}

/**
 * Creates a seal with a random key (AES-256-GCM), so that nothing survives a restart, as with a rotated machine key.
 */
export function createSeal() {
  const key = randomBytes(32);
  return {
    /** Base64 text of the value, encrypted and authenticated; different at every call. */
    close: (value: unknown) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    /** The value inside, or null when the text was not made by this seal. */
    open: (text: string): unknown => {
      const bytes = Buffer.from(text, 'base64');
      if (bytes.length <= IV_BYTES + TAG_BYTES) return null;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        const body = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
        return JSON.parse(body.toString('utf8'));
      } catch {
        return null;
      }
    },
  };
}
