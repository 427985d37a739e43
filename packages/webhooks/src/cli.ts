import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { EVENTOS_WEBHOOK, type EventoWebhook } from '@acuse/contract';
import {
  type Consola,
  FalloOrden,
  listArgument,
  print,
  readSecreto,
  rfcArgument,
  rfcOf,
  type Servicio,
} from '@acuse/roles/client';
import { isRunning } from '@acuse/runtime';
import { type Acuse, AcuseError, type EntregaWebhook, esPasajero } from '@acuse/sdk';
import type { Command } from 'commander';
import type { Envio, Sender } from './envio.ts';

interface Opciones {
  readonly a: string;
  readonly rfc?: string;
  readonly eventos?: readonly EventoWebhook[];
  readonly secretoArchivo?: string;
}

/** The whole of the two versions of IP: this machine may ask whom its user names. */
const ANYWHERE = { http: true, redes: ['0.0.0.0/0', '::/0'] };
/** What a receiver is given to answer in, as by the service. */
const TIMEOUT_MS = 10_000;
/** Seconds between two tries. A developer comes back sooner than a service that is down. */
const INTERVALOS = [1, 2, 5, 10, 30, 60, 60, 60, 60, 60];
const PAGE = 100;
/** Milliseconds between two looks, and at most while the service does not answer. */
const LOOK_MS = 1_000;
const MAX_LOOK_MS = 30_000;

type ConCuerpo = EntregaWebhook & { readonly cuerpo: string };

/** Posts the webhooks of an RFC to an address that only this machine reaches. */
export function addListen(program: Command, { consola, open, retryNotice }: Servicio): void {
  program
    .command('escuchar')
    .summary('Recibe los avisos (webhooks) en una dirección de este equipo, mientras se desarrolla')
    .description(
      'Pregunta al servicio por los avisos de un RFC y los manda a una dirección que solo este equipo alcanza, con los mismos encabezados y ' +
        'firma que tendrían. Lo que falla se repite. Ctrl-C termina y borra el webhook que se hizo para esto. Sin costo.',
    )
    .requiredOption('--a <url>', 'a dónde, como http://127.0.0.1:3000/webhooks')
    .option('--rfc <rfc>', 'de quién; sin él, el de «acuse entrar»', rfcArgument)
    .option('--eventos <lista>', 'de qué, separados por comas; sin ella, de todo', listArgument)
    .option(
      '--secreto-archivo <ruta>',
      'archivo con el whsec_… con que se firma, o -; sin él, uno nuevo que se muestra',
    )
    .option('--json', 'cada intento en una línea de JSON')
    .action(async (opciones: Opciones) => {
      const { acuse, acceso } = await open();
      const rfc = rfcOf(acceso, opciones.rfc);
      const { createSender } = await import('./envio.ts');
      const { claveOf, readUrlDestino, REPAROS_URL, SIN_RECEPTOR } = await import('./index.ts');
      const { url, reparo } = readUrlDestino(opciones.a, ANYWHERE);
      if (reparo !== undefined) throw new FalloOrden('ORDEN_INVALIDA', `La dirección de --a ${REPAROS_URL[reparo]}.`);
      const { secretoArchivo: ruta, eventos = EVENTOS_WEBHOOK } = opciones;
      const own = ruta === undefined ? null : (await readSecreto(consola, ruta)).trim();
      if (own !== null && claveOf(own) === null)
        throw new FalloOrden('ORDEN_INVALIDA', 'El secreto es whsec_ y base64: cópielo como lo mostró el servicio.');

      const signal = consola.interrupcion();
      await removeStale(acuse, rfc, SIN_RECEPTOR);
      const { data } = await acuse.webhooks.crear({
        rfc,
        url: SIN_RECEPTOR,
        eventos: [...eventos],
        descripcion: descripcionOf(process.pid),
      });
      const { webhook_id, secreto } = data;
      const sender = createSender({ ...ANYWHERE, timeoutMs: TIMEOUT_MS, resolve: addressesOf });
      try {
        say(consola, { webhook_id, url, rfc, secreto: own === null ? secreto : null });
        const clave = claveOf(own ?? secreto) ?? Buffer.alloc(0);
        await forward(follow(acuse, webhook_id, retryNotice(), signal), { consola, sender, url, clave, signal });
      } finally {
        await sender.close();
        await remove(acuse, webhook_id, consola);
      }
    });
}

/** As the system has it, with names that only this machine knows. */
const addressesOf = async (name: string) => (await lookup(name, { all: true })).map(({ address }) => address);

const descripcionOf = (pid: number) => `acuse escuchar, ${hostname()}, ${pid}`;

/** What a process of this machine left that was killed. */
async function removeStale(acuse: Acuse, rfc: string, receptor: string): Promise<void> {
  const { data } = await acuse.webhooks.listar({ rfc });
  for (const { webhook_id, url, descripcion } of data.items) {
    const pid = Number(/(\d+)$/.exec(descripcion)?.[1]);
    if (url === receptor && descripcion === descripcionOf(pid) && !isRunning(pid))
      await acuse.webhooks.borrar({ webhook_id });
  }
}

