import { IncomingMessage } from 'node:http';
import { CfdiError, meantBy, type NombreError } from '@acuse/contract';
import { createRouteObserver } from '@acuse/metrics';
import { createTokenBucket, type Operation } from '@acuse/operation';
import { compressedFor, createClientIp, createStaticFile, type StaticFile } from '@acuse/runtime';
import type { SpanSpec } from '@acuse/tracing';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { type ApiDeps, guardDatabase } from './deps.ts';
import { FEATURES } from './features.ts';
import { incomingBody, requestBody } from './http/body.ts';
import {
  asCfdiError,
  CLOSED_HEADERS,
  contestacionDeError,
  finishedCall,
  type Llamada,
  toResponse,
} from './http/llamada.ts';
import { type PipelineDeps, runPipeline } from './http/pipeline.ts';
import { createReembolsos } from './http/settle.ts';
import { createAccessCache, createRateLimit, createUsos } from './http/state.ts';
import { meterCredits } from './metering.ts';
import type { changelogOf } from './openapi/changelog.ts';
import { createSalud, publicada } from './salud.ts';
import { LLMS, SITE, STATUS, STATUS_JSON } from './site/pages.ts';

const PREFIX = '/api/v1/';
const DOCUMENT = '/openapi.json';
/** Public keys of signed packages (RFC 8615): `llaves`, in the order of the setting. */
const MANIFEST_KEYS = '/.well-known/acuse-manifiesto.json';
/** A new key is published long before workers sign with it. */
const KEYS_CACHE = { 'Cache-Control': 'public, max-age=300' };
const USOS_EVERY_MS = 5_000;
const NO_SOCKET = '0.0.0.0';
/** Metric label for unknown routes; caps cardinality. */
const UNKNOWN_ROUTE = 'desconocida';

/** What a server hands over beside the request; all of it is missing when the app is called without a socket. */
interface Bindings {
  readonly incoming?: IncomingMessage | { readonly socket: { readonly remoteAddress?: string } };
}
type Env = { Bindings: Bindings; Variables: { requestId?: string } };

export interface Api {
  /** Answers requests; listens to nothing. */
  readonly app: Hono<Env>;
  /** Writes the last uses and open refunds that memory still holds. Call it after the last request is answered. */
  close(): Promise<void>;
}

