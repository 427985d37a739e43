/** One record of an answer to an asynchronous postback. */
export type DeltaRecord = readonly [type: string, id: string, content: string];

/**
 * Writes the answer of ASP.NET AJAX to an asynchronous postback: the version record `1|#||4|`, then
 * `length|type|id|content|` for each record. The length counts UTF-16 code units of the content, as .NET does.
 */
export function writeDelta(records: readonly DeltaRecord[]): string {
  return ['1|#||4|', ...records.map(([type, id, content]) => `${content.length}|${type}|${id}|${content}|`)].join('');
}

/** The answer that sends the browser elsewhere, in place of a redirection. */
export function redirectDelta(location: string): string {
  return writeDelta([['pageRedirect', '', encodeURIComponent(location)]]);
}

/** The answer to a postback that failed with an exception. */
export function errorDelta(message: string): string {
  return `${message.length}|error|500|${message}|`;
}

/** A delta as HTTP answer. */
export function deltaResponse(body: string): Response {
  return new Response(body, {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, no-store' },
  });
}
