import { fechaField, tipoDescargaField, uuidField } from '@acuse/contract';
import { datosDeSolicitud } from '@acuse/core';
import { estadoSolicitud, itemsOf, limiteDePagina, siguiente, solicitudData, total } from '@acuse/operation';
import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

const POR_PAGINA = 50;

export default defineOperation({
  summary: 'Solicitudes de descarga del RFC',
  description:
    'Lista las solicitudes del RFC de la API key, también las que se pidieron en el panel o con otra API key del mismo RFC, de la más nueva a la más vieja. Una página a la vez: mande siguiente como cursor para la que sigue; lo que se acepte mientras tanto no mueve las páginas.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'ninguno',
  body: z
    .object({
      estado: estadoSolicitud
        .meta({ description: 'Solo las que están en este estado.', example: 'TERMINADA' })
        .optional(),
      tipo: tipoDescargaField.meta({ description: 'Solo las de este tipo.' }).optional(),
      desde: fechaField
        .meta({ description: 'Solo aquellas cuyo periodo llega a este día o después.', example: '2026-01-01' })
        .optional(),
      hasta: fechaField
        .meta({ description: 'Solo aquellas cuyo periodo empieza este día o antes.', example: '2026-12-31' })
        .optional(),
      limite: limiteDePagina(200, POR_PAGINA),
      cursor: uuidField
        .meta({ description: 'El siguiente de la página anterior.', example: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f' })
        .optional(),
    })
    .meta({ id: 'PeticionListar' }),
  data: z.object({ total, items: itemsOf(solicitudData), siguiente }).meta({ id: 'ListaSolicitudes' }),
  errors: [],

  check: ({ desde, hasta }) =>
    desde !== undefined && hasta !== undefined && desde > hasta
      ? { campo: 'desde', motivo: 'no puede ser posterior a hasta' }
      : null,

  async handle({ limite = POR_PAGINA, cursor, ...filtro }, { deps, access, now }) {
    const { contribuyenteId, apiKey } = access;
    const pagina = { antesDe: cursor, limite };
    const { vistas, hayMas } = await deps.solicitudes.list(contribuyenteId, filtro, pagina, apiKey.modo);
    return {
      total: vistas.length,
      items: vistas.map((vista) => datosDeSolicitud(vista, now)),
      siguiente: (hayMas && vistas.at(-1)?.id) || null,
    };
  },
});
