import { DOMParser, type Element, type Node } from '@xmldom/xmldom';

/** A SOAP 1.1 message: its header, if any, and the operation, the body's only element. */
export type SoapMessage = { header: Element | null; operation: Element };

/** Reads a message; null for a text that is none. A document type is refused, as SOAP 1.1 section 3 demands. */
export function readMessage(text: string): SoapMessage | null {
  if (/<!DOCTYPE/i.test(text)) return null;
  try {
    const parser = new DOMParser({
      onError: (level, message) => {
        throw new Error(`${level}: ${message}`);
      },
    });
    const envelope = parser.parseFromString(text, 'text/xml').documentElement;
    if (envelope?.namespaceURI !== NS.soap || envelope.localName !== 'Envelope') return null;
    const operation = children(child(envelope, NS.soap, 'Body'))[0];
    return operation ? { header: child(envelope, NS.soap, 'Header') ?? null, operation } : null;
  } catch {
    return null;
  }
}

export function child(parent: Element | null | undefined, namespace: string, name: string): Element | undefined {
  return children(parent).find((some) => some.namespaceURI === namespace && some.localName === name);
}

export function children(parent: Element | null | undefined): Element[] {
  const found: Element[] = [];
  for (let node: Node | null = parent?.firstChild ?? null; node !== null; node = node.nextSibling) {
    if (node.nodeType === node.ELEMENT_NODE) found.push(node as Element);
  }
  return found;
}

/** The text of a child element without white space at its ends, or ''. */
export function childText(parent: Element | null | undefined, namespace: string, name: string): string {
  return child(parent, namespace, name)?.textContent?.trim() ?? '';
}

/** The namespaces of the messages, text-exact. */
export const NS = {
  soap: 'http://schemas.xmlsoap.org/soap/envelope/',
  wsse: 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd',
  wsu: 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
  dsig: 'http://www.w3.org/2000/09/xmldsig#',
  /** Of the authentication only: the host has no `sat.`. */
  autenticacion: 'http://DescargaMasivaTerceros.gob.mx',
  descarga: 'http://DescargaMasivaTerceros.sat.gob.mx',
} as const;
