import { X509Certificate } from 'node:crypto';
import type { Element } from '@xmldom/xmldom';
import type { World } from '../world/world.ts';
import { soapAnswer, soapFault } from './soap/answer.ts';
import type { SoapOperation } from './soap/endpoint.ts';
import { child, childText, type SoapMessage } from './soap/message.ts';
import { NS } from './soap/namespaces.ts';
import { matchesDigest, matchesValue, readSignature } from './soap/signature.ts';
import type { Tokens } from './tokens.ts';

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
    matchesDigest(signature, timestamp, [{ mode: 'exclusive' }]) &&
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
