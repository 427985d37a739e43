import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type IncomingBody, readDocument } from './incoming-body.ts';
import type { Store } from './store.ts';

/** One authenticated request and the means to answer it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly store: Store;
  readonly bucket: string;
  readonly key: string;
  readonly query: ReadonlyMap<string, string>;
  readonly body: IncomingBody;
  /** ms since 1970. */
  readonly now: () => number;
}

/** Answers without a body. */
export function sendEmpty({ response }: Exchange, status: number, headers: OutgoingHttpHeaders = {}): void {
  response.writeHead(status, headers).end();
}

/** Answers with an XML document. */
export function sendXml({ response }: Exchange, xml: string, status = 200): void {
  const bytes = Buffer.from(xml);
  response.writeHead(status, { 'content-type': 'application/xml', 'content-length': bytes.length }).end(bytes);
}

/** The request's body as XML text. */
export function readXml({ body }: Exchange): Promise<string> {
  return readDocument(body);
}

/** A whole number of the query between two limits, or the default when it is missing or not one. */
export function queryNumber({ query }: Exchange, name: string, fallback: number, max: number): number {
  const value = Number(query.get(name) ?? fallback);
  return Number.isInteger(value) && value >= 0 ? Math.min(value, max) : fallback;
}
