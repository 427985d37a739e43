import type { Element } from '@xmldom/xmldom';
import { Hono } from 'hono';
import { textOf } from '../../web/http.ts';
import { type FaultRule, respondWithFault } from '../../world/faults.ts';
import { escapeXml } from '../../world/texts.ts';
import type { World } from '../../world/world.ts';
import { NS, readMessage, type SoapMessage } from './message.ts';

/** A call that reached its operation. */
export type SoapCall = SoapMessage & {
  authorization: string | undefined;
  /** An injected fault that the operation itself must act out (`stuck`, `code`, `wrong-content`), or null. */
  fault: FaultRule | null;
  /** Adds facts to the log of the call. */
  note(more: Record<string, string>): void;
};

export type SoapOperation = {
  name: string;
  path: string;
  action: string;
  namespace: string;
  element: string;
  rfcOf(message: SoapMessage): string;
  detailOf?(operation: Element): Record<string, string>;
  handle(call: SoapCall): Response | Promise<Response>;
  /** Kinds of faults that the operation acts out itself. */
  ownFaults: readonly FaultRule['kind'][];
};

const BODY_LIMIT = 1024 * 1024;

/** The HTTP side of a host: SOAP 1.1 over POST, one address a service, the operation by its SOAPAction. */
export function createEndpoint(world: World, service: string, operations: readonly SoapOperation[]): Hono {
  const app = new Hono();
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const here = operations.filter((operation) => operation.path === path);
    app.post(path, async (c) => {
      const action = (c.req.header('soapaction') ?? '').trim().replace(/^"(.*)"$/, '$1');
      const operation = here.find((some) => some.action === action);
      const text = await textOf(c);
      if (!operation) return unknownAction(action);
      const message = text.length > BODY_LIMIT ? null : readMessage(text);
      if (!message) return new Response('Bad Request', { status: 400 });
      if (message.operation.namespaceURI !== operation.namespace || message.operation.localName !== operation.element)
        return unknownElement(message.operation);
      return answer(world, service, operation, message, c.req.header('authorization'));
    });
  }
  return app;
}

function answer(
  world: World,
  service: string,
  operation: SoapOperation,
  message: SoapMessage,
  authorization: string | undefined,
): Promise<Response> {
  const rfc = operation.rfcOf(message);
  const detail = operation.detailOf?.(message.operation) ?? {};
  world.log.add({ service, operation: operation.name, rfc, at: world.clock.now(), detail });
  const fault = world.faults.take(service, operation.name, rfc);
  const isOwn = fault !== null && operation.ownFaults.includes(fault.kind);
  return respondWithFault(isOwn ? null : fault, async () =>
    operation.handle({
      ...message,
      authorization,
      fault: isOwn ? fault : null,
      note: (more) => Object.assign(detail, more),
    }),
  );
}

function unknownAction(action: string): Response {
  return soapFault(
    'ActionNotSupported',
    `The message with Action '${action}' cannot be processed at the receiver, due to a ContractFilter mismatch at the EndpointDispatcher.`,
  );
}

function unknownElement(element: Element): Response {
  return soapFault(
    'DeserializationFailed',
    `The formatter cannot read the message: unexpected element '${element.localName}' of namespace '${element.namespaceURI}'.`,
  );
}

const HEADERS = { 'content-type': 'text/xml; charset=utf-8' };

export const ENVELOPE_OPEN = `<s:Envelope xmlns:s="${NS.soap}">`;
export const ENVELOPE_CLOSE = '</s:Envelope>';

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
  return new Response(`${ENVELOPE_OPEN}<s:Body>${fault}</s:Body>${ENVELOPE_CLOSE}`, { status: 500, headers: HEADERS });
}

/** Attributes ready to stand in a tag, each with a blank before it. */
export function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
}
