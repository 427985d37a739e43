/**
 * Reads the subject of an X.509 certificate as Node prints it: one RDN a line as `name=value`, several attributes of
 * one RDN joined by ` + `, special and leading characters behind a backslash (RFC 2253), control characters as `\XX`.
 * Returns name → values in order; names as OpenSSL shortens them (`CN`, `OU`, `x500UniqueIdentifier`).
 */
export function parseSubject(subject: string): ReadonlyMap<string, readonly string[]> {
  const attributes = new Map<string, string[]>();
  for (const attribute of subject.split('\n').flatMap((line) => line.split(' + '))) {
    const equals = attribute.indexOf('=');
    if (equals < 1) continue;
    const name = attribute.slice(0, equals);
    attributes.set(name, [...(attributes.get(name) ?? []), unescapeValue(attribute.slice(equals + 1))]);
  }
  return attributes;
}

function unescapeValue(value: string): string {
  return value.replace(/\\(?:([0-9A-Fa-f]{2})|(.))/gs, (_, hex: string | undefined, char: string | undefined) =>
    hex === undefined ? (char ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
