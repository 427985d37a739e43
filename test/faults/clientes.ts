import { randomUUID } from 'node:crypto';
import { abiertas, CONSULTAS, costOf } from '../integration/fixtures/consultas.ts';
import { type Efirma, registrarCer, storeKey } from '../integration/fixtures/efirma.ts';
import type { Pedido } from '../integration/fixtures/pedidos.ts';
import { type Answer, type Caller, ciecOf, type Servicio, waitFor } from '../integration/fixtures/servicio.ts';
import { newCliente, type Persona, signIn } from '../integration/panel/fixtures/panel.ts';
import type { Random } from './random.ts';

/** Longest time in which an answer must come, whatever happens meanwhile, in seconds. */
const PATIENCE = 240;

export interface Cliente {
  readonly caller: Caller & { readonly efirma?: Efirma };
  readonly azar: Random;
  /** The accepted requests, by id. */
  readonly pedidos: Map<string, Pedido>;
  readonly cancelled: Set<string>;
  /** Looks at the panel between two of its requests. */
  readonly visitor?: ReturnType<typeof createVisitor>;
  /** Credits that answers to queries cost. */
  spent: number;
}

/** Answers without a fault: a package that is not ready or never will be, an ended or unknown request. */
const FINAL = new Set([1, 2002, 3002, 3003, 3005]);
/**
 * The stored e.firma is gone: its hour ended, or the database crashed, which holds half of the key in memory only. 4003
 * where a CIEC would do.
 */
const NOTHING_STORED = new Set([4002, 4003]);

const dayOf = (n: number) => new Date(Date.UTC(2025, 0, 1 + n)).toISOString().slice(0, 10);

/** The n-th download of a caller: a day, sent or received, that it has not asked for yet; XML for some, of either kind. */
export const pedidoOf = (n: number): Pedido => {
  const day = dayOf(Math.floor(n / 2));
  const contenido = n % 7 === 5 ? ({ contenido: 'xml' } as const) : {};
  return { tipo: n % 2 ? 'recibidos' : 'emitidos', desde: day, hasta: day, ...contenido };
};

/**
 * Asks for so many downloads and, between them, for everything else that the API offers, at whichever API answers: what
 * gets no final answer is asked again under its Idempotency-Key, as behind a proxy.
 */
export function createClientes(servicio: Servicio, apis: () => readonly { readonly url?: string }[]) {
  let repeated = 0;

  const store = async (caller: Cliente['caller']): Promise<unknown> => {
    if (caller.efirma === undefined)
      return caller.call('vault/rfc-guardar', { rfc: caller.rfc, ciec: ciecOf(caller.rfc) });
    await registrarCer(caller, caller.efirma);
    return storeKey(caller, caller.efirma);
  };

  async function ask(
    { caller, azar }: Cliente,
    path: string,
    body: object,
    { isPaid = true } = {},
  ): Promise<Answer['body']> {
    const headers = isPaid ? { 'idempotency-key': randomUUID() } : {};
    let last = '';
    return waitFor(async () => {
      const { url } = azar.pick(apis());
      const at = { ...caller, ...caller.at({ url: url ?? '' }) };
      const answer = await at.call(path, body, headers).catch((error: Error) => {
        last = String(error);
        return null;
      });
      if (answer !== null && FINAL.has(answer.body.cfdi_codigo)) return answer.body;
      repeated += 1;
      if (answer === null) return null;
      last = `${answer.status} ${answer.text}`;
      if (caller.efirma && NOTHING_STORED.has(answer.body.cfdi_codigo)) await store(at).catch(() => {});
      else if (![409, 429, 503].includes(answer.status)) throw new Error('no fault explains this answer');
      return null;
    }, PATIENCE).catch((error: Error) => {
      throw new Error(`${path} of ${caller.rfc}: ${error.message}, last ${last}`);
    });
  }

  async function somethingElse(cliente: Cliente): Promise<void> {
    const { caller, azar, pedidos, cancelled } = cliente;
    const roll = azar.below(100);
    const [path, testCase] = azar.pick(CONSULTAS);
    if (roll < 40) {
      const isOurs = { ninguna: true, 'id-cif': false, ciec: !caller.efirma, efirma: caller.efirma }[
        testCase.credencial
      ];
      if (isOurs) cliente.spent += costOf((await ask(cliente, path, testCase.body(servicio, caller))).data);
      return;
    }
    if (roll < 45) return void (await store(caller).catch(() => {}));
    if (pedidos.size === 0) return;
    const solicitud_id = azar.pick([...pedidos.keys()]);
    const free = roll < 75 ? 'descarga/verificar' : roll < 95 ? 'descarga/paquete' : 'descarga/cancelar';
    const { cfdi_codigo } = await ask(cliente, free, { solicitud_id }, { isPaid: false });
    if (free === 'descarga/cancelar' && cfdi_codigo === 1) cancelled.add(solicitud_id);
  }

  return {
    repeated: () => repeated,
    async run(cliente: Cliente, downloads: number): Promise<void> {
      for (let n = 0; n < downloads; n += 1) {
        const pedido = pedidoOf(n);
        const { rfc } = cliente.caller;
        const { data, cfdi_codigo } = await ask(cliente, 'tax/descarga-metadata', { rfc, ...pedido });
        if (cfdi_codigo !== 1) throw new Error(`the download of ${rfc} answered ${cfdi_codigo}`);
        cliente.pedidos.set(String(data?.['solicitud_id']), pedido);
        await cliente.visitor?.look(cliente);
        while (cliente.azar.below(10) < 3) await somethingElse(cliente);
      }
    },
    /** Waits until no call waits for its answer or its refund any more. */
    settled: () => waitFor(async () => (await abiertas(servicio).catch(() => 1)) === 0 || null, PATIENCE),
  };
}

const PAGES = ['/inicio', '/rfcs', '/solicitudes', '/saldo', '/saldo/compras', '/saldo/comprar', '/pruebas', '/cuenta'];
/** One page in so many is that of a request, which is cancelled there. */
const CANCEL_EVERY = 20;

/** A user who reads pages of the panel, cancels now and then, and logs in again after a logout. */
export function createVisitor(persona: Persona) {
  const unexpected: string[] = [];
  let seen = 0;
  const browser = newCliente(persona.url);
  return {
    /** Answers that no fault explains. */
    unexpected,
    seen: () => seen,
    /** Opens a page, however long that takes. */
    async look({ pedidos, cancelled, azar }: Cliente): Promise<void> {
      const page = azar.pick(PAGES);
      await waitFor(async () => {
        const answer = await browser.abrir(page).catch(() => null);
        if (answer?.status === 200 && /action="\/entrar"/.test(answer.text))
          await signIn(browser, persona.email, persona.password).catch(() => {});
        else if (answer && answer.status < 500) {
          if (answer.status !== 200) unexpected.push(`${page}: ${answer.status}`);
          return true;
        }
        return null;
      }, PATIENCE);
      seen += 1;
      if (seen % CANCEL_EVERY !== 1 || pedidos.size === 0) return;
      const id = azar.pick([...pedidos.keys()]);
      const done = await browser.submit(`/solicitudes/${id}`, `/solicitudes/${id}/cancelar`).catch(() => null);
      // One that has ended has no such button; one that got no answer may have been cancelled all the same.
      if (done === null || done.status === 303) cancelled.add(id);
    },
  };
}
