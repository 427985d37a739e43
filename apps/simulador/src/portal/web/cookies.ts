/** Adds cookies of a service to an answer; `path` is the service's prefix. An empty value deletes the cookie. */
export function withCookies(
  response: Response,
  path: string,
  cookies: Readonly<Record<string, string>>,
): Response {
  for (const [name, value] of Object.entries(cookies)) {
    const expiry = value === '' ? '; Expires=Thu, 01 Jan 1970 00:00:00 GMT' : '';
    response.headers.append('set-cookie', `${name}=${value}; Path=${path}; HttpOnly${expiry}`);
  }
  return response;
}

/** A redirection with status 302, which a browser follows by GET. */
export function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location } });
}
