import { FalloOrden } from '@acuse/roles/client';
import type { Acuse } from '@acuse/sdk';
import { OPERACIONES, type OperacionDelServicio } from '@acuse/sdk/operaciones';
import { call } from '../cliente/operaciones.ts';
import { inputOf, isLog, objectOf, outputOf, SIGUE } from './esquemas.ts';
import type { Gasto } from './gasto.ts';
import type { Args, Herramienta } from './herramienta.ts';
import { fitting, itemsOf, type Lista, type Listas } from './listas.ts';
import { bounded } from './medida.ts';
import { nombreOf, POR_OTRA } from './nombres.ts';

type Fila = Readonly<Record<string, unknown>>;

/**
 * Operations that are tools: those that read what the service knows or ask the SAT. What takes a credential or a file,
 * and what changes something but the balance, is left to a person.
 */
export const OFFERED: readonly OperacionDelServicio[] = OPERACIONES.filter(
  ({ path, cambia, costo, campos }) =>
    (!cambia || costo > 0) && !campos.some(({ esSecreto, esArchivo }) => esSecreto || esArchivo) && !POR_OTRA.has(path),
);

/** The only operation that goes on after its answer, which says by which id: it is not interrupted. */
const SIGUE_SOLA = 'tax/descarga-metadata';

interface Servicio {
  readonly acuse: Acuse;
  /** That of the key; empty where it is not known. */
  readonly rfc: string;
  readonly listas: Listas;
  readonly gasto: Gasto;
}

/** @throws FalloOrden for a field that the operation does not have; the values are the service's to check. */
function bodyOf(operacion: OperacionDelServicio, args: Args, rfc: string): Args {
  const nombres = operacion.campos.map(({ nombre }) => nombre);
  const unknown = Object.keys(args).filter((nombre) => !nombres.includes(nombre));
  if (unknown.length > 0)
    throw new FalloOrden(
      'ORDEN_INVALIDA',
      `La herramienta no recibe ${unknown.map((each) => `«${each.slice(0, 40)}»`).join(', ')}; no se hizo nada. Recibe: ${nombres.join(', ')}.`,
    );
  return rfc !== '' && nombres.includes('rfc') ? { rfc, ...args } : args;
}

/** Whether an answer says that its credit came back, or was not taken. */
const isGivenBack = ({ data }: { readonly data?: Fila }) =>
  data?.['reembolsada'] === true || data?.['duplicada'] === true;

/** An operation as a tool. */
function herramientaOf(operacion: OperacionDelServicio, { acuse, rfc, listas, gasto }: Servicio): Herramienta {
  const { path, resumen, descripcion, costo, cambia } = operacion;

  async function ask(peticion: Args, signal?: AbortSignal) {
    const answer = await gasto.spend(
      // Later pages belong to the paid first call.
      peticion['cursor'] === undefined ? costo : 0,
      () => call(acuse, operacion, peticion, { signal }) as Promise<Fila & { readonly data?: Fila }>,
      isGivenBack,
    );
    const { cfdi_codigo: _, cfdi_texto: __, cfdi_descripcion: ___, data = {}, ...more } = answer;
    return { data, more };
  }

  /** The page, and how to have the one after it, where the service gives one. */
  function listaOf(data: Fila, items: readonly unknown[], peticion: Args): Lista {
    const { siguiente } = data;
    const next =
      typeof siguiente !== 'string'
        ? null
        : async (): Promise<Lista> => {
            const own = { ...peticion, cursor: siguiente };
            const page = (await ask(own)).data;
            return listaOf(page, itemsOf(page) ?? [], own);
          };
    return { operacion: path, items, next };
  }

  /** As much of a log as fits, with the cursor after just that: it is kept from one session to the next. */
  async function fittingLog(data: Fila, items: readonly unknown[], peticion: Args): Promise<Fila> {
    const shown = fitting(items, 0, () => {});
    if (shown.length === items.length) return { ...data, items: shown };
    const { data: page } = await ask({ ...peticion, limite: shown.length });
    return { ...page, items: fitting(itemsOf(page) ?? [], 0, () => {}) };
  }

  return {
    tool: {
      name: nombreOf(path),
      title: resumen,
      description: `${resumen}. ${descripcion}`,
      inputSchema: inputOf(operacion, rfc),
      outputSchema: outputOf(operacion),
      // What costs is for the person to allow, though it only reads.
      annotations: {
        title: resumen,
        readOnlyHint: !cambia,
        destructiveHint: false,
        idempotentHint: !cambia,
        openWorldHint: true,
      },
    },
    async run(args, { signal }) {
      const peticion = bodyOf(operacion, args, rfc);
      if (listas.isOfHere(args['cursor'])) return goOn(listas, args['cursor']);
      const { data, more } = await ask(peticion, path === SIGUE_SOLA ? undefined : signal);
      const items = itemsOf(data);
      const cuts = new Set<string>();
      const onCut = (texto: string) => void cuts.add(texto);
      if (items === null) {
        const shown = { data: bounded(data, onCut), ...more };
        return { ...shown, recortes: [...cuts] };
      }
      if (isLog(operacion)) return { data: await fittingLog(data, items, peticion), ...more, recortes: [] };
      const { items: _, siguiente: __, ...rest } = data;
      const { items: shown, cursor, quedan, recortes } = listas.first(listaOf(data, items, peticion));
      const about = bounded(rest, onCut) as Fila;
      return { data: { ...about, items: shown }, ...more, cursor, quedan, recortes: [...cuts, ...recortes] };
    },
  };
}

async function goOn(listas: Listas, cursor: string) {
  const { items, ...more } = await listas.after(cursor);
  return { ...more, data: { items } };
}

/** Goes on with a list. */
function continuarOf(listas: Listas): Herramienta {
  const title = 'Lo que sigue de una lista';
  return {
    tool: {
      name: 'lista_continuar',
      title,
      description: `${title}. Una lista larga se da por trozos: con el cursor del anterior, el siguiente. No pregunta al SAT ni cuesta.`,
      inputSchema: {
        type: 'object',
        properties: { cursor: { type: 'string', description: 'El cursor del trozo anterior.' } },
        required: ['cursor'],
        additionalProperties: false,
      },
      outputSchema: objectOf({
        operacion: { type: 'string', description: 'De qué operación es la lista.' },
        data: objectOf({ items: { type: 'array', items: { type: 'object' } } }),
        ...SIGUE,
      }),
      annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    run: ({ cursor }) => goOn(listas, String(cursor)),
  };
}

/** Every operation that is offered, and the way through long lists; without credits only what costs nothing. */
export function consultas(servicio: Servicio, creditos: number): Herramienta[] {
  const offered = OFFERED.filter(({ costo }) => costo <= creditos);
  return [...offered.map((operacion) => herramientaOf(operacion, servicio)), continuarOf(servicio.listas)];
}
