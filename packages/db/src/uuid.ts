const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * True for the text of a UUID (RFC 9562, section 4), whatever its letter case: PostgreSQL compares it without an error.
 */
export function isUuid(text: string | undefined): text is string {
  return text !== undefined && UUID.test(text);
}