/** Builds the API from its operations and its ports. */
export function createApp(operations: readonly Operation[], deps: ApiDeps): Api {
  const { settings, log, newId } = deps;
  const guarded = guardDatabase(deps, settings.databaseTimeoutMs);
  const ports = { ...guarded, ...meterCredits(guarded, deps.metrics) };
  const { rateLimitRps: perSecond, rateLimitBurst: burst, wrongKeysPerMinute } = settings;
  const nowMs = () => performance.now();
  const salud = createSalud({ read: (en) => ports.saludPublica.read(en), now: deps.now, log });
  const pipeline: PipelineDeps = {
    salud,
    ...deps,
    ...ports,
    accessCache: createAccessCache({ accessSnapshots: ports.accessSnapshots, seconds: settings.accessCacheSeconds }),
    usos: createUsos({ accessSnapshots: ports.accessSnapshots, everyMs: USOS_EVERY_MS, log }),
    reembolsos: createReembolsos({ saldos: ports.saldos, log }),
    wrongKeys: createTokenBucket({ perSecond: wrongKeysPerMinute / 60, burst: wrongKeysPerMinute, nowMs }),
    rateLimit: perSecond > 0 ? createRateLimit({ perSecond, burst }, deps.sharedLimit) : null,
  };
  const clientIp = createClientIp(settings.trustedProxies);
  const paths = operations.map(({ path }) => path);
  const app = new Hono<Env>({ strict: false });

  for (const operation of operations) {
    const path = PREFIX + operation.path;
    const observe = createRouteObserver(deps.metrics, operation.path);
    // One handler for all methods: with a second one on the path, Hono composes them again for every request.
    app.all(path, async (c) => {
      const started = performance.now();
      const wrong = wrongAddress(c.req.raw);
      if (wrong !== null) {
        const refusal = refuse(c, newId, new CfdiError(wrong));
        observe(refusal.status, (performance.now() - started) / 1_000);
        return refusal;
      }
      const llamada = newLlamada(c, operation, clientIp, deps);
      return deps.tracing.span(spanOf(path, llamada), async (span) => {
        const answer = await runPipeline(llamada, pipeline);
        const { requestId, ip, answerHeaders, access } = llamada;
        const took = performance.now() - started;
        observe(answer.status, took / 1_000);
        span.set({ 'http.response.status_code': answer.status });
        if (answer.status >= 500) span.fail(String(answer.status));
        const ms = Math.round(took);
        const key = access === null ? {} : { apiKeyId: access.apiKey.id };
        log.info({ requestId, operacion: operation.path, status: answer.status, ms, ip, ...key }, 'request_answered');
        const call = finishedCall(llamada, answer, ms);
        if (call !== null) for (const observer of deps.observers) observer.note(call);
        const { body, headers } = await compressedFor(answer.cuerpo, llamada.headers.get('accept-encoding'));
        return toResponse({ ...answer, cuerpo: body }, requestId, { ...answerHeaders, ...headers });
      });
    });
  }

  // Loaded and made at the first request for it: some hundred milliseconds of a processor that no start has to wait for.
  let document: Promise<string> | undefined;
  const openapi = () => {
    document ??= import('./openapi/document.ts').then(({ openApiDocument }) =>
      JSON.stringify(openApiDocument(operations)),
    );
    return document;
  };
  // Any web page may read the document and the keys without credentials and revalidate them.
  for (const path of [DOCUMENT, MANIFEST_KEYS])
    app.use(
      path,
      cors({ allowMethods: ['GET'], allowHeaders: ['If-None-Match'], exposeHeaders: ['ETag', 'X-Request-Id'] }),
    );
  const keysFile = createStaticFile(JSON.stringify({ llaves: deps.manifestKeys }), 'json');
  app.get(MANIFEST_KEYS, (c) =>
    keysFile.answer(c.req.raw.headers, { ...CLOSED_HEADERS, ...KEYS_CACHE, 'X-Request-Id': idOf(c, newId) }),
  );
  let documentFile: StaticFile | undefined;
  app.get(DOCUMENT, async (c) => {
    documentFile ??= createStaticFile(await openapi(), 'json');
    return documentFile.answer(c.req.raw.headers, { ...CLOSED_HEADERS, 'X-Request-Id': idOf(c, newId) });
  });
  let changelog: Promise<ReturnType<typeof changelogOf>> | undefined;
  for (const kind of ['json', 'rss'] as const) {
    let file: StaticFile | undefined;
    app.get(`/changelog.${kind}`, async (c) => {
      changelog ??= import('./openapi/changelog.ts').then(async ({ changelogOf, readPublicada }) =>
        changelogOf(readPublicada(), JSON.parse(await openapi())),
      );
      file ??= createStaticFile((await changelog)[kind], kind);
      return file.answer(c.req.raw.headers, { ...CLOSED_HEADERS, 'X-Request-Id': idOf(c, newId) });
    });
  }
  const { modo, cuentasMinimas: cuentas } = settings;
  const publica = async () => publicada(await salud.fresh(), modo, { cuentas });
  let site: Promise<Hono> | undefined;
  for (const path of [LLMS, `${SITE}/*`, ...Object.values(STATUS), STATUS_JSON])
    app.get(path, async (c) => {
      site ??= Promise.all([import('./site/site.tsx'), openapi()]).then(([{ createSite }, document]) =>
        createSite({ openapi: document, salud: publica, now: deps.now, panelUrl: settings.panelUrl }),
      );
      const answer = await (await site).fetch(c.req.raw);
      answer.headers.set('X-Request-Id', idOf(c, newId));
      return answer;
    });
  for (const { web } of FEATURES) {
    if (web === undefined) continue;
    const answer = web.open(pipeline);
    for (const path of web.paths)
      app.all(path, async (c) => {
        const address = c.env?.incoming?.socket.remoteAddress ?? NO_SOCKET;
        const response = await answer(c.req.raw, clientIp(address, c.req.header('x-forwarded-for') ?? null));
        response.headers.set('X-Request-Id', idOf(c, newId));
        return response;
      });
  }
  app.get('/healthz', (c) => report(c, newId, deps.health.live()));
  app.get('/readyz', async (c) => report(c, newId, await deps.health.ready(c.req.queries('exclude'))));
  app.notFound((c) => {
    const meant = meantBy(c.req.path.replace(/^\/(api\/)?(v\d+\/)?/, ''), paths);
    const motivo = meant && `¿Quiso decir ${PREFIX}${meant}?`;
    const refusal = refuse(c, newId, new CfdiError('RUTA_DESCONOCIDA', motivo ? { motivo } : {}));
    deps.metrics.httpRequests.with({ route: UNKNOWN_ROUTE, status: String(refusal.status) }).add();
    return refusal;
  });
  app.onError((err, c) => {
    log.error({ err, requestId: idOf(c, newId) }, 'request_failed');
    return refuse(c, newId, asCfdiError(err));
  });

  return {
    app,
    async close() {
      await Promise.all(deps.observers.map((observer) => observer.close()));
      await pipeline.usos.close();
      await pipeline.reembolsos.close();
    },
  };
}

