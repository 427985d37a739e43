/**
 * Reads `id:base64,id:base64` into a map. Throws without quoting any value when an entry has no id or no content, or an id comes twice.
 */
export function parseKeys<Key>(name: string, list: string, read: (base64: string) => Key): Map<string, Key> {
  const keys = new Map<string, Key>();
  for (const entry of list.split(',')) {
    const at = entry.indexOf(':');
    const id = entry.slice(0, at).trim();
    const content = entry.slice(at + 1).trim();
    if (at < 1 || id === '' || content === '' || keys.has(id))
      throw new Error(`${name}: se espera id:base64, sin ids repetidos`);
    keys.set(id, read(content));
  }
  return keys;
}
