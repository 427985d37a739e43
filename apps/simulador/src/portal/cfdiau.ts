import { type Context, Hono } from 'hono';
import { createLoginDesk, type IdpSession, openIdpSession } from '../nidp/login-desk.ts';
import { attend, autoSubmittedForm, formOf, htmlResponse, scriptedMove } from '../web/http.ts';
import type { World } from '../world/world.ts';
import { addressesOf, CIEC_CONTRACT, FIEL_CONTRACT, loginAddress } from './guard.ts';
import { IDP_COOKIE, type PendingSignIn, type PortalState } from './portal-state.ts';

const service = 'cfdiau';
const DEFAULT_WCTX = 'rm=0&id=passive&ru=%2f';

/** The log-in host: pages by password and by e.firma, and the WS-Federation end point that vouches to the portal. */
export function createCfdiau(world: World, state: PortalState): Hono {
  const { idpSessions: sessions } = state;
  const open = (c: Context) => openIdpSession(c, sessions, IDP_COOKIE);

  /** The form that carries the assertion to the portal, or the hop before it when the portal asked for nothing. */
  const vouch = (c: Context, session: IdpSession<PendingSignIn>, mayHop: boolean): Response => {
    const { cfdiau, portalcfdi, prodretencioncontribuyente } = addressesOf(c);
    if (mayHop && !session.pending) {
      const hop = autoSubmittedForm('SAT Autenticaci&oacute;n', `${cfdiau}/nidp/wsfed/ep?sid=0`, {});
      return withSession(htmlResponse(hop), session);
    }
    const { wctx = DEFAULT_WCTX, realm = portalcfdi } = session.pending ?? {};
    const audience = realm === prodretencioncontribuyente ? realm : portalcfdi;
    session.pending = null;
    const wresult = state.assertions.wresult(
      { rfc: session.rfc ?? '', metodo: session.method, servicio: audience },
      `${cfdiau}/nidp/wsfed/`,
    );
    const form = autoSubmittedForm('PostIt', `${audience}/`, { wa: 'wsignin1.0', wresult, wctx });
    return withSession(htmlResponse(form), session);
  };

  const desk = createLoginDesk<PendingSignIn>({
    world,
    acceso: state,
    sessions,
    service,
    cookie: IDP_COOKIE,
    fielAddress: (c) => loginAddress(addressesOf(c), FIEL_CONTRACT),
    enter: (c, session): Response => vouch(c, session, c.req.path.endsWith('/nidp/app/login')),
  });
  const { withSession } = desk;

  const showLogin = (c: Context, session: IdpSession<PendingSignIn>) => {
    const isFiel = c.req.query('id') === FIEL_CONTRACT;
    const call = { service, operation: isFiel ? 'PaginaFiel' : 'PaginaCiec', rfc: session.rfc ?? '' } as const;
    return attend(world, call, () => {
      if (session.rfc !== null) return withSession(scriptedMove(`${addressesOf(c).cfdiau}/nidp/app?sid=0`), session);
      return desk.show(c, session, isFiel ? 'fiel' : 'ciec');
    });
  };

  const login = async (c: Context) => {
    const session = open(c);
    const form = c.req.method === 'POST' ? await formOf(c) : {};
    return desk.submit(c, session, form) ?? showLogin(c, session);
  };

  const federate = (c: Context) => {
    const session = open(c);
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
      const session = open(c);
      return attend(world, { service, operation: 'Aplicacion', rfc: session.rfc ?? '' }, () =>
        session.rfc === null
          ? withSession(
              htmlResponse(autoSubmittedForm('SAT', loginAddress(addressesOf(c), CIEC_CONTRACT), {})),
              session,
            )
          : withSession(htmlResponse('<html><body><p>Sesión iniciada.</p></body></html>'), session),
      );
    })
    .get('/nidp/app/logout', (c) => desk.logOut(open(c)));
}