/** What no operation takes of a request line; null when nothing is wrong with it. */
function wrongAddress({ method, url }: Request): NombreError | null {
  if (method !== 'POST') return 'METODO_NO_PERMITIDO';
  return /\?./.test(url) ? 'PARAMETROS_EN_LA_DIRECCION' : null;
}

function newLlamada(
  c: Context<Env>,
  operation: Operation,
  ipOf: ReturnType<typeof createClientIp>,
  { now, newId, settings }: Pick<ApiDeps, 'now' | 'newId' | 'settings'>,
): Llamada {
  const incoming = c.env?.incoming;
  const { headers } = c.req.raw;
  return {
    requestId: idOf(c, newId),
    operation,
    headers,
    source: incoming instanceof IncomingMessage ? incomingBody(incoming) : requestBody(c.req.raw),
    ip: ipOf(incoming?.socket.remoteAddress ?? NO_SOCKET, headers.get('x-forwarded-for')),
    now: now(),
    answerHeaders: { 'X-Acuse-Modo': settings.modo, ...deprecationOf(operation) },
    apiKey: null,
    access: null,
    pruebas: null,
    accessIsCached: false,
    mayUseCache: false,
    rateChecked: false,
    bodyRead: null,
    body: null,
    elegibles: [],
    idempotency: null,
    charged: false,
    settling: false,
    opId: newId(),
    saldo: 0,
    opened: [],
  };
}

/** Header fields of an operation that will go: since when (RFC 9745), until when (RFC 8594), and its changelog. */
function deprecationOf({ deprecated }: Operation): Record<string, string> {
  if (deprecated === undefined) return {};
  const { since, sunset } = deprecated;
  return {
    Deprecation: `@${Date.parse(since) / 1_000}`,
    ...(sunset === undefined ? {} : { Sunset: new Date(sunset).toUTCString() }),
    Link: '</changelog.json>; rel="deprecation"',
  };
}

/** A call as a span: of the trace that its caller names, by the conventions of OpenTelemetry for HTTP servers. */
const spanOf = (route: string, { headers, requestId }: Llamada): SpanSpec => ({
  name: `POST ${route}`,
  kind: 'server',
  parent: headers.get('traceparent'),
  attributes: { 'http.request.method': 'POST', 'http.route': route, 'acuse.request.id': requestId },
});

/** The id of a request, decided by the first caller. */
function idOf(c: Context<Env>, newId: () => string): string {
  const known = c.get('requestId');
  if (known !== undefined) return known;
  const id = requestIdOf(c.req.raw.headers.get('x-request-id'), newId);
  c.set('requestId', id);
  return id;
}

function refuse(c: Context<Env>, newId: () => string, error: CfdiError): Response {
  return toResponse(contestacionDeError(error), idOf(c, newId));
}

function report(c: Context<Env>, newId: () => string, body: { readonly status: string }): Response {
  const status = body.status === 'ok' ? 200 : 503;
  return toResponse({ status, cuerpo: JSON.stringify(body) }, idOf(c, newId));
}

const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's `X-Request-Id` when it can be logged and sent back without harm, else a new one. */
function requestIdOf(header: string | null, newId: () => string): string {
  return header !== null && SANE.test(header) ? header : newId();
}
