import { createHmac, randomBytes, timingSafeEqual, X509Certificate } from 'node:crypto';
import type { Element } from '@xmldom/xmldom';
import type { Documento } from '../world/taxpayers/row.ts';
import type { World } from '../world/world.ts';
import { type SoapOperation, soapAnswer, soapFault } from './soap/endpoint.ts';
import { child, childText, NS, type SoapMessage } from './soap/message.ts';
import { matchesDigest, matchesValue, readSignature } from './soap/signature.ts';

/** How far apart two clocks may be, as WCF has it by default. */
const SKEW = 300_000;

/**
 * The operation Autentica: a Timestamp signed by a certificate gets a token. Whose certificate it is, is not asked
 * here: a CSD or a foreign one passes and meets its 305 at the request, as clients report of the SAT.
 */
export function createAutenticacion(world: World, tokens: Tokens): SoapOperation {
  return {
    name: 'Autentica',
    path: '/Autenticacion/Autenticacion.svc',
    action: `${NS.autenticacion}/IAutenticacion/Autentica`,
    namespace: NS.autenticacion,
    element: 'Autentica',
    ownFaults: ['code'],
    rfcOf: (message) => {
      const certificate = readCertificate(securityOf(message));
      return certificate ? world.pki.inspect(certificate.raw).rfc : '';
    },
    handle: (message) => {
      const numero = message.fault ? null : authenticate(message, world);
      if (numero === null)
        return soapFault('InvalidSecurity', 'An error occurred when verifying security for the message.');
      const now = world.clock.machineNow();
      const expires = new Date(now.getTime() + world.settings.segundos_token * 1000);
      const timestamp = `<u:Timestamp u:Id="_0"><u:Created>${now.toISOString()}</u:Created><u:Expires>${expires.toISOString()}</u:Expires></u:Timestamp>`;
      return soapAnswer(
        `<AutenticaResponse xmlns="${NS.autenticacion}"><AutenticaResult>${tokens.issue(numero)}</AutenticaResult></AutenticaResponse>`,
        {
          header: `<o:Security s:mustUnderstand="1" xmlns:o="${NS.wsse}">${timestamp}</o:Security>`,
          attributes: ` xmlns:u="${NS.wsu}"`,
        },
      );
    },
  };
}

/** The number of the certificate that signed the Timestamp, or null when any check fails. */
function authenticate(message: SoapMessage, { clock, pki }: World): string | null {
  const security = securityOf(message);
  const timestamp = child(security, NS.wsu, 'Timestamp');
  const token = child(security, NS.wsse, 'BinarySecurityToken');
  const signature = readSignature(child(security, NS.dsig, 'Signature'));
  const certificate = readCertificate(security);
  if (!timestamp || !token || !signature || certificate?.publicKey.asymmetricKeyType !== 'rsa') return null;
  const keyReference = child(
    child(signature.keyInfo, NS.wsse, 'SecurityTokenReference'),
    NS.wsse,
    'Reference',
  )?.getAttribute('URI');
  const isRight =
    isInForce(timestamp, clock.machineNow().getTime()) &&
    signature.uri === `#${timestamp.getAttributeNS(NS.wsu, 'Id')}` &&
    keyReference === `#${token.getAttributeNS(NS.wsu, 'Id')}` &&
    matchesDigest(signature, timestamp, ['exclusive']) &&
    matchesValue(signature, certificate.publicKey);
  return isRight ? pki.inspect(certificate.raw).numero : null;
}

function isInForce(timestamp: Element, now: number): boolean {
  const created = Date.parse(childText(timestamp, NS.wsu, 'Created'));
  const expires = Date.parse(childText(timestamp, NS.wsu, 'Expires'));
  return created <= now + SKEW && now < expires + SKEW && created < expires;
}

function securityOf({ header }: SoapMessage): Element | undefined {
  return child(header, NS.wsse, 'Security');
}

function readCertificate(security: Element | undefined): X509Certificate | null {
  try {
    return new X509Certificate(Buffer.from(childText(security, NS.wsse, 'BinarySecurityToken'), 'base64'));
  } catch {
    return null;
  }
}

/** Access tokens of one service (CFDI or retenciones), tied to the certificate that asked for them. */
export type Tokens = ReturnType<typeof createTokens>;

const HEADER = encode({ alg: 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256', typ: 'JWT' });
const FORM = /^WRAP access_token="([^."]+)\.([^."]+)\.([^."%]+)%26wrap_subject%3d([0-9A-F]+)"$/;
/** Seconds from iat to exp written inside the token, which is more than it is honoured for. */
const WRITTEN_LIFE = 600;

/** Creates the tokens of one service; each has its own secret, so that one is worth nothing at the other. */
export function createTokens({ clock, settings }: Pick<World, 'clock' | 'settings'>, documento: Documento) {
  const secret = Buffer.concat([randomBytes(32), Buffer.from(documento)]);
  const seal = (content: string) => createHmac('sha256', secret).update(content).digest();
  const now = () => Math.floor(clock.now().getTime() / 1000);

  return {
    documento,
    issue: (numero: string) => {
      const subject = Buffer.from(numero, 'latin1').toString('hex').toUpperCase();
      const iat = now();
      const content = `${HEADER}.${encode({
        nbf: iat,
        exp: iat + WRITTEN_LIFE,
        iat,
        iss: 'LoadSolicitudDecargaMasivaTerceros',
        actort: Buffer.from(subject, 'latin1').toString('hex'),
      })}`;
      return `${content}.${seal(content).toString('base64url')}%26wrap_subject%3d${subject}`;
    },
    /** Whether the Authorization header carries a token of this service, in time, for this certificate. */
    isValid: (authorization: string | undefined, numero: string | null) => {
      const [, header, payload, mac, subject] = FORM.exec(authorization ?? '') ?? [];
      if (!header || !payload || !mac || !subject) return false;
      const given = Buffer.from(mac, 'base64url');
      const expected = seal(`${header}.${payload}`);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
      const { iat, actort } = readPayload(payload);
      const holder = Buffer.from(Buffer.from(actort, 'hex').toString('latin1'), 'hex').toString('latin1');
      const isHolder = numero === null || holder === numero;
      return isHolder && now() >= iat && now() < iat + settings.segundos_token;
    },
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Reads a payload that this process has sealed, so its form is known. */
function readPayload(text: string): { iat: number; actort: string } {
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as { iat: number; actort: string };
}
