import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createRouteObserver } from '@acuse/metrics';
import { answerMount, answerRuta, type Peticion, renderNoEncontrada, renderRechazo } from '@acuse/page';
import { avisoCookieFor, cookieFor, createBrowser, huellaDe, readAviso, readIdSesion } from '@acuse/page/session';
import { createAssets, createClientIp, TOKENS } from '@acuse/runtime';
import { type Context, Hono } from 'hono';
import { routePath } from 'hono/route';
import type { PanelDeps } from './deps.ts';
import { FEATURES } from './features.ts';
import { MENUS } from './menus.ts';
import { createAvisosPago } from './pagos/avisos.ts';
import { MOUNTS, RUTAS } from './rutas.ts';

const NO_SOCKET = '0.0.0.0';
const RUTA_ACTIVOS = '/assets/';
/** Beside the sources, also when the panel runs from its build: the compiler copies no style sheets. */
const CARPETA_ACTIVOS = new URL('../src/assets/', import.meta.url);
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
const UNKNOWN_ROUTE = 'desconocida';

interface Bindings {
  readonly incoming?: Pick<IncomingMessage, 'socket'>;
}
type Env = {
  Bindings: Bindings;
  Variables: { peticion?: Promise<Peticion<PanelDeps>>; nonce: string; requestId: string; avisoVisto?: boolean };
};

export type PanelApp = Hono<Env>;

/** Builds the panel from its pages. It listens to nothing. */
export function createApp(deps: PanelDeps): PanelApp {
  const { log, settings, sesiones, newId } = deps;
  const activos = createAssets(CARPETA_ACTIVOS, RUTA_ACTIVOS, { 'colores.css': Buffer.from(TOKENS) });
  const clientIp = createClientIp(settings.trustedProxies);
  const ipOf = (c: Context) =>
    clientIp(c.env?.incoming?.socket.remoteAddress ?? NO_SOCKET, c.req.header('x-forwarded-for') ?? null);
  const isHttps = settings.publicUrl.startsWith('https:');
  const app = new Hono<Env>({ strict: false });

  const badgesOf = async (rfcs: readonly string[]) => {
    const unique = [...new Set(rfcs)];
    const found = await Promise.all(FEATURES.map(({ badges }) => (unique.length > 0 && badges?.(deps, unique)) || []));
    return new Map(found.flatMap((each) => [...each]));
  };

  /** Reads the session once per request. */
  const peticionOf = (c: Context<Env>): Promise<Peticion<PanelDeps>> => {
    const known = c.get('peticion');
    if (known) return known;
    const reading = read(c);
    c.set('peticion', reading);
    return reading;
  };

  async function read(c: Context<Env>): Promise<Peticion<PanelDeps>> {
    const ip = ipOf(c);
    const id = readIdSesion(c, settings.cookieHost);
    const sesion = id && (await sesiones.load(huellaDe(id), { inactividad: settings.sesionInactiva, ip }));
    const mensaje = await readAviso(c, deps.clavesCsrf, settings.cookieHost);
    const agente = c.req.header('user-agent') ?? '';
    return {
      c,
      deps,
      menus: MENUS,
      badgesOf,
      activos,
      nonce: c.get('nonce'),
      ip,
      browser: createBrowser({ id, sesion, mensaje, agente, ip, deps }),
      usuario: sesion?.fase === 'COMPLETA' ? sesion.usuario : null,
      onAviso: () => c.set('avisoVisto', true),
    };
  }

  app.use(async (c, next) => {
    const started = performance.now();
    c.set('nonce', randomBytes(16).toString('base64'));
    c.set('requestId', newId());
    await next();
    const peticion = await c.get('peticion')?.catch(() => null);
    if (peticion) await afterPage(c, peticion);
    const isHead = c.req.method === 'HEAD';
    // No client reads the body of an answer to HEAD: a stream would stay open.
    if (isHead) await c.res.body?.cancel();
    // Answers that a mounted tool passed through cannot be changed in place.
    const body = isHead ? null : c.res.body;
    c.res = new Response(body && watchBody(body, (error) => cut(c, error)), c.res);
    setSecurityHeaders(c.res.headers, { nonce: c.get('nonce'), isHttps });
    c.res.headers.set('X-Request-Id', c.get('requestId'));
    const took = performance.now() - started;
    observe(c, took / 1_000);
    const ms = Math.round(took);
    const who = peticion?.usuario ? { usuario: peticion.usuario.id } : {};
    // The path only: a query may carry a code.
    // A probe every few seconds says nothing that its caller does not see.
    const level = PROBES.has(c.req.path) ? 'debug' : 'info';
    log[level](
      { requestId: c.get('requestId'), metodo: c.req.method, path: c.req.path, status: c.res.status, ms, ...who },
      'request_answered',
    );
  });

  /** By the page that answered, never by the address that was asked for: of those there are as many as callers like. */
  const observers = new Map<string, ReturnType<typeof createRouteObserver>>();
  function observe(c: Context<Env>, seconds: number): void {
    const answered = routePath(c);
    const route = answered === '/*' || answered === '' ? UNKNOWN_ROUTE : answered;
    const known = observers.get(route) ?? createRouteObserver(deps.metrics, route);
    observers.set(route, known);
    known(c.res.status, seconds);
  }

  /** Aborts an answer with a broken body, so that the client sees that the rest is missing. */
  function cut(c: Context<Env>, error: unknown): void {
    log.error({ err: error, requestId: c.get('requestId'), path: c.req.path }, 'answer_broken_off');
    const socket = c.env?.incoming?.socket;
    if (!socket) throw error;
    socket.destroy();
  }

  /** Gives the browser its id, and takes away a message that was shown. */
  async function afterPage(c: Context<Env>, { browser }: Peticion<PanelDeps>): Promise<void> {
    if (c.get('avisoVisto')) await browser.forgetAviso();
    const id = browser.newCookie();
    if (id) c.res.headers.append('Set-Cookie', cookieFor(id, settings.cookieHost));
    const aviso = browser.newAviso();
    if (aviso !== undefined)
      c.res.headers.append('Set-Cookie', await avisoCookieFor(aviso, deps.clavesCsrf, settings.cookieHost));
  }

  app.get('/healthz', (c) => c.json(deps.health.live()));
  app.get('/readyz', async (c) => {
    const report = await deps.health.ready(c.req.queries('exclude'));
    return c.json(report, report.status === 'ok' ? 200 : 503);
  });
  app.get(
    `${RUTA_ACTIVOS}:archivo`,
    async (c) => (await activos.serve(c.req.param('archivo'), c.req.raw.headers)) ?? c.notFound(),
  );
  app.route('/', createAvisosPago(deps));
  for (const { openApp } of FEATURES) if (openApp) app.route('/', openApp(deps, ipOf));
  for (const ruta of RUTAS) app.on(ruta.metodo, ruta.path, async (c) => answerRuta(ruta, await peticionOf(c)));
  for (const mount of MOUNTS) {
    app.all(mount.path, async (c) => answerMount(mount, await peticionOf(c)));
    app.all(`${mount.path}/*`, async (c) => answerMount(mount, await peticionOf(c)));
  }
  app.notFound(async (c) => renderNoEncontrada(await peticionOf(c)));
  app.onError(async (err, c) => {
    const requestId = c.get('requestId');
    log.error({ err, requestId, path: c.req.path }, 'page_failed');
    const titulo = 'No pudimos completar esto';
    const isAway = (await deps.health.ready()).status !== 'ok';
    const causa = isAway ? 'La base de datos del servicio no responde por ahora.' : 'Algo falló de nuestro lado.';
    const texto = `${causa} Espere un minuto, vea si el cambio quedó hecho y, si no, repítalo; si sigue igual, avise al operador con esta referencia: ${requestId}`;
    const peticion = await peticionOf(c).catch(() => null);
    const answer = peticion
      ? renderRechazo(peticion, { status: isAway ? 503 : 500, titulo, texto })
      : c.text(`${titulo}. ${texto}`, 503);
    if (answer.status === 503) answer.headers.set('Retry-After', '60');
    return answer;
  });
  return app;
}

