import { fechaField, rfcField } from '@acuse/contract';
import { adverso } from '@acuse/listas/api';
import { importeTexto, itemsOf, limiteDePagina, rfcDelSat, siguiente, texto, total, uuidData } from '@acuse/operation';
import { z } from 'zod';
import type { ContraparteVista, LugarListado, SupuestoListado } from '../index.ts';

const suma = z
  .object({
    cfdi: z.int().min(0).meta({ description: 'Cuántos.', example: 2 }),
    monto: importeTexto.meta({
      description: 'La suma de sus importes, cada uno en la moneda de su CFDI, decimal.',
      example: '2320.00',
    }),
  })
  .meta({ id: 'SumaCfdi', description: 'Cuántos CFDI y cuánto suman.' });
export const sumas = z
  .object({ ingresos: suma, egresos: suma })
  .meta({ id: 'SumasCfdi', description: 'Los CFDI de ingreso y los de egreso, por separado.' });

/** The CFDI with a counterparty. */
export const contraparteCfdi = z
  .object({
    total: z.int().min(0).meta({ description: 'CFDI vigentes, de ingreso o de egreso, con ella.', example: 2 }),
    recibidos: sumas,
    emitidos: sumas,
    uuids: z.array(uuidData('UUID del CFDI.')).meta({ description: 'Los más nuevos, a lo más 20.' }),
  })
  .meta({ id: 'CfdiDeContraparte', description: 'Los CFDI con una contraparte.' });

/** Fields of a listed counterparty; every answer shows the same ones. */
export const listadaFields = {
  proveedor_rfc: rfcDelSat('RFC de la contraparte.', 'EKU9003173C9'),
  proveedor_nombre: texto('Su nombre; vacío si el SAT no lo da.', 'ESCUELA KEMPER URGATE'),
  lista: texto('En qué lista está.', '69-B'),
  supuesto: texto('Con qué palabra de la lista.', 'Presunto'),
  adverso,
  publicado_en: fechaField.nullable().meta({ description: 'La fecha de la lista; null si no la da.' }),
};

/** The values of {@link listadaFields}. */
export const listadaOf = (de: Pick<ContraparteVista, 'rfc' | 'nombre'> & SupuestoListado) => ({
  proveedor_rfc: de.rfc,
  proveedor_nombre: de.nombre,
  lista: de.lista,
  supuesto: de.supuesto,
  adverso: de.isAdverso,
  publicado_en: de.publicada,
});

const POR_PAGINA = 50;
const MAX = 200;

const cursorOf = ({ rfc, lista }: LugarListado) => Buffer.from(`${rfc} ${lista}`).toString('base64url');

/** The place that a cursor names; null for a made-up one. */
function lugarOf(cursor: string): LugarListado | null {
  const [, rfc, lista] = /^(\S+) (69[-\w ]*|CSD)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (lista === undefined || !rfcField.safeParse(rfc).success) return null;
  return { rfc: String(rfc), lista };
}

const NO_ES_CURSOR = 'debe ser el siguiente de la página anterior';

/** With these, counterparties on the lists are given page by page. */
export const pageFields = {
  limite: limiteDePagina(MAX, POR_PAGINA),
  cursor: z
    .string({ error: 'debe ser un texto' })
    .regex(/^[A-Za-z0-9_-]{8,200}$/, { error: NO_ES_CURSOR, abort: true })
    .refine((cursor) => lugarOf(cursor) !== null, NO_ES_CURSOR)
    .meta({
      description: 'El siguiente de la página anterior; sin él, la primera.',
      example: 'RUtVOTAwMzE3M0M5IDY5LUI',
    })
    .optional(),
};

interface PaginaPedida {
  readonly limite?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The schema of one page. */
export const paginaOf = <T extends z.ZodType>(element: T) => ({ total, items: itemsOf(element), siguiente });

/** A page of what `read` gives after a place, each as `tell` says it. */
export async function readPage<T extends LugarListado, I>(
  { limite = POR_PAGINA, cursor }: PaginaPedida,
  read: (pagina: { despuesDe: LugarListado | null; limite: number }) => Promise<readonly T[]>,
  tell: (row: T) => I,
) {
  const rows = await read({ despuesDe: cursor === undefined ? null : lugarOf(cursor), limite });
  const last = rows.at(-1);
  return {
    total: rows.length,
    items: rows.map(tell),
    siguiente: rows.length < limite || last === undefined ? null : cursorOf(last),
  };
}
