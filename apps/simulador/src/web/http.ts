import { isUtf8 } from 'node:buffer';
import type { Context } from 'hono';
import { z } from 'zod';
import { type FaultRule, respondWithFault } from '../world/faults.ts';
import type { World } from '../world/world.ts';

/** One call as the log keeps it and as fault rules name it. */
export type PortalCall = {
  service: string;
  operation: string;
  /** Empty without an authenticated or named taxpayer. */
  rfc: string;
  detail?: Record<string, string | number>;
};

/** Records a call, then answers it, spoiled by the fault that applies to it; `answer` learns of that fault too. */
export function attend(
  world: World,
  { service, operation, rfc, detail = {} }: PortalCall,
  answer: (fault: FaultRule | null) => Promise<Response> | Response,
): Promise<Response> {
  world.log.add({ service, operation, rfc, at: world.clock.now(), detail });
  const fault = world.faults.take(service, operation, rfc);
  return respondWithFault(fault, async () => answer(fault));
}

/**
 * Adds cookies to an answer. Their path is `/`: the prefix of a service stands for a host, which a client that maps the
 * SAT's hosts to prefixes does not see in its paths. Names differ between the services. An empty value deletes the
 * cookie.
 */
export function withCookies(response: Response, cookies: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(cookies)) {
    const expiry = value === '' ? '; Expires=Thu, 01 Jan 1970 00:00:00 GMT' : '';
    response.headers.append('set-cookie', `${name}=${value}; Path=/; HttpOnly${expiry}`);
  }
  return response;
}

export function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location } });
}

/** The text of a body: UTF-8, or Latin-1 where its bytes are none, as some clients send an Ñ. */
export async function textOf(c: Context): Promise<string> {
  const bytes = Buffer.from(await c.req.arrayBuffer());
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}

/** The fields of a posted form; of a repeated one the last value counts, files are left out. */
export async function formOf(c: Context): Promise<Record<string, string>> {
  const entries = Object.entries(await c.req.parseBody());
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Encodes text as ASP.NET's HtmlEncode does: the five signs of markup, and U+00A0 to U+00FF as decimal references. */
export function encode(text: string): string {
  return text.replace(/[&<>"'\u00a0-\u00ff]/g, (sign) => NAMED[sign] ?? `&#${sign.charCodeAt(0)};`);
}

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** An HTML answer that no cache may keep. */
export function htmlResponse(body: string, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(body, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache, no-store', ...headers },
  });
}

/** What ASP.NET answers a form that its own page never sends. */
export function runtimeError(): Response {
  return htmlResponse('<html><head><title>Runtime Error</title></head><body><h1>Server Error</h1></body></html>', 500);
}

export function pdfResponse(pdf: Buffer, headers: Record<string, string> = {}): Response {
  return new Response(new Uint8Array(pdf), { headers: { 'content-type': 'application/pdf', ...headers } });
}

/** Scheme, host and port by which the caller reaches the simulator. */
export function originOf(c: Context): string {
  return new URL(c.req.url).origin;
}

/** Changes settings of a service by the JSON body, in place; 400 with the faults. */
export async function putSettings<T extends z.ZodObject>(
  c: Context,
  schema: T,
  ajustes: z.output<T>,
): Promise<Response> {
  const change: unknown = await c.req.json().catch(() => null);
  const merged = typeof change === 'object' && change !== null ? { ...ajustes, ...change } : null;
  const result = z.strictObject(schema.shape).safeParse(merged);
  return result.success
    ? c.json(Object.assign(ajustes, result.data))
    : c.json({ error: z.prettifyError(result.error) }, 400);
}

/** What a host says that has forgotten a browser. */
export function loggedOutPage(): Response {
  return htmlResponse('<html><head><title>SAT</title></head><body><p>Ha cerrado su sesión.</p></body></html>');
}

/** A page whose script goes on to an address at once. */
export function scriptedMove(address: string): Response {
  return htmlResponse(
    `<html><head><title>SAT</title></head><body><script>top.location.href='${address}';</script></body></html>`,
  );
}

/** A hidden input; without value attribute when the value is undefined, as ASP.NET renders an empty one. */
export function hiddenInput(name: string, id: string, value?: string): string {
  const attribute = value === undefined ? '' : ` value="${encode(value)}"`;
  return `<input type="hidden" name="${name}" id="${id}"${attribute} />`;
}

/** A page with one form that a browser's script sends at once; fields are hidden inputs without id. */
export function autoSubmittedForm(title: string, action: string, fields: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `    <input type="hidden" name="${name}" value="${encode(value)}"/>`,
  );
  return `<html>
<head>
<title>${title}</title>
<meta http-equiv="expires" content="0">
</head>
<body>
<form method="POST" enctype="application/x-www-form-urlencoded" action="${encode(action)}">
${inputs.join('\n')}
</form>
<script language="JavaScript">
    <!--
        document.forms[0].submit();
    -->
</script>
</body>
</html>
`;
}
