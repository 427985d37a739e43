const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True for the text of a UUID (RFC 9562, section 4), whatever its letter case: PostgreSQL compares it without an error. */
export const isUuid = (text: string): boolean => UUID.test(text);
