const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** An element that holds text. */
export function tag(name: string, value: string | number | boolean): string {
  return `<${name}>${escapeXml(String(value))}</${name}>`;
}

/** An element that holds elements. */
export function group(name: string, inner: string): string {
  return `<${name}>${inner}</${name}>`;
}

/** A whole answer; all but errors carry the namespace of S3. */
export function xmlDocument(root: string, inner: string, namespace = true): string {
  const attribute = namespace ? ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"' : '';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${inner}</${root}>`;
}

/**
 * The insides of every element `name` of a request body. S3's request bodies are flat lists without comments, CDATA or
 * nesting of equal names, so that this is all the reading they need.
 */
export function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g'))].map(
    ([, inner]) => inner ?? '',
  );
}

/** The text of the first element `name`, or null. */
export function textOf(xml: string, name: string): string | null {
  const [inner] = elements(xml, name);
  return inner === undefined ? null : unescapeXml(inner.trim());
}

function escapeXml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

function unescapeXml(value: string): string {
  return value.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return NAMED[name] ?? whole;
  });
}
