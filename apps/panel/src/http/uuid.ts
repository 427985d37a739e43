const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text is an id as this system writes them (RFC 9562, section 4: lower case, with hyphens). */
export function isUuid(text: string | undefined): text is string {
  return text !== undefined && UUID.test(text);
}
