/** Tells programs, too, how many seconds to wait (RFC 9110, section 10.2.3). */
export function refuseMany(segundos: number, response: Response): Response {
  response.headers.set('Retry-After', String(segundos));
  return response;
}
