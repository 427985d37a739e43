import type { Element } from '@xmldom/xmldom';
import { isRechazada } from '../world/asked.ts';
import type { Certificado } from '../world/pki.ts';
import type { World } from '../world/world.ts';
import type { Tokens } from './autenticacion.ts';
import { type Outcome, outcome } from './codes.ts';
import type { SoapCall } from './soap/endpoint.ts';
import { child, childText, NS } from './soap/message.ts';
import { isSealed, readSignature } from './soap/signature.ts';

/**
 * Checks who asks: token (300), certificate (305, 304), seal (302), RFC (303). Null when all is well; a magic RFC gets
 * its 305 then. `solicitud` is the element that has the Signature and perhaps RfcSolicitante (optional since version
 * 1.5 of the manual).
 */
export function authorize(
  { pki, clock, asked, settings }: World,
  tokens: Tokens,
  { operation, authorization }: SoapCall,
  solicitud: Element,
): Outcome | null {
  if (!tokens.isValid(authorization, null)) return outcome(300);
  const element = child(solicitud, NS.dsig, 'Signature');
  const signature = readSignature(element);
  if (!element || !signature) return outcome(302);
  const certificado = readCertificado(signature.keyInfo, pki.inspect);
  if (!certificado?.isOwn || certificado.tipo !== 'fiel') return outcome(305);
  const now = clock.now().getTime();
  const { validFrom, validTo } = certificado.x509;
  if (certificado.isRevoked || now < Date.parse(validFrom) || now > Date.parse(validTo)) return outcome(304);
  const isStrict = settings.sello_completo;
  if (!isSealed(signature, { operation, element, isStrict }, certificado.x509.publicKey)) return outcome(302);
  const named = solicitud.getAttribute('RfcSolicitante') ?? '';
  if (named !== '' && named !== certificado.rfc) return outcome(303);
  if (!tokens.isValid(authorization, certificado.numero)) return outcome(300);
  return isRechazada(asked, tokens.documento, certificado) ? outcome(305) : null;
}

/** The RFC in whose name is asked: RfcSolicitante, or that of the certificate; '' when neither can be read. */
export function solicitanteOf({ pki }: World, solicitud: Element | undefined): string {
  const named = solicitud?.getAttribute('RfcSolicitante') ?? '';
  const keyInfo = child(child(solicitud, NS.dsig, 'Signature'), NS.dsig, 'KeyInfo');
  return named === '' && keyInfo ? (readCertificado(keyInfo, pki.inspect)?.rfc ?? '') : named;
}

function readCertificado(keyInfo: Element, inspect: (der: Uint8Array) => Certificado): Certificado | null {
  const base64 = childText(child(keyInfo, NS.dsig, 'X509Data'), NS.dsig, 'X509Certificate');
  try {
    return inspect(Buffer.from(base64, 'base64'));
  } catch {
    return null;
  }
}
