import { NS } from './namespaces.ts';

const HEADERS = { 'content-type': 'text/xml; charset=utf-8' };

/** Opening of every answer up to where the header's or the body's content goes. */
export const ENVELOPE_OPEN = `<s:Envelope xmlns:s="${NS.soap}">`;
export const ENVELOPE_CLOSE = '</s:Envelope>';

/** An answer with HTTP 200. */
export function soapAnswer(body: string, { header = '', attributes = '' } = {}): Response {
  const head = header === '' ? '' : `<s:Header>${header}</s:Header>`;
  const text = `<s:Envelope xmlns:s="${NS.soap}"${attributes}>${head}<s:Body>${body}</s:Body>${ENVELOPE_CLOSE}`;
  return new Response(text, { headers: HEADERS });
}

/** An answer with HTTP 200 that is written piece by piece. */
export function soapStream(pieces: AsyncIterator<Uint8Array>): Response {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return?.();
    },
  });
  return new Response(body, { headers: HEADERS });
}

/** A SOAP fault with HTTP 500, coded in the dispatcher's namespace (`a:ActionNotSupported`) or WS-Security's. */
export function soapFault(code: 'ActionNotSupported' | 'InvalidSecurity' | 'DeserializationFailed', text: string) {
  const namespace = {
    ActionNotSupported: 'http://schemas.microsoft.com/ws/2005/05/addressing/none',
    DeserializationFailed: 'http://schemas.microsoft.com/net/2005/12/windowscommunicationfoundation/dispatcher',
    InvalidSecurity: NS.wsse,
  }[code];
  const fault = `<s:Fault><faultcode xmlns:a="${namespace}">a:${code}</faultcode><faultstring xml:lang="en-US">${escapeXml(text)}</faultstring></s:Fault>`;
  return new Response(`${ENVELOPE_OPEN}<s:Body>${fault}</s:Body>${ENVELOPE_CLOSE}`, {
    status: 500,
    headers: HEADERS,
  });
}

/** Attributes ready to stand in a tag, each with a blank before it. */
export function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
}

/** Text safe inside elements and double-quoted attributes. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