const PERMISOS = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial', 'hid', 'midi', 'display-capture'];

/** Two years, as browsers' preload lists ask for. */
const HSTS = 'max-age=63072000; includeSubDomains';

/** The policy of a page: nothing but what the page itself names with its nonce, and nothing from elsewhere. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Sets what every answer carries. A policy or caching that the answer already has stays: assets are cached, a mounted
 * tool has a policy of its own.
 */
function setSecurityHeaders(headers: Headers, options: { readonly nonce: string; readonly isHttps: boolean }): void {
  if (!headers.has('content-security-policy'))
    headers.set('Content-Security-Policy', contentSecurityPolicy(options.nonce));
  if (!headers.has('cache-control')) headers.set('Cache-Control', 'no-store');
  if (!headers.has('x-frame-options')) headers.set('X-Frame-Options', 'DENY');
  headers.set('X-Content-Type-Options', 'nosniff');
  // With `no-referrer` browsers would send `Origin: null` from our own forms (Fetch, section 3.2).
  headers.set('Referrer-Policy', 'same-origin');
  headers.set('Permissions-Policy', PERMISOS.map((permiso) => `${permiso}=()`).join(', '));
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  if (options.isHttps) headers.set('Strict-Transport-Security', HSTS);
}

/**
 * Passes the body of an answer on. When it breaks in the middle, as a file does whose database went away, `onBroken` is
 * told: the listener under the panel would write the error to the console. `onBroken` has to cut the connection, so
 * that no shorter file looks whole; what it throws is the error that the reader of the body gets, if there is no
 * connection.
 */
function watchBody(body: ReadableStream<Uint8Array>, onBroken: (error: unknown) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // Neither ends nor fails: the client gives up when the connection closes.
          onBroken(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
