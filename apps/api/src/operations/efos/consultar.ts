import { fechaField } from '@acuse/contract';
import { z } from 'zod';
import { advertencias, advertenciasDe, cualquierRfc, instante, rfcData } from '../../data-fields.ts';
import { resumirEfos, SITUACIONES } from '../../efos/resumen.ts';
import { defineOperation } from '../../http/define-operation.ts';

const SIN_LISTA =
  'La lista del artículo 69-B todavía no se ha cargado en esta instalación, así que no se sabe si el RFC está en ella. Se carga sola; intente de nuevo en unos minutos.';

const palabra = z.enum(SITUACIONES).meta({ id: 'SituacionEfos' });
const nullable = (description: string, example: string | null) => z.string().nullable().meta({ description, example });

const paso = z
  .object({
    situacion: palabra.meta({ description: 'Etapa del procedimiento.', example: 'Presunto' }),
    fecha: fechaField
      .nullable()
      .meta({ description: 'Cuándo la publicó el SAT; null si la lista no lo dice.', example: '2024-03-05' }),
    oficio: nullable('Oficio global, como aparece en la lista.', '500-05-2024-1000 de fecha 1 de marzo de 2024'),
    fecha_dof: fechaField
      .nullable()
      .meta({ description: 'Publicación en el Diario Oficial de la Federación.', example: '2024-03-25' }),
  })
  .meta({ id: 'EtapaEfos' });

export default defineOperation({
  summary: 'Listas EFOS y EDOS',
  description:
    'Si un RFC está en la lista del artículo 69-B del Código Fiscal de la Federación (EFOS) o en la de EDOS que importó el operador. Un RFC con varios procedimientos está en EFOS si en alguno es presunto o definitivo. Sin costo.',
  credential: 'api-key',
  cost: 0,
  rfc: 'cualquiera',
  body: cualquierRfc,
  data: z.object({
    rfc: rfcData.meta({ example: 'EKU9003173C9' }),
    en_efos: z.boolean().meta({ description: 'Presunto o definitivo en la lista.', example: true }),
    en_edos: z.boolean().meta({ description: 'En la lista EDOS importada.', example: false }),
    fecha_consulta: instante('Cuándo se consultó.'),
    fecha_corte: fechaField.meta({
      description: 'Corte de la lista 69-B consultada.',
      example: '2026-01-15',
    }),
    situacion: palabra
      .nullable()
      .meta({ description: 'Situación que cuenta hoy; null si no está en la lista.', example: 'Presunto' }),
    historial: z.array(paso),
    edos_fuente: nullable('Lista EDOS que se consultó; null si no hay ninguna.', null),
    advertencias,
  }),
  errors: ['SAT_NO_DISPONIBLE'],
  async handle({ rfc }, { deps, now, error }) {
    const { efos, edos } = await deps.listas.consultar(rfc);
    if (efos === null) throw error('SAT_NO_DISPONIBLE', { motivo: SIN_LISTA });
    const { enEfos, situacion, historial } = resumirEfos(efos.filas);
    return {
      rfc,
      en_efos: enEfos,
      en_edos: edos?.estaListado ?? false,
      fecha_consulta: now.toISOString(),
      fecha_corte: efos.fechaCorte,
      situacion,
      historial,
      edos_fuente: edos?.fuente ?? null,
      advertencias: advertenciasDe(rfc),
    };
  },
});
