import { type Context, Hono } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { createHost, createServiceProvider, type ProviderSession } from '../web/host.ts';
import { attend, htmlResponse, redirect } from '../web/http.ts';
import { createSessions } from '../web/sessions.ts';
import type { World } from '../world/world.ts';

type Identity = Pick<ProviderSession, 'rfc' | 'metodo'>;

const SSO = '/nidp/idff/sso';
const PLOGIN = '/nesp/app/plogin';
/** Life of an artifact, milliseconds of the simulator's clock. */
const ARTIFACT_MS = 60_000;

/**
 * An access gateway of the SAT: `aplicacionesc` sends a browser to its own log-in host `loginc`, which in turn asks
 * `login` by SAML and then sends the browser back by a script (`window.location.replace`); the next visit to the
 * protected host brings an artifact. (luffynando/sat-scrapers-auth, SatAplicacionesCPortal;
 * TecnofyMX/buzon-tributario-sat-scraper, tests/Fixtures/javascript-redirect.html.)
 */
export function createGateway(world: World, nidp: Nidp, inicio: string) {
  const artifacts = createSessions<Identity>({ clock: world.clock, idleMs: () => ARTIFACT_MS });
  const host = createHost(world, {
    servicio: 'aplicacionesc',
    cookie: 'IPCZQX03APLICC',
    sendToLogin: (c, returnTo) => {
      const target = encodeURIComponent(`"${host.url(c, returnTo)}"`);
      const query = `agAppNa=POL287_BuzonTributario&c=sat/ciec/ptsc/contribuyentes/uri&target=${target}`;
      return redirect(`${host.url(c, PLOGIN)}?${query}`);
    },
  });
  const provider = createServiceProvider(
    { world, nidp },
    {
      servicio: 'loginc',
      cookie: 'LOGINCSESSION',
      acs: '/nidp/saml2/spassertion_consumer',
      inicio: SSO,
      arrive: (location) => {
        const next = new URL(location).searchParams.get('target') ?? location;
        return htmlResponse(scriptPage(next));
      },
    },
  );

  /** The address that a browser is sent back to; only one of the protected host. */
  const targetOf = (c: Context) => {
    const asked = (c.req.query('target') ?? '').replaceAll('"', '');
    const start = host.url(c, '/WebComunicados/');
    return asked.startsWith(start) && /^[\w./:?=&-]+$/.test(asked) ? asked : host.url(c, inicio);
  };

  const sso = (c: Context) => {
    const target = targetOf(c);
    const returnTo = `${SSO}?target=${encodeURIComponent(target)}`;
    return provider.guard(c, { operation: 'EmitirArtefacto', returnTo }, ({ rfc, metodo }) => {
      const artifact = artifacts.start({ rfc, metodo });
      return redirect(`${host.url(c, PLOGIN)}?SAMLart=${artifact}&target=${encodeURIComponent(target)}`);
    });
  };

  return {
    host,
    /** Answers `/nesp/app/plogin` of the protected host. */
    plogin: (c: Context) => {
      const artifact = c.req.query('SAMLart') ?? '';
      const identity = artifacts.use(artifact);
      artifacts.end(artifact);
      const call = { service: 'aplicacionesc', operation: 'Plogin', rfc: identity?.rfc ?? '' };
      return attend(world, call, () => {
        const target = targetOf(c);
        if (identity) return host.enter(identity, redirect(target));
        return redirect(`${provider.url(c, SSO)}?target=${encodeURIComponent(target)}`);
      });
    },
    /** Mounted at `/loginc`. */
    loginc: new Hono().get(SSO, sso).post('/nidp/saml2/spassertion_consumer', (c) => provider.consume(c)),
  };
}

function scriptPage(next: string): string {
  return `<!DOCTYPE html>
<html lang="es"><head><script>
window.location.replace('${next}');
</script></head><body>Redirigiendo</body></html>
`;
}
