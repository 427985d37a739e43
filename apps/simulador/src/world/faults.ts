import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

const TRANSPORT_FAULTS = ['html200', 'empty200', 'status', 'slow', 'cut', 'malformed', 'wrong-content'] as const;

/** Every kind of fault: of the transport, and those that only one service understands. */
export const FAULT_KINDS = [...TRANSPORT_FAULTS, 'stuck', 'code', 'expired'] as const;
/** `edited`, which answers what `edit` makes of the right answer, is for tests in the same process alone. */
export type FaultKind = (typeof FAULT_KINDS)[number] | 'edited';

/** A fault as it is asked for. */
export type Fault = {
  /** Host label of the service (`cfdiau`), or `*` for all. */
  service: string;
  operation?: string | undefined;
  rfc?: string | undefined;
  kind: FaultKind;
  /** How many calls it spoils; absent: until it is deleted. */
  times?: number | undefined;
  /** How many matching calls pass unharmed first. */
  after?: number | undefined;
  /** Milliseconds a `slow` answer waits (default 1000). */
  ms?: number | undefined;
  /** HTTP status of a `status` page (default 503). */
  status?: number | undefined;
  /** SAT code that a `code` fault answers, and for the verification the two codes beside it. */
  code?: number | undefined;
  estado?: number | undefined;
  codigoEstado?: number | undefined;
  mensaje?: string | undefined;
  edit?: ((answer: Response) => Response | Promise<Response>) | undefined;
};

export type FaultRule = Fault & { id: string; seen: number; taken: number };

/** Creates an empty set of faults; `implicit` tells the fault that a magic RFC brings with it to a service. */
export function createFaults(implicit: (service: string, rfc: string) => Fault | null = () => null) {
  let rules: FaultRule[] = [];
  return {
    add: (fault: Fault): FaultRule => {
      const rule = { ...fault, id: randomUUID(), seen: 0, taken: 0 };
      rules.push(rule);
      return rule;
    },
    list: (): FaultRule[] => [...rules],
    /** Removes one rule, or all; false when there is no rule of that id. */
    remove: (id?: string) => {
      const before = rules.length;
      rules = id === undefined ? [] : rules.filter((rule) => rule.id !== id);
      return id === undefined || rules.length < before;
    },
    /**
     * The fault for this call, used up by one, or null. The oldest rule that applies wins; without one, the RFC's own
     * fault.
     */
    take: (service: string, operation: string, rfc: string): FaultRule | null => {
      for (const rule of rules) {
        if (!concerns(rule, service, operation, rfc)) continue;
        rule.seen += 1;
        if (rule.seen <= (rule.after ?? 0)) continue;
        if (rule.taken >= (rule.times ?? Number.POSITIVE_INFINITY)) continue;
        rule.taken += 1;
        return rule;
      }
      const own = implicit(service, rfc);
      return own && { ...own, id: 'magia', seen: 1, taken: 1 };
    },
  };
}

function concerns(rule: Fault, service: string, operation: string, rfc: string): boolean {
  return (
    (rule.service === '*' || rule.service === service) &&
    (rule.operation === undefined || rule.operation === operation) &&
    (rule.rfc === undefined || rule.rfc === rfc)
  );
}

const MAINTENANCE = `<!DOCTYPE html><html lang="es"><head><title>Servicio no disponible</title></head>
<body><h1>Por el momento el servicio no se encuentra disponible</h1><p>Intente más tarde.</p></body></html>`;

/** What ASP.NET shows of an error that a page did not catch. */
const RUNTIME_ERROR = `<!DOCTYPE html>
<html><head><title>Runtime Error</title></head>
<body><h1>Server Error in '/' Application.</h1><h2><i>Runtime Error</i></h2></body></html>`;

/**
 * Answers a call that has a transport fault. `answer` makes the answer there would be without it.
 * Faults that only a service understands (`stuck`, `code`, `expired`) and null leave that answer as it is.
 */
export async function respondWithFault(fault: Fault | null, answer: () => Promise<Response>): Promise<Response> {
  switch (fault?.kind) {
    case 'html200':
      return page(200);
    case 'empty200':
      return new Response('', { headers: { 'content-type': 'text/xml; charset=utf-8' } });
    case 'status':
      return page(fault.status ?? 503);
    case 'slow':
      // A wait of minutes must not keep the process from ending.
      await delay(fault.ms ?? 1000, undefined, { ref: false });
      return answer();
    case 'cut':
      return cut(await answer());
    case 'malformed':
      return truncated(await answer());
    case 'wrong-content':
      return new Response('<?xml version="1.0"?><catalogo><partida clave="1"/></catalogo>', {
        headers: { 'content-type': 'text/xml; charset=utf-8' },
      });
    case 'edited':
      return fault.edit ? fault.edit(await answer()) : answer();
    default:
      return answer();
  }
}

function page(status: number): Response {
  return new Response(status === 500 ? RUNTIME_ERROR : MAINTENANCE, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });
}

/**
 * The first bytes of the body, then an error, at which the server destroys the socket. It may end the answer before: a
 * length that is not kept tells even then that more was to come.
 */
async function cut(response: Response): Promise<Response> {
  const reader = response.body?.getReader();
  const first = (await reader?.read())?.value ?? new Uint8Array();
  await reader?.cancel();
  async function* beginning() {
    yield first.subarray(0, Math.ceil(first.length / 2));
    throw new Error('connection cut by an injected fault');
  }
  const headers = withoutLength(response.headers);
  headers.set('content-length', String(first.length + 1_000));
  return new Response(ReadableStream.from(beginning()), { status: response.status, headers });
}

/** A body that ends too early though the transport says that it is whole. */
async function truncated(response: Response): Promise<Response> {
  const bytes = await response.arrayBuffer();
  return new Response(bytes.slice(0, Math.floor(bytes.byteLength * 0.7)), {
    status: response.status,
    headers: withoutLength(response.headers),
  });
}

function withoutLength(headers: Headers): Headers {
  const copy = new Headers(headers);
  copy.delete('content-length');
  return copy;
}
