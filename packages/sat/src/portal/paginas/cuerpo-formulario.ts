const HEX = Buffer.from('0123456789ABCDEF', 'latin1');

/**
 * `application/x-www-form-urlencoded` of the fields as bytes. A value given as Buffer (a password) is escaped byte by
 * byte straight into the body and never becomes a string, so whoever sends the body can zero it afterwards.
 */
export function encodeFormulario(campos: Iterable<readonly [string, string | Buffer]>): Buffer {
  const parts = [...campos].flatMap(([nombre, valor], i) => [
    `${i === 0 ? '' : '&'}${escapeText(nombre)}=`,
    typeof valor === 'string' ? escapeText(valor) : valor,
  ]);
  const sizes = parts.map((part) => (typeof part === 'string' ? part.length : part.length * 3));
  const body = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const [i, part] of parts.entries()) {
    if (typeof part === 'string') body.write(part, at, 'latin1');
    else writeEscaped(part, body, at);
    at += sizes[i] ?? 0;
  }
  return body;
}

/** A lone surrogate, which `encodeURIComponent` throws on, becomes U+FFFD. */
function escapeText(texto: string): string {
  return encodeURIComponent(Buffer.from(texto).toString());
}

function writeEscaped(valor: Buffer, body: Buffer, from: number): void {
  for (const [i, byte] of valor.entries()) {
    body[from + i * 3] = 0x25;
    body[from + i * 3 + 1] = HEX[byte >> 4] ?? 0;
    body[from + i * 3 + 2] = HEX[byte & 15] ?? 0;
  }
}
