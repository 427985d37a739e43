import { rfcField, uuidField } from '@acuse/contract';
import { advertencias, advertenciasDe, estadoCfdi, importe, texto } from '@acuse/operation';
import { z } from 'zod';
import { askSat } from '../../consultas/ask-sat.ts';
import { defineOperation } from '../../operation.ts';

/** Beyond this a JSON number no longer holds six decimals. */
const MAX_TOTAL = 1_000_000_000;

export default defineOperation({
  summary: 'Estado de un CFDI ante el SAT',
  description: 'Consulta un CFDI por emisor, receptor, UUID y total. Si el SAT no lo encuentra, no se cobra.',
  credential: 'api-key',
  effect: 'asks',
  cost: 1,
  rfc: 'ninguno',
  body: z.object({
    rfc_emisor: rfcField.meta({ description: 'RFC de quien emitió el CFDI.', example: 'EKU9003173C9' }),
    rfc_receptor: rfcField.meta({ description: 'RFC de quien lo recibió.', example: 'XIQB891116QE4' }),
    uuid: uuidField,
    total: z
      .number({ error: 'debe ser un número' })
      .min(0, { error: 'no puede ser negativo' })
      .max(MAX_TOTAL, { error: 'es demasiado grande' })
      .refine((total) => Number(total.toFixed(6)) === total, { error: 'admite hasta 6 decimales' })
      .meta({ description: 'Total del CFDI.', example: 1160.0 }),
  }),
  data: z.object({
    uuid: uuidField,
    estado: estadoCfdi,
    total: importe,
    es_cancelable: texto('Si se puede cancelar, en palabras del SAT.', 'Cancelable con aceptación').nullable(),
    estado_cancelacion: z
      .string()
      .nullable()
      .meta({ description: 'Cómo va o fue su cancelación, en palabras del SAT.', example: null }),
    validacion_efos: texto(
      'Validación EFOS del SAT: de 100 a 104, alguno está en la lista del artículo 69-B; 200 y 201, ninguno.',
      '200',
    ).nullable(),
    advertencias,
  }),
  asks: ['consultar-cfdi'],
  errors: ['CFDI_NO_ENCONTRADO', 'SAT_NO_DISPONIBLE'],

  async handle({ rfc_emisor, rfc_receptor, uuid, total }, contexto) {
    const consulta = { emisorRfc: rfc_emisor, receptorRfc: rfc_receptor, uuid, total };
    const respuesta = await askSat(contexto, { consulta: 'consultar-cfdi', ...consulta }, null);
    const avisos = advertenciasDe(...new Set([rfc_emisor, rfc_receptor]));
    if (respuesta.resultado === 'NO_ENCONTRADO') {
      throw contexto.error('CFDI_NO_ENCONTRADO', avisos.length === 0 ? {} : { motivo: avisos.join(' ') });
    }
    return {
      uuid,
      estado: respuesta.estado,
      total,
      es_cancelable: respuesta.esCancelable,
      estado_cancelacion: respuesta.estatusCancelacion,
      validacion_efos: respuesta.validacionEfos,
      advertencias: avisos,
    };
  },
});
