const API_KEY_IN_TEXT = /acuse_(?:test|live)_([0-9A-Za-z]{1,12})?[0-9A-Za-z_-]*/g;

/**
 * Replaces every API key in a text, whole or cut off, by its prefix and id. The last net of a logger; the first is not to
 * log secrets at all.
 */
export function redactApiKeys(text: string): string {
  return text.replace(API_KEY_IN_TEXT, (match) => {
    const shown = match.slice(0, 'acuse_live_'.length + 12);
    return match.length > shown.length ? `${shown}_[REDACTED]` : match;
  });
}

/** What {@link redactApiKeys} looks for, for loggers that take a pattern. A fresh object: `g` patterns keep state. */
export function apiKeyPattern(): RegExp {
  return new RegExp(API_KEY_IN_TEXT.source, 'g');
}
