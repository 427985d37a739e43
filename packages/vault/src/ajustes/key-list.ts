/**
 * Reads `id:base64,id:base64` into a map, in order. Throws RangeError, without quoting any value, when an entry has no
 * id or no content, or an id comes twice; what `read` throws goes through.
 */
export function parseKeys<Key>(name: string, list: string, read: (base64: string) => Key): ReadonlyMap<string, Key> {
  const keys = new Map<string, Key>();
  for (const entry of list.split(',')) {
    const at = entry.indexOf(':');
    const id = entry.slice(0, Math.max(at, 0)).trim();
    const content = entry.slice(at + 1).trim();
    if (id === '' || content === '' || keys.has(id)) {
      throw new RangeError(`${name}: se espera id:base64, sin ids repetidos`);
    }
    keys.set(id, read(content));
  }
  return keys;
}

/** The ids of such a list, in order: the first is in force. */
export const idsOf = (name: string, list: string): string[] => [...parseKeys(name, list, () => true).keys()];

/** The first key: the one in force. */
export function firstKey<Key>(keys: ReadonlyMap<string, Key>): { readonly id: string; readonly key: Key } {
  for (const [id, key] of keys) return { id, key };
  throw new RangeError('there is no key');
}
