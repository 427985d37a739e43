import { rfcField } from '@acuse/contract';
import { itemsOf, limiteDePagina, siguiente, total } from '@acuse/operation';
import { z } from 'zod';
import {
  alcanceDe,
  cfdiData,
  checkFiltro,
  checkTipo,
  cursorCfdi,
  cursorCfdiField,
  datosDeConocido,
  filterFields,
  filtroOf,
  lugarOf,
  reachFields,
} from '../../cfdi.ts';
import { needSincronizacion } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

const POR_PAGINA = 100;
const MAX = 1_000;

export default defineOperation({
  summary: 'CFDI que se conocen del RFC',
  description:
    'Los CFDI que sincronizacion/crear mantiene al día, como se conocen ahora, del emitido más nuevo al más viejo, con los filtros que se manden. Mande siguiente como cursor, con los mismos filtros, hasta que sea null: ningún CFDI se repite ni se salta, aunque entretanto se guarden lecturas. Una página puede traer menos de los pedidos, o ninguno, y tener siguiente: es que se revisó mucho sin que coincidiera. No pregunta al SAT.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'propio',
  body: z
    .object({
      rfc: rfcField,
      ...filterFields,
      limite: limiteDePagina(MAX, POR_PAGINA),
      cursor: cursorCfdiField.optional(),
    })
    .meta({ id: 'PeticionConsultarCfdi' }),
  data: z.object({ total, items: itemsOf(cfdiData), siguiente, ...reachFields }).meta({ id: 'ListaCfdi' }),
  errors: ['SINCRONIZACION_NO_ENCONTRADA', 'CAMPO_INVALIDO'],
  check: checkFiltro,

  async handle({ limite = POR_PAGINA, cursor, rfc: _, ...cuerpo }, { deps, access, error }) {
    const vista = await needSincronizacion({ deps, access }, error);
    const wrong = checkTipo(cuerpo, vista);
    if (wrong !== null) throw error('CAMPO_INVALIDO', { ...wrong });
    const despuesDe = cursor === undefined ? null : lugarOf(vista, cuerpo, cursor);
    if (cursor !== undefined && despuesDe === null) {
      const motivo =
        'es de otros filtros, o de una sincronización que ya se borró: repita los filtros o empiece sin cursor';
      throw error('CAMPO_INVALIDO', { campo: 'cursor', motivo });
    }
    const pedido = { almacenId: vista.almacenId, filtro: filtroOf(cuerpo, vista), despuesDe, limite };
    const pagina = await deps.almacenes.page(pedido);
    return {
      total: pagina.filas.length,
      items: pagina.filas.map(datosDeConocido),
      siguiente: pagina.siguiente && cursorCfdi(vista, cuerpo, pagina.siguiente),
      ...alcanceDe(vista),
    };
  },
});
