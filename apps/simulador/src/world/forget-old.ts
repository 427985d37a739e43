/**
 * Takes entries out of a map from its beginning on, up to the first that is not old: for maps whose oldest entries come
 * first.
 */
export function forgetOld<K, V>(map: Map<K, V>, isOld: (value: V) => boolean): void {
  for (const [key, value] of map) {
    if (!isOld(value)) return;
    map.delete(key);
  }
}
