const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * True for the text of a UUID (RFC 9562, section 4), whatever its letter case: PostgreSQL compares it without an error.
 */
export function isUuid(text: string | undefined): text is string {
  return text !== undefined && UUID.test(text);
}

/** Before and after every id that a row can have. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
