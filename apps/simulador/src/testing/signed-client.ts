import { createHash, createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto';

/**
 * A client of the bulk service for tests. It writes each canonical form as text, the way the public clients do,
 * so that the canonicaliser under test has no part in what it is tested with.
 */
export type SignedClient = {
  authenticate(change?: AuthenticationChange): Promise<Answer>;
  /** Sends an operation, signed; `token` is what `authenticate` gave, or null for no Authorization header. */
  send(operation: OperationName, attributes: Record<string, string>, options: SendOptions): Promise<Answer>;
};

/** Styles of signing in production use: A phpcfdi and nodecfdi, B satcfdi and the manual, C cfdiclient. */
export type Style = 'A' | 'B' | 'C';
type OperationName = keyof typeof OPERATIONS;
export type SendOptions = {
  token: string | null;
  style?: Style;
  /** XML inside the element, in canonical form. */
  content?: string;
  /** Changes the message after it was signed. */
  tamper?: (message: string) => string;
  quotesAction?: boolean;
  /** How the body is written; the declared charset stays UTF-8. */
  encoding?: 'utf8' | 'latin1';
  /** What the reference names, signed like that; default: what the style has. */
  uri?: string;
  /** Hash that the signature declares, though SHA-1 is what it is made with. */
  hash?: 'sha1' | 'sha256';
};
export type AuthenticationChange = {
  created?: Date;
  expires?: Date;
  id?: string;
  /** The id that the reference names, signed like that; default: the Timestamp's. */
  reference?: string;
  tamper?: (message: string) => string;
};
type Answer = { status: number; text: string; attributes: Record<string, string>; token: string };

const DES = 'http://DescargaMasivaTerceros.sat.gob.mx';
const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const WSU = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const X509 = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const ENVELOPED = `${DSIG}enveloped-signature`;

/** The signed element, the contract, the file, and the body's element where its name is not the operation's. */
type Operation = readonly [child: string, contract: string, file: string, element?: string];
const SOLICITA = ['solicitud', 'ISolicitaDescargaService', 'SolicitaDescargaService'] as const;
const OPERATIONS = {
  SolicitaDescargaEmitidos: SOLICITA,
  SolicitaDescargaRecibidos: SOLICITA,
  SolicitaDescargaFolio: SOLICITA,
  SolicitaDescarga: SOLICITA,
  VerificaSolicitudDescarga: ['solicitud', 'IVerificaSolicitudDescargaService', 'VerificaSolicitudDescargaService'],
  Descargar: [
    'peticionDescarga',
    'IDescargaMasivaTercerosService',
    'DescargaMasivaService',
    'PeticionDescargaMasivaTercerosEntrada',
  ],
} as const satisfies Record<string, Operation>;

type Signing = Required<Pick<SendOptions, 'style'>> &
  Pick<SendOptions, 'uri' | 'hash'> & { key: KeyObject; certificate: X509Certificate };

/** Creates a client for one e.firma. `url` is the simulator's, `hosts` the two path prefixes. */
export function createSignedClient(options: {
  url: string;
  cer: Buffer;
  key: Buffer;
  password: string;
  hosts?: { solicitud: string; descarga: string };
}): SignedClient {
  const { url, hosts = { solicitud: 'cfdidescargamasivasolicitud', descarga: 'cfdidescargamasiva' } } = options;
  const key = createPrivateKey({ key: options.key, format: 'der', type: 'pkcs8', passphrase: options.password });
  const certificate = new X509Certificate(options.cer);
  return {
    authenticate: (change = {}) =>
      post(
        `${url}/${hosts.solicitud}/Autenticacion/Autenticacion.svc`,
        { SOAPAction: 'http://DescargaMasivaTerceros.gob.mx/IAutenticacion/Autentica' },
        writeAuthentication(certificate, key, change),
      ),
    send: (
      operation,
      attributes,
      { token, style = 'A', content = '', tamper = same, quotesAction = false, encoding = 'utf8', ...rest },
    ) => {
      const [child, contract, file, element = operation]: Operation = OPERATIONS[operation];
      const host = operation === 'Descargar' ? hosts.descarga : hosts.solicitud;
      const action = `${DES}/${contract}/${operation}`;
      const message = writeOperation({ element, child, attributes, content, style, certificate, key, ...rest });
      return post(
        `${url}/${host}/${file}.svc`,
        {
          SOAPAction: quotesAction ? `"${action}"` : action,
          ...(token !== null && { Authorization: `WRAP access_token="${token}"` }),
        },
        Buffer.from(tamper(message), encoding),
      );
    },
  };
}

function writeOperation(
  input: Signing & { element: string; child: string; attributes: Record<string, string>; content: string },
): string {
  const { element, child, content, style } = input;
  const attributes = Object.entries(input.attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ` ${name}="${value.replaceAll('&', '&amp;')}"`)
    .join('');
  const inner = `<des:${child}${attributes}>${content}</des:${child}>`;
  const scope = style === 'B' ? ` xmlns:des="${DES}" xmlns:s="${SOAP}"` : ` xmlns:des="${DES}"`;
  const signature = writeSignature(`<des:${element}${scope}>${inner}</des:${element}>`, input);
  const signed = inner.replace(new RegExp(`</des:${child}>$`), `${signature}</des:${child}>`);
  return `<s:Envelope xmlns:s="${SOAP}" xmlns:des="${DES}"><s:Header/><s:Body><des:${element}>${signed}</des:${element}></s:Body></s:Envelope>`;
}

function writeSignature(signed: string, { style, key, certificate, uri: named, hash = 'sha1' }: Signing): string {
  const digestValue = digest(signed);
  const uri = named === undefined ? (style === 'C' ? '' : ' URI=""') : ` URI="${named}"`;
  const [method, transform] = style === 'B' ? [INCLUSIVE, ENVELOPED] : [EXCLUSIVE, EXCLUSIVE];
  const info = (open: string) =>
    `<${open}><CanonicalizationMethod Algorithm="${method}"></CanonicalizationMethod><SignatureMethod Algorithm="${DSIG}rsa-${hash}"></SignatureMethod><Reference${uri}><Transforms><Transform Algorithm="${transform}"></Transform></Transforms><DigestMethod Algorithm="${DSIG}sha1"></DigestMethod><DigestValue>${digestValue}</DigestValue></Reference></SignedInfo>`;
  const value = sign('sha1', Buffer.from(info(`SignedInfo xmlns="${DSIG}"`)), key).toString('base64');
  const serial = BigInt(`0x${certificate.serialNumber}`).toString();
  const text = `<Signature xmlns="${DSIG}">${info('SignedInfo')}<SignatureValue>${value}</SignatureValue><KeyInfo><X509Data><X509IssuerSerial><X509IssuerName>${certificate.issuer.replaceAll('\n', ',')}</X509IssuerName><X509SerialNumber>${serial}</X509SerialNumber></X509IssuerSerial><X509Certificate>${certificate.raw.toString('base64')}</X509Certificate></X509Data></KeyInfo></Signature>`;
  return style === 'C' ? withPrefix(text) : text;
}

/** Style C as it is sent: the elements of a signature made without prefix get one afterwards. */
function withPrefix(text: string): string {
  return text.replace(/<(\/?)([A-Z])/g, '<$1xd:$2').replace('xmlns=', 'xmlns:xd=');
}

function writeAuthentication(
  certificate: X509Certificate,
  key: KeyObject,
  { created = new Date(), expires, id = '_0', reference = id, tamper = same }: AuthenticationChange,
): string {
  const end = expires ?? new Date(created.getTime() + 300_000);
  const times = `<u:Created>${created.toISOString()}</u:Created><u:Expires>${end.toISOString()}</u:Expires>`;
  const digestValue = digest(`<u:Timestamp xmlns:u="${WSU}" u:Id="${id}">${times}</u:Timestamp>`);
  const info = `<SignedInfo xmlns="${DSIG}"><CanonicalizationMethod Algorithm="${EXCLUSIVE}"></CanonicalizationMethod><SignatureMethod Algorithm="${DSIG}rsa-sha1"></SignatureMethod><Reference URI="#${reference}"><Transforms><Transform Algorithm="${EXCLUSIVE}"></Transform></Transforms><DigestMethod Algorithm="${DSIG}sha1"></DigestMethod><DigestValue>${digestValue}</DigestValue></Reference></SignedInfo>`;
  const value = sign('sha1', Buffer.from(info), key).toString('base64');
  return tamper(
    `<s:Envelope xmlns:s="${SOAP}" xmlns:u="${WSU}"><s:Header><o:Security xmlns:o="${WSSE}" s:mustUnderstand="1"><u:Timestamp u:Id="${id}">${times}</u:Timestamp><o:BinarySecurityToken u:Id="BinarySecurityToken" ValueType="${X509}">${certificate.raw.toString('base64')}</o:BinarySecurityToken><Signature xmlns="${DSIG}">${info}<SignatureValue>${value}</SignatureValue><KeyInfo><o:SecurityTokenReference><o:Reference URI="#BinarySecurityToken" ValueType="${X509}"/></o:SecurityTokenReference></KeyInfo></Signature></o:Security></s:Header><s:Body><Autentica xmlns="http://DescargaMasivaTerceros.gob.mx"/></s:Body></s:Envelope>`,
  );
}

async function post(
  address: string,
  headers: Record<string, string>,
  body: string | Buffer<ArrayBuffer>,
): Promise<Answer> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'text/xml; charset="utf-8"', Accept: 'text/xml', ...headers },
    body,
  });
  const text = await response.text();
  const tag = /<(?:h:respuesta|\w+Result)\b[^>]*>/.exec(text)?.[0] ?? '';
  const attributes = Object.fromEntries(
    [...tag.matchAll(/ (\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const token = /<AutenticaResult>([^<]+)</.exec(text)?.[1] ?? '';
  return { status: response.status, text, attributes, token };
}

function digest(text: string): string {
  return createHash('sha1').update(text, 'utf8').digest('base64');
}

function same(message: string): string {
  return message;
}
