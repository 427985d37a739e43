const PERMISOS = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial', 'hid', 'midi', 'display-capture'];

/** Two years, as browsers' preload lists ask for. */
const HSTS = 'max-age=63072000; includeSubDomains';

/** The policy of a page: nothing but what the page itself names with its nonce, and nothing from elsewhere. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Sets what every answer carries. A policy or caching that the answer already has stays: assets are cached, a mounted
 * tool has a policy of its own.
 */
export function setSecurityHeaders(
  headers: Headers,
  options: { readonly nonce: string; readonly isHttps: boolean },
): void {
  if (!headers.has('content-security-policy'))
    headers.set('Content-Security-Policy', contentSecurityPolicy(options.nonce));
  if (!headers.has('cache-control')) headers.set('Cache-Control', 'no-store');
  if (!headers.has('x-frame-options')) headers.set('X-Frame-Options', 'DENY');
  headers.set('X-Content-Type-Options', 'nosniff');
  // With `no-referrer` browsers would send `Origin: null` from our own forms (Fetch, section 3.2).
  headers.set('Referrer-Policy', 'same-origin');
  headers.set('Permissions-Policy', PERMISOS.map((permiso) => `${permiso}=()`).join(', '));
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  if (options.isHttps) headers.set('Strict-Transport-Security', HSTS);
}
