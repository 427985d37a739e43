import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { World } from '../../world/world.ts';
import type { PortalState } from '../portal-state.ts';
import { addressesOf, CIEC_CONTRACT, FIEL_CONTRACT, loginAddress } from '../web/addresses.ts';
import { attend } from '../web/attend.ts';
import { withCookies } from '../web/cookies.ts';
import { formOf } from '../web/form-body.ts';
import { autoSubmittedForm, htmlResponse } from '../web/html.ts';
import { CIEC_ERRORS, ciecPage } from './ciec-page.ts';
import { FIEL_ERRORS, fielPage } from './fiel-page.ts';
import { checkFielToken } from './fiel-token.ts';
import { IDP_COOKIE, type IdpSession, openIdpSession, startIdpSession } from './idp-session.ts';

const service = 'cfdiau';
const DEFAULT_WCTX = 'rm=0&id=passive&ru=%2f';

/** The log-in host: pages by password and by e.firma, and the WS-Federation end point that vouches to the portal. */
export function createCfdiau(world: World, state: PortalState): Hono {
  const { idpSessions: sessions } = state;
  const withSession = (response: Response, { id }: IdpSession) => withCookies(response, { [IDP_COOKIE]: id });

  const showCiec = (c: Context, session: IdpSession, error: string) => {
    const captcha = world.settings.captcha ? state.captchas.issue() : null;
    session.captcha = captcha?.respuesta ?? '';
    const body = ciecPage({
      action: c.req.url,
      fielAddress: loginAddress(addressesOf(c), FIEL_CONTRACT),
      imagen: captcha?.imagen ?? null,
      error,
    });
    return withSession(htmlResponse(body), session);
  };

  const showFiel = (c: Context, session: IdpSession, error: string) => {
    session.guid = randomUUID();
    return withSession(htmlResponse(fielPage({ action: c.req.url, guid: session.guid, error })), session);
  };

  /** The form that carries the assertion to the portal, or the hop before it when the portal asked for nothing. */
  const vouch = (c: Context, session: IdpSession, mayHop: boolean) => {
    const { cfdiau, portalcfdi } = addressesOf(c);
    if (mayHop && !session.pending) {
      const hop = autoSubmittedForm('SAT Autenticaci&oacute;n', `${cfdiau}/nidp/wsfed/ep?sid=0`, {});
      return withSession(htmlResponse(hop), session);
    }
    const wctx = session.pending?.wctx ?? DEFAULT_WCTX;
    session.pending = null;
    const wresult = state.assertions.issue(
      session.rfc ?? '',
      session.method,
      `${cfdiau}/nidp/wsfed/`,
      portalcfdi,
    );
    const form = autoSubmittedForm('PostIt', `${portalcfdi}/`, { wa: 'wsignin1.0', wresult, wctx });
    return withSession(htmlResponse(form), session);
  };

  const enter = (c: Context, before: IdpSession, rfc: string, method: IdpSession['method']) => {
    sessions.end(before.id);
    const session = startIdpSession(sessions, { rfc, method, pending: before.pending });
    return vouch(c, session, c.req.path.endsWith('/nidp/app/login'));
  };

  const isCaptchaRight = (session: IdpSession, given: string) => {
    if (!world.settings.captcha) return true;
    if (session.captcha === '' || given !== session.captcha) return false;
    if (world.settings.captchas_rechazados === 0) return true;
    world.settings.captchas_rechazados -= 1;
    return false;
  };

  const loginByCiec = (c: Context, session: IdpSession, form: Record<string, string>) => {
    const rfc = (form['Ecom_User_ID'] ?? '').trim().toUpperCase();
    return attend(world, { service, operation: 'EntrarCiec', rfc }, () => {
      if (!isCaptchaRight(session, form['userCaptcha'] ?? ''))
        return showCiec(c, session, CIEC_ERRORS.captcha);
      const check = state.accounts.check(rfc, form['Ecom_Password'] ?? '');
      return check === 'right' ? enter(c, session, rfc, 'ciec') : showCiec(c, session, CIEC_ERRORS[check]);
    });
  };

  const loginByFiel = async (c: Context, session: IdpSession, form: Record<string, string>) => {
    const fiel = { guid: form['guid'] ?? '', token: form['token'] ?? '', fert: form['fert'] ?? '' };
    const check = await checkFielToken(world, fiel, session.guid);
    const call = { service, operation: 'EntrarFiel', rfc: 'rfc' in check ? check.rfc : '' } as const;
    return attend(world, call, () =>
      'rfc' in check ? enter(c, session, check.rfc, 'fiel') : showFiel(c, session, FIEL_ERRORS[check.reason]),
    );
  };

  const showLogin = (c: Context, session: IdpSession) => {
    const isFiel = c.req.query('id') === FIEL_CONTRACT;
    const call = {
      service,
      operation: isFiel ? 'PaginaFiel' : 'PaginaCiec',
      rfc: session.rfc ?? '',
    } as const;
    return attend(world, call, () => {
      if (session.rfc !== null)
        return withSession(htmlResponse(alreadyInside(addressesOf(c).cfdiau)), session);
      return isFiel ? showFiel(c, session, '') : showCiec(c, session, '');
    });
  };

  const login = async (c: Context) => {
    const session = openIdpSession(c, sessions);
    const form = c.req.method === 'POST' ? await formOf(c) : {};
    if ('Ecom_User_ID' in form) return loginByCiec(c, session, form);
    if ('token' in form) return loginByFiel(c, session, form);
    return showLogin(c, session);
  };

  const federate = (c: Context) => {
    const session = openIdpSession(c, sessions);
    const { wa, wtrealm = '', wctx = DEFAULT_WCTX } = c.req.query();
    if (wa === 'wsignin1.0') session.pending = { realm: wtrealm, wctx };
    if (wa !== 'wsignin1.0' && session.rfc === null) return login(c);
    return attend(world, { service, operation: 'EmitirToken', rfc: session.rfc ?? '' }, () => {
      if (session.rfc !== null) return vouch(c, session, false);
      const next = loginAddress(addressesOf(c), CIEC_CONTRACT, 'wsfed/ep');
      return withSession(htmlResponse(autoSubmittedForm('SAT Autenticaci&oacute;n', next, {})), session);
    });
  };

  return new Hono()
    .on(['GET', 'POST'], '/nidp/app/login', login)
    .get('/nidp/wsfed/ep', federate)
    .post('/nidp/wsfed/ep', async (c) => {
      const form = await formOf(c);
      return 'Ecom_User_ID' in form || 'token' in form ? login(c) : federate(c);
    })
    .on(['GET', 'POST'], '/nidp/app', (c) => {
      const session = openIdpSession(c, sessions);
      return attend(world, { service, operation: 'Aplicacion', rfc: session.rfc ?? '' }, () =>
        session.rfc === null
          ? withSession(
              htmlResponse(autoSubmittedForm('SAT', loginAddress(addressesOf(c), CIEC_CONTRACT), {})),
              session,
            )
          : withSession(htmlResponse('<html><body><p>Sesión iniciada.</p></body></html>'), session),
      );
    })
    .get('/nidp/app/logout', (c) => {
      const { id, rfc } = openIdpSession(c, sessions);
      return attend(world, { service, operation: 'Salir', rfc: rfc ?? '' }, () => {
        sessions.end(id);
        const page = '<html><head><title>SAT</title></head><body><p>Ha cerrado su sesión.</p></body></html>';
        return withCookies(htmlResponse(page), { [IDP_COOKIE]: '' });
      });
    });
}

/** What the log-in page answers a browser that is inside already. */
function alreadyInside(cfdiau: string): string {
  return `<html><head><title>SAT</title></head><body><script>top.location.href='${cfdiau}/nidp/app?sid=0';</script></body></html>`;
}
