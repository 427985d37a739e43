import { constants, verify } from 'node:crypto';
import type { Certificado } from '../../world/pki.ts';
import type { World } from '../../world/world.ts';

/** What the form of the e.firma brings. */
export type FielForm = { guid: string; token: string; fert: string };

/** The taxpayer that a token proves, or why it proves none. */
export type FielCheck = { rfc: string } | { reason: 'token' | 'guid' | 'certificado' | 'firma' | 'vigencia' };

/**
 * Checks a token of the e.firma log-in: base64(base64(`guid|RFC|serial`) + `#` + base64(base64(RSA-SHA1 of that
 * text))). The certificate is looked up by its 20-digit number; it must be a valid e.firma of the simulator's
 * authority, of that RFC, in force by the simulator's clock, and `fert` its end (`yyMMddHHmmssZ`).
 * Shape: phpcfdi/cfdi-sat-scraper (src/Sessions/Fiel/ChallengeResolver.php), SAT-CFDI/python-satcfdi (portal/utils.py).
 */
export async function checkFielToken(world: World, form: FielForm, expectedGuid: string): Promise<FielCheck> {
  const token = parseToken(form.token);
  if (!token) return { reason: 'token' };
  if (token.guid !== expectedGuid || form.guid !== expectedGuid) return { reason: 'guid' };
  const certificado = await world.pki.find(token.numero);
  if (!certificado?.isOwn || certificado.tipo !== 'fiel' || certificado.rfc !== token.rfc) {
    return { reason: 'certificado' };
  }
  const key = { key: certificado.x509.publicKey, padding: constants.RSA_PKCS1_PADDING };
  if (!verify('RSA-SHA1', Buffer.from(token.text, 'utf8'), key, token.signature)) return { reason: 'firma' };
  const isInForce = isValidAt(certificado, world.clock.now()) && form.fert === fertOf(certificado);
  return isInForce ? { rfc: token.rfc } : { reason: 'vigencia' };
}

/** The certificate's end as the form wants it, `yyMMddHHmmssZ` in UTC. */
function fertOf({ x509 }: Certificado): string {
  return `${new Date(x509.validTo).toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`;
}

function isValidAt({ x509, isRevoked }: Certificado, now: Date): boolean {
  return !isRevoked && new Date(x509.validFrom) <= now && now <= new Date(x509.validTo);
}

function parseToken(token: string) {
  const [encodedText, encodedSignature, ...rest] = decode(token).toString('latin1').split('#');
  if (!encodedText || !encodedSignature || rest.length > 0) return null;
  const text = decode(encodedText).toString('utf8');
  const [guid, rfc, numero, ...more] = text.split('|');
  if (!guid || !rfc || !numero || more.length > 0) return null;
  return { text, guid, rfc, numero, signature: decode(decode(encodedSignature).toString('latin1')) };
}

function decode(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
