const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const REFERENCE = /&([^;]*);/g;

/** Text of a reference by its content between `&` and `;`; null if XML without a DTD has none. */
export function resolveReference(name: string): string | null {
  const [, digits, hex] = /^#(?:(\d+)|x([\da-fA-F]+))$/.exec(name) ?? [];
  if (digits === undefined && hex === undefined) return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? null) : null;
  const code = digits === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(digits, 10);
  return isChar(code) ? String.fromCodePoint(code) : null;
}

/** Whether XML 1.0 admits the code point. */
function isChar(code: number): boolean {
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}

/** The value of an attribute: white space as spaces, references resolved. */
export function readValue(raw: string): string {
  const spaced = /[\t\n\r]/.test(raw) ? raw.replace(/\r\n|[\t\n\r]/g, ' ') : raw;
  return spaced.includes('&') ? spaced.replace(REFERENCE, (_, name: string) => resolveReference(name) ?? '') : spaced;
}
