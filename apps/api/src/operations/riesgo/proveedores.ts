import { fechaField, limiteField, rfcField } from '@acuse/contract';
import type { LugarListado } from '@acuse/core';
import { z } from 'zod';
import { adverso } from '../../efos.ts';
import { instante, siguiente, texto, total } from '../../fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { contraparteCfdi } from '../../riesgo.ts';

const POR_PAGINA = 50;
const MAX = 200;
/** UUIDs that are given of each. */
const UUIDS = 20;

const cursorField = z
  .string({ error: 'debe ser un texto' })
  .regex(/^[A-Za-z0-9_-]{8,200}$/, 'debe ser el siguiente de la página anterior')
  .meta({ description: 'El siguiente de la página anterior; sin él, la primera.', example: 'RUtVOTAwMzE3M0M5IDY5LUI' });

const cursorOf = ({ rfc, lista }: LugarListado) => Buffer.from(`${rfc} ${lista}`).toString('base64url');

/** The place that a cursor names; null for one that nobody gave. */
function lugarOf(cursor: string): LugarListado | null {
  const [, rfc, lista] = /^(\S+) (69[-\w ]*|CSD)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (lista === undefined || !rfcField.safeParse(rfc).success) return null;
  return { rfc: String(rfc), lista };
}

const proveedorData = z
  .object({
    proveedor_rfc: texto('RFC de la contraparte.', 'EKU9003173C9'),
    proveedor_nombre: texto('Su nombre; vacío si el SAT no lo da.', 'ESCUELA KEMPER URGATE'),
    lista: texto('En qué lista está.', '69-B'),
    supuesto: texto('Con qué palabra de la lista.', 'Presunto'),
    adverso,
    publicado_en: fechaField.nullable().meta({ description: 'La fecha de la lista; null si no la da.' }),
    notado_en: instante('Cuándo notó Acuse que está en ella.'),
    cambio_en: instante('Cuándo se avisó de su supuesto por última vez.'),
    cfdi: contraparteCfdi,
  })
  .meta({ id: 'ProveedorListado', description: 'Una contraparte que está en una lista del SAT.' });

export default defineOperation({
  summary: 'Contrapartes que están en una lista del SAT',
  description:
    'Con quién tiene CFDI el RFC, de los que se mantienen al día con sincronizacion/crear, y está hoy en una lista del SAT: en cuál, con qué supuesto, desde cuándo, y los CFDI vigentes con sus pesos. Cuando alguien entra, cambia o sale avisa el webhook proveedor.listado. Sin costo.',
  credential: 'api-key',
  cost: 0,
  rfc: 'propio',
  body: z
    .object({
      rfc: rfcField,
      limite: limiteField(MAX)
        .meta({ description: `Cuántas, a lo más; ${POR_PAGINA} si no se dice.`, example: POR_PAGINA })
        .optional(),
      cursor: cursorField.optional(),
    })
    .meta({ id: 'PeticionProveedores' }),
  data: z.object({ total, items: z.array(proveedorData), siguiente }).meta({ id: 'ListaProveedores' }),
  errors: ['SINCRONIZACION_NO_ENCONTRADA', 'CAMPO_INVALIDO'],

  async handle({ limite = POR_PAGINA, cursor }, { deps, access, error }) {
    const vista = await deps.sincronizaciones.find(access.contribuyenteId, access.apiKey.modo);
    if (vista === null) throw error('SINCRONIZACION_NO_ENCONTRADA');
    const despuesDe = cursor === undefined ? null : lugarOf(cursor);
    if (cursor !== undefined && despuesDe === null)
      throw error('CAMPO_INVALIDO', { campo: 'cursor', motivo: 'debe ser el siguiente de la página anterior' });
    const rows = await deps.riesgo.list({ ...{ almacenId: vista.almacenId, despuesDe }, limite, uuids: UUIDS });
    const last = rows.at(-1);
    return {
      total: rows.length,
      items: rows.map(({ rfc, nombre, lista, supuesto, isAdverso, publicada, desde, cambiadaEn, cfdi }) => ({
        proveedor_rfc: rfc,
        proveedor_nombre: nombre,
        ...{ lista, supuesto, adverso: isAdverso, publicado_en: publicada },
        notado_en: desde.toISOString(),
        cambio_en: cambiadaEn.toISOString(),
        cfdi: { ...cfdi, uuids: [...cfdi.uuids] },
      })),
      siguiente: rows.length < limite || last === undefined ? null : cursorOf(last),
    };
  },
});