async function remove(acuse: Acuse, webhook_id: string, { errores, json }: Consola): Promise<void> {
  try {
    await acuse.webhooks.borrar({ webhook_id });
  } catch (error) {
    if (error instanceof AcuseError && error.nombre === 'WEBHOOK_NO_ENCONTRADO') return;
    if (!json)
      errores.write(`El webhook sigue ahí. Bórrelo con:\n  acuse webhooks borrar --webhook-id ${webhook_id}\n`);
    throw error;
  }
}

interface Start {
  readonly webhook_id: string;
  readonly url: string;
  readonly rfc: string;
  /** Null when it is the user's own. */
  readonly secreto: string | null;
}

function say(consola: Consola, start: Start): void {
  const { webhook_id, url, rfc, secreto } = start;
  if (consola.json) return void print(consola, JSON.stringify(start));
  const lines = [
    `Los avisos de ${rfc} van a ${url}. Ctrl-C termina.`,
    ...(secreto === null ? [] : [`Secreto de las firmas: ${secreto}`]),
    `Para enviar uno de prueba: acuse webhooks probar --webhook-id ${webhook_id}`,
  ];
  consola.errores.write(`${lines.join('\n')}\n`);
}

/**
 * The deliveries of a webhook as they happen, each once, until the signal. While the service does not answer it is asked
 * again, and what happened meanwhile comes afterwards.
 */
async function* follow(
  acuse: Acuse,
  webhookId: string,
  fallo: (error: AcuseError) => void,
  signal: AbortSignal,
): AsyncGenerator<ConCuerpo> {
  let [seen, ms] = [0, LOOK_MS];
  while (!signal.aborted) {
    try {
      for (const entrega of await since(acuse, webhookId, seen, signal)) {
        // The workers write it at their first try; what comes after waits for it.
        if (!hasCuerpo(entrega)) break;
        seen = entrega.secuencia;
        yield entrega;
      }
      ms = LOOK_MS;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof AcuseError) || !esPasajero(error)) throw error;
      fallo(error);
      ms = Math.min(ms * 2, MAX_LOOK_MS);
    }
    await pause(ms, signal);
  }
}

const hasCuerpo = (entrega: EntregaWebhook): entrega is ConCuerpo => entrega.cuerpo !== null;

/** Deliveries after the number `seen`, oldest first. */
async function since(acuse: Acuse, webhook_id: string, seen: number, signal: AbortSignal): Promise<EntregaWebhook[]> {
  const found: EntregaWebhook[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = { webhook_id, limite: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const { data } = await acuse.webhooks.entregas(page, { signal });
    const news = data.items.filter(({ secuencia }) => secuencia > seen);
    found.push(...news);
    cursor = news.length < data.items.length ? null : data.siguiente;
  }
  return found.reverse();
}

interface Forwarding {
  readonly consola: Consola;
  readonly sender: Sender;
  readonly url: string;
  readonly clave: Buffer;
  readonly signal: AbortSignal;
}

/** Posts each, without waiting for those before: one that fails holds up no other. */
async function forward(entregas: AsyncIterable<ConCuerpo>, forwarding: Forwarding): Promise<void> {
  const underWay = new Set<Promise<void>>();
  try {
    for await (const entrega of entregas) {
      const done: Promise<void> = post(entrega, forwarding).finally(() => underWay.delete(done));
      underWay.add(done);
    }
  } finally {
    await Promise.all(underWay);
  }
}

async function post(entrega: ConCuerpo, { consola, sender, url, clave, signal }: Forwarding): Promise<void> {
  const { encabezadosDe } = await import('./index.ts');
  const { nextIntento } = await import('@acuse/runtime');
  const { evento_id: id, secuencia, cuerpo } = entrega;
  for (let intentos = 1; !signal.aborted; intentos += 1) {
    const headers = encabezadosDe({ id, segundos: Math.floor(Date.now() / 1_000), cuerpo, secuencia }, [clave]);
    const envio = await sender.send({ url, headers, cuerpo }, signal);
    const { status, retryAfter } = envio;
    if (status === null && signal.aborted) return;
    const isOver = status !== null && ((status >= 200 && status < 300) || status === 410);
    const en = isOver ? null : nextIntento({ intentos, intervalos: INTERVALOS, retryAfter });
    print(consola, (consola.json ? jsonLine : line)(entrega, envio, { intentos, en }));
    if (en === null) return;
    await pause(en * 1_000, signal);
  }
}

interface Outcome {
  readonly intentos: number;
  /** Seconds until the next try; null after the last. */
  readonly en: number | null;
}

function line({ tipo, rfc }: ConCuerpo, { status, error, ms }: Envio, { intentos, en }: Outcome): string {
  const hora = new Date().toLocaleTimeString('es-MX', { hour12: false });
  const words = [hora, tipo, ...(rfc === null ? [] : [rfc]), status ?? error, `${ms} ms`];
  const isBad = status === null || status >= 300;
  const next = en === null ? 'no se repite más' : `se repite en ${Math.ceil(en)} s`;
  return `${words.join('  ')}${isBad ? `  (intento ${intentos}, ${next})` : ''}`;
}

function jsonLine(entrega: ConCuerpo, { status, error, ms }: Envio, { intentos, en }: Outcome): string {
  const { evento_id, secuencia, tipo, rfc } = entrega;
  return JSON.stringify({ evento_id, secuencia, tipo, rfc, intento: intentos, status, error, ms, repite_en: en });
}

/** Waits; an end of the signal ends the waiting. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
  });
}
