/**
 * What may stand in an `href`: a path of this panel, a fragment, or an absolute http(s) or mailto address. Anything
 * else, above all `javascript:` and `//host`, becomes `#`, so that text from the authority or from a user can never
 * become a program.
 */
export function safeHref(href: string): string {
  if (/^(\/(?![/\\])|#|\?)/.test(href)) return hasControl(href) ? '#' : href;
  return /^(https?:\/\/|mailto:)[^\s]/i.test(href) && !hasControl(href) ? href : '#';
}

/** Browsers drop tabs and line breaks from addresses, so that `/\t/host` would be another host. */
function hasControl(text: string): boolean {
  return [...text].some((letter) => letter.charCodeAt(0) < 0x20 || letter.charCodeAt(0) === 0x7f);
}
