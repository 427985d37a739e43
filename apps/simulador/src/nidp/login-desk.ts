import { constants, randomUUID, verify } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { attend, htmlResponse, loggedOutPage, withCookies } from '../web/http.ts';
import type { Sessions } from '../web/sessions.ts';
import type { Certificado } from '../world/pki.ts';
import type { World } from '../world/world.ts';
import type { Captchas } from './captcha.ts';
import { CIEC_ERRORS, ciecPage, FIEL_ERRORS, fielPage } from './login-pages.ts';

type Deps<P> = {
  world: World;
  acceso: Acceso;
  sessions: Sessions<IdpSession<P>>;
  /** Name of the service in the call log and in fault rules. */
  service: string;
  cookie: string;
  /** Address of the page of the e.firma, for the button of the page by password. */
  fielAddress(c: Context): string;
  /** Answers a browser that has just logged in. */
  enter(c: Context, session: IdpSession<P>): Response;
};

/** Creates the two log-in pages of a host. A right answer starts a session under a new id and spends captcha and challenge. */
export function createLoginDesk<P>(deps: Deps<P>) {
  const { world, acceso, sessions, service } = deps;
  const withSession = (response: Response, { id }: IdpSession<P>) => withCookies(response, { [deps.cookie]: id });

  const showCiec = (c: Context, session: IdpSession<P>, error: string) => {
    const captcha = world.settings.captcha ? acceso.captchas.issue() : null;
    session.captcha = captcha?.respuesta ?? '';
    const imagen = captcha?.imagen ?? null;
    const body = ciecPage({ action: c.req.url, fielAddress: deps.fielAddress(c), imagen, error });
    return withSession(htmlResponse(body), session);
  };

  const showFiel = (c: Context, session: IdpSession<P>, error: string) => {
    session.guid = randomUUID();
    return withSession(htmlResponse(fielPage({ action: c.req.url, guid: session.guid, error })), session);
  };

  const enter = (c: Context, before: IdpSession<P>, rfc: string, method: Metodo) => {
    sessions.end(before.id);
    return deps.enter(c, startIdpSession(sessions, { rfc, method, pending: before.pending }));
  };

  const isCaptchaRight = (session: IdpSession<P>, rfc: string, given: string) => {
    if (!world.settings.captcha) return true;
    return session.captcha !== '' && given === session.captcha && !world.captchaRefusals.refuses(rfc);
  };

  const loginByCiec = (c: Context, session: IdpSession<P>, form: Record<string, string>) => {
    const rfc = (form['Ecom_User_ID'] ?? '').trim().toUpperCase();
    return attend(world, { service, operation: 'EntrarCiec', rfc }, () => {
      if (!isCaptchaRight(session, rfc, form['userCaptcha'] ?? '')) return showCiec(c, session, CIEC_ERRORS.captcha);
      const check = acceso.accounts.check(rfc, form['Ecom_Password'] ?? '');
      return check === 'right' ? enter(c, session, rfc, 'ciec') : showCiec(c, session, CIEC_ERRORS[check]);
    });
  };

  const loginByFiel = async (c: Context, session: IdpSession<P>, form: Record<string, string>) => {
    const fiel = { guid: form['guid'] ?? '', token: form['token'] ?? '', fert: form['fert'] ?? '' };
    const check = await checkFielToken(world, fiel, session.guid);
    const rfc = 'rfc' in check ? check.rfc : '';
    return attend(world, { service, operation: 'EntrarFiel', rfc }, () =>
      'rfc' in check ? enter(c, session, rfc, 'fiel') : showFiel(c, session, FIEL_ERRORS[check.reason]),
    );
  };

  return {
    withSession,
    /** Shows a page without an error; neither logged nor spoiled by a fault. */
    show: (c: Context, session: IdpSession<P>, metodo: Metodo) =>
      metodo === 'fiel' ? showFiel(c, session, '') : showCiec(c, session, ''),
    /** Answers a filled form; null when it is the form of neither page. */
    submit: (c: Context, session: IdpSession<P>, form: Record<string, string>) => {
      if ('Ecom_User_ID' in form) return loginByCiec(c, session, form);
      if ('token' in form) return loginByFiel(c, session, form);
      return null;
    },
    logOut: ({ id, rfc }: IdpSession<P>) =>
      attend(world, { service, operation: 'Salir', rfc: rfc ?? '' }, () => {
        sessions.end(id);
        return withCookies(loggedOutPage(), { [deps.cookie]: '' });
      }),
  };
}

/**
 * What every log-in host of the SAT shares: a password locked at one is locked at all, and one place knows the answers
 * of all captchas.
 */
export type Acceso = {
  captchas: Captchas;
  accounts: Accounts;
  /** `minutos_sesion`: idle minutes after which a session of a log-in host is gone. */
  settings: { minutos_sesion: number };
};

/** How a taxpayer proved who he is at a log-in host. */
export type Metodo = 'ciec' | 'fiel';

/** What a log-in host remembers of a browser; `P` is what still waits for the taxpayer to log in. */
export type IdpSession<P> = {
  id: string;
  /** The authenticated taxpayer; null before the log-in. */
  rfc: string | null;
  method: Metodo;
  /** The answer to the captcha last shown; empty before the first. */
  captcha: string;
  /** The challenge last shown on the page of the e.firma; empty before the first. */
  guid: string;
  pending: P | null;
};

/** The browser's session, or a new anonymous one; the answer must set the cookie of `session.id`. */
export function openIdpSession<P>(c: Context, sessions: Sessions<IdpSession<P>>, cookie: string): IdpSession<P> {
  return sessions.use(getCookie(c, cookie) ?? '') ?? startIdpSession<P>(sessions, {});
}

/** Starts a session under a new id, keeping what `from` says. */
function startIdpSession<P>(sessions: Sessions<IdpSession<P>>, from: Partial<IdpSession<P>>): IdpSession<P> {
  const session: IdpSession<P> = { rfc: null, method: 'ciec', captcha: '', guid: '', pending: null, ...from, id: '' };
  session.id = sessions.start(session);
  return session;
}

type PasswordCheck = 'right' | 'wrong' | 'locked';

/** Checks passwords and locks an account after several wrong ones in a row. */
type Accounts = { check(rfc: string, password: string): PasswordCheck };

type Failures = { failures: number; lockedUntil: number };

/** Creates the check; taxpayers' passwords are those of the world, locks follow its clock. */
export function createAccounts(
  world: World,
  settings: { intentos_bloqueo: number; minutos_bloqueo: number },
): Accounts {
  const records = new Map<string, Failures>();
  return {
    check: (rfc, password) => {
      const now = world.clock.now().getTime();
      const record = records.get(rfc) ?? { failures: 0, lockedUntil: 0 };
      if (record.lockedUntil > now) return 'locked';
      if (world.taxpayers.isCiec(rfc, password)) {
        records.delete(rfc);
        return 'right';
      }
      const failures = record.failures + 1;
      const isLocked = failures >= settings.intentos_bloqueo;
      const lockedUntil = isLocked ? now + settings.minutos_bloqueo * 60_000 : 0;
      records.set(rfc, { failures: isLocked ? 0 : failures, lockedUntil });
      return isLocked ? 'locked' : 'wrong';
    },
  };
}

type FielForm = { guid: string; token: string; fert: string };

/** The taxpayer that a token proves, or why it proves none. */
type FielCheck = { rfc: string } | { reason: 'token' | 'guid' | 'certificado' | 'firma' | 'vigencia' };

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
