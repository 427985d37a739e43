const HEX = Buffer.from('0123456789ABCDEF', 'latin1');

/**
 * `application/x-www-form-urlencoded` of the fields as bytes. A value given as Buffer (a password) is escaped byte by byte and
 * never becomes a string, so whoever sends the body can zero it afterwards.
 */
export function encodeFormulario(campos: Iterable<readonly [string, string | Buffer]>): Buffer {
  const parts: Buffer[] = [];
  for (const [nombre, valor] of campos) {
    const separator = parts.length === 0 ? '' : '&';
    parts.push(Buffer.from(`${separator}${escapeText(nombre)}=`, 'latin1'));
    parts.push(typeof valor === 'string' ? Buffer.from(escapeText(valor), 'latin1') : escapeBytes(valor));
  }
  const body = Buffer.concat(parts);
  for (const part of parts) part.fill(0);
  return body;
}

/** A lone surrogate, which `encodeURIComponent` throws on, becomes U+FFFD. */
function escapeText(texto: string): string {
  return encodeURIComponent(Buffer.from(texto).toString());
}

function escapeBytes(valor: Buffer): Buffer {
  const escaped = Buffer.alloc(valor.length * 3);
  for (const [i, byte] of valor.entries()) {
    escaped[i * 3] = 0x25;
    escaped[i * 3 + 1] = HEX[byte >> 4] ?? 0;
    escaped[i * 3 + 2] = HEX[byte & 15] ?? 0;
  }
  return escaped;
}
