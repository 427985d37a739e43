/**
 * Adds cookies to an answer. Their path is `/`: the prefix of a service stands for a host, which a client that maps the
 * SAT's hosts to prefixes does not see in its paths. Names differ between the services. An empty value deletes the
 * cookie.
 */
export function withCookies(response: Response, cookies: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(cookies)) {
    const expiry = value === '' ? '; Expires=Thu, 01 Jan 1970 00:00:00 GMT' : '';
    response.headers.append('set-cookie', `${name}=${value}; Path=/; HttpOnly${expiry}`);
  }
  return response;
}

/** A redirection with status 302, which a browser follows by GET. */
export function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location } });
}
