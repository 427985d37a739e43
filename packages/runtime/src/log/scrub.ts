/** What stands where a secret stood. */
export const HIDDEN = '[oculto]';

const SECRET_WORDS = new Set([
  'authorization',
  'bearer',
  'cer',
  'ciec',
  'contrasena',
  'cookie',
  'cookies',
  'kek',
  'key',
  'keys',
  'pass',
  'passphrase',
  'passwd',
  'password',
  'pepper',
  'pem',
  'secret',
  'secrets',
  'signature',
  'token',
  'tokens',
]);

const NAMES =
  'authorization|proxy-authorization|(?:set-)?cookie|[a-z_-]{0,30}(?:ciec|contrasena|contraseña|password|passphrase|passwd|secret|token|key|cer|pepper|kek)';

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/acuse_(test|live)_[A-Za-z0-9_-]+/g, `acuse_$1_${HIDDEN}`],
  [/-----BEGIN ([A-Z ]+)-----[\s\S]*?(?:-----END \1-----|$)/g, HIDDEN],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, `$1 ${HIDDEN}`],
  // The password inside the address of a database or a queue.
  [/([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s/]+@/gi, `$1:${HIDDEN}@`],
  [/(X-Amz-(?:Signature|Credential|Security-Token)=)[^&\s"']+/gi, `$1${HIDDEN}`],
  // name=value, name: value, "name":"value", name: 'value', also inside JSON that was escaped once more.
  [
    new RegExp(`((?<![a-z_-])(?:${NAMES})\\\\?["']?\\s*[:=]\\s*)(\\\\?"[^"]*"|'[^']*'|[^\\s,;&}\\])]+)`, 'gi'),
    `$1${HIDDEN}`,
  ],
  [/[A-Za-z0-9+/_-]{200,}={0,2}/g, HIDDEN],
];

/** Takes out of a text everything that has the shape of a secret. It is a net: callers must not put one in at all. */
export function scrubText(value: string): string {
  return PATTERNS.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), value);
}

/**
 * Tells whether a field's name announces a secret: one of its words (camelCase, snake_case and kebab-case are
 * taken apart) is on the list, unless the name says that it is only an identifier (`keyId`, `token_id`).
 */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/);
  return words.at(-1) !== 'id' && words.some((word) => SECRET_WORDS.has(word));
}
