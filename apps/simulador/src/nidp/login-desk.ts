import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { CIEC_ERRORS, ciecPage } from '../portal/login/ciec-page.ts';
import { FIEL_ERRORS, fielPage } from '../portal/login/fiel-page.ts';
import { checkFielToken } from '../portal/login/fiel-token.ts';
import type { Sessions } from '../portal/sessions.ts';
import { attend } from '../portal/web/attend.ts';
import { withCookies } from '../portal/web/cookies.ts';
import { htmlResponse, loggedOutPage } from '../portal/web/html.ts';
import type { World } from '../world/world.ts';
import type { Acceso } from './acceso.ts';
import { type IdpSession, type Metodo, startIdpSession } from './idp-session.ts';

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

/** The two log-in pages of a log-in host and what becomes of their forms. */
export type LoginDesk<P> = {
  withSession(response: Response, session: IdpSession<P>): Response;
  /** Shows a page without an error; neither logged nor spoiled by a fault. */
  show(c: Context, session: IdpSession<P>, metodo: Metodo): Response;
  /** Answers a filled form; null when it is the form of neither page. */
  submit(c: Context, session: IdpSession<P>, form: Record<string, string>): Promise<Response> | null;
  /** Forgets the browser. */
  logOut(session: IdpSession<P>): Promise<Response>;
};

/** Creates the pages of a host. A right answer starts a session under a new id and spends captcha and challenge. */
export function createLoginDesk<P>(deps: Deps<P>): LoginDesk<P> {
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
    show: (c, session, metodo) => (metodo === 'fiel' ? showFiel(c, session, '') : showCiec(c, session, '')),
    submit: (c, session, form) => {
      if ('Ecom_User_ID' in form) return loginByCiec(c, session, form);
      if ('token' in form) return loginByFiel(c, session, form);
      return null;
    },
    logOut: ({ id, rfc }) =>
      attend(world, { service, operation: 'Salir', rfc: rfc ?? '' }, () => {
        sessions.end(id);
        return withCookies(loggedOutPage(), { [deps.cookie]: '' });
      }),
  };
}
