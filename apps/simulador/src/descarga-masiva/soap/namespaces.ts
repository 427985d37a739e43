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
