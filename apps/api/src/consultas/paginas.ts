import { randomUUID } from 'node:crypto';
import { CfdiError } from '@acuse/contract';
import { MAX_LIMITE } from '@acuse/operation';
import { huellaDeCuerpo, openRespuesta, sealRespuesta } from '@acuse/vault';
import type { ApiDeps } from '../deps.ts';
import { canonicalJson } from '../http/body.ts';
import { accessOf, bodyOf, type Contestacion, contestacionDeExito, type Llamada } from '../http/llamada.ts';

type PagesDeps = Pick<ApiDeps, 'idempotencia' | 'keyring'>;

/** What an operation answers whose list is given page by page. */
interface ConLista {
  readonly items: readonly unknown[];
  readonly [more: string]: unknown;
}

/** Some elements of a kept list, with all else that its first page says. */
interface Trozo {
  readonly data: Readonly<Record<string, unknown>>;
  readonly items: readonly unknown[];
  /** Elements of the whole list. */
  readonly cuantos: number;
}

/** Elements that are kept, and opened, together: a page needs two such pieces at most, however long the list is. */
const TROZO = MAX_LIMITE;
const STATUS = 200;

/** No `Idempotency-Key` of a caller has a space in it: its answers and these never meet. */
const claveOf = (listaId: string, trozo: number) => `lista ${listaId} ${trozo}`;

/** What the pages of a list have in common: whose they are, and every field but those that choose the page. */
function consultaOf(llamada: Llamada) {
  const { access, apiKey } = accessOf(llamada);
  const { limite: _limite, cursor: _cursor, ...consulta } = bodyOf(llamada).value;
  const de = { apiKeyId: access.apiKey.id, operacion: llamada.operation.path };
  return { ...de, cuerpoHash: huellaDeCuerpo([canonicalJson(consulta)], de, apiKey.secret) };
}

/**
 * The first page of a list that was just obtained. The whole of it is kept for the pages that follow, sealed as a
 * repeated answer is: they show what the first one was charged for, whatever the authority says meanwhile. Without
 * `limite`, or where all fits, the list as it is.
 */
export async function firstPage(llamada: Llamada, data: unknown, deps: PagesDeps): Promise<unknown> {
  const limite = llamada.operation.isPaginada ? bodyOf(llamada).value['limite'] : undefined;
  if (typeof limite !== 'number') return data;
  // An operation says that it is given by pages only where its data has a list.
  const { items, ...rest } = data as ConLista;
  if (items.length <= limite) return data;
  const listaId = randomUUID();
  const { cuerpoHash, ...de } = consultaOf(llamada);
  const claves = { secret: accessOf(llamada).apiKey.secret, keyring: deps.keyring };
  const trozos = Array.from({ length: Math.ceil(items.length / TROZO) }, (_, n) => {
    const trozo: Trozo = { data: rest, items: items.slice(n * TROZO, (n + 1) * TROZO), cuantos: items.length };
    const contexto = { ...de, clave: claveOf(listaId, n), status: STATUS };
    return { clave: contexto.clave, sobre: sealRespuesta(JSON.stringify(trozo), contexto, claves) };
  });
  await deps.idempotencia.keepTrozos({ ...de, cuerpoHash, opId: llamada.opId, status: STATUS, trozos });
  return { ...rest, items: items.slice(0, limite), siguiente: `${listaId}.${limite}` };
}

const SIN_PAGINA =
  'no es el siguiente de una página de esta misma consulta y API key, o pasaron 24 horas: mande los mismos campos que en la primera, o pida otra vez la primera, sin cursor';

/**
 * A page after the first, for a call with a `cursor`: served from the stored answer, without the SAT and free of
 * charge. Undefined for any other call.
 */
export async function keptPage(llamada: Llamada, deps: PagesDeps): Promise<Contestacion | undefined> {
  const { cursor, limite = MAX_LIMITE } = bodyOf(llamada).value;
  if (!llamada.operation.isPaginada || typeof cursor !== 'string' || typeof limite !== 'number') return undefined;
  const [listaId = '', from = ''] = cursor.split('.');
  const start = Number(from);
  const first = Math.floor(start / TROZO);
  const last = Math.floor((start + limite - 1) / TROZO);
  const numeros = first === last ? [first] : [first, last];
  const consulta = consultaOf(llamada);
  const kept = await deps.idempotencia.trozos({ ...consulta, claves: numeros.map((n) => claveOf(listaId, n)) });
  const claves = { secret: accessOf(llamada).apiKey.secret, keyring: deps.keyring };
  const trozos = numeros.flatMap((n) => {
    const clave = claveOf(listaId, n);
    const sobre = kept.get(clave);
    const { apiKeyId, operacion } = consulta;
    const text = sobre && openRespuesta(sobre, { apiKeyId, operacion, clave, status: STATUS }, claves);
    return text ? [JSON.parse(text) as Trozo] : [];
  });
  const offset = start - first * TROZO;
  const items = trozos.flatMap((trozo) => trozo.items).slice(offset, offset + limite);
  const [head] = trozos;
  // A piece that is missing would leave elements out; behind the last one there is none.
  if (head === undefined || items.length < Math.min(limite, head.cuantos - start) || items.length === 0)
    throw new CfdiError('CAMPO_INVALIDO', { campo: 'cursor', motivo: SIN_PAGINA });
  const next = start + items.length;
  const siguiente = next < head.cuantos ? `${listaId}.${next}` : null;
  return contestacionDeExito(llamada.operation, { ...head.data, items, siguiente }, llamada.saldo);
}
