/**
 * Whether a request that changes something comes from a page of the panel. Browsers say so themselves (Fetch Metadata,
 * and the `Origin` header of every POST); a request that says neither comes from no browser that could be tricked, and
 * is refused as well.
 */
export function isSameOrigin(
  headers: { readonly secFetchSite: string | undefined; readonly origin: string | undefined },
  own: string,
): boolean {
  const { secFetchSite, origin } = headers;
  if (secFetchSite === undefined && origin === undefined) return false;
  if (secFetchSite !== undefined && secFetchSite !== 'same-origin') return false;
  return origin === undefined || origin === own;
}
