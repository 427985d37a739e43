import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Documento } from '../world/taxpayers/row.ts';
import type { World } from '../world/world.ts';

/** Access tokens of one service (CFDI or retenciones), tied to the certificate that asked for them. */
export type Tokens = {
  documento: Documento;
  issue(numero: string): string;
  /** Whether the Authorization header carries a token of this service, in time, for this certificate. */
  isValid(authorization: string | undefined, numero: string | null): boolean;
};

const HEADER = encode({ alg: 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256', typ: 'JWT' });
const FORM = /^WRAP access_token="([^."]+)\.([^."]+)\.([^."%]+)%26wrap_subject%3d([0-9A-F]+)"$/;
/** Seconds from iat to exp written inside the token, which is more than it is honoured for. */
const WRITTEN_LIFE = 600;

/** Creates the tokens of one service; each has its own secret, so that one is worth nothing at the other. */
export function createTokens({ clock, settings }: Pick<World, 'clock' | 'settings'>, documento: Documento): Tokens {
  const secret = Buffer.concat([randomBytes(32), Buffer.from(documento)]);
  const seal = (content: string) => createHmac('sha256', secret).update(content).digest();
  const now = () => Math.floor(clock.now().getTime() / 1000);

  return {
    documento,
    issue: (numero) => {
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
    isValid: (authorization, numero) => {
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
