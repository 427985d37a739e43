import { fechaField, formatoField, tipoDescargaField } from '@acuse/contract';
import { datosDeSolicitud } from '@acuse/core';
import { z } from 'zod';
import { confianza, estadoSolicitud, instante, reembolsada, solicitudIdData, soloSolicitud } from '../../fields.ts';
import { defineOperation } from '../../http/operation.ts';

export default defineOperation({
  summary: 'Avance de una solicitud de descarga',
  description: 'Estado, avance y próxima consulta al SAT. Puede llamarse tantas veces como se quiera, sin costo.',
  credential: 'api-key',
  cost: 0,
  rfc: 'ninguno',
  body: soloSolicitud,
  data: z
    .object({
      solicitud_id: solicitudIdData,
      estado: estadoSolicitud.meta({ example: 'EN_PROCESO' }),
      tipo: tipoDescargaField.meta({ description: 'Qué se pidió.' }),
      desde: fechaField.meta({ example: '2026-01-01' }),
      hasta: fechaField,
      formato: formatoField,
      registros: z.int().min(0).nullable().meta({ description: 'CFDI encontrados, si se sabe.', example: 1532 }),
      confianza: confianza.nullable().meta({ example: null }),
      reembolsada,
      progreso: z.number().min(0).max(1).meta({ description: 'De 0 a 1.', example: 0.5 }),
      intentos: z.int().min(0).meta({ description: 'Veces que se consultó al SAT.', example: 3 }),
      ultima_consulta: instante('Última consulta al SAT.').meta({ example: '2026-02-01T18:40:00.000Z' }).nullable(),
      proxima_consulta: instante('Próxima consulta al SAT.').meta({ example: '2026-02-01T18:50:00.000Z' }).nullable(),
      motivo: z
        .string()
        .nullable()
        .meta({ description: 'Por qué espera o por qué terminó sin paquete.', example: null }),
      retrasada: z
        .boolean()
        .meta({
          description:
            'Si el SAT lleva más de 72 horas con ella; desde entonces se le consulta pocas veces al día. Puede seguir esperando o cancelarse.',
          example: false,
        }),
      creada_en: instante('Cuándo se aceptó.').meta({ example: '2026-02-01T18:30:00.000Z' }),
      terminada_en: instante('Cuándo terminó.').nullable().meta({ example: null }),
    })
    .meta({ id: 'Solicitud', description: 'Una solicitud de descarga y su avance.' }),
  errors: ['SOLICITUD_NO_ENCONTRADA'],

  async handle({ solicitud_id }, { deps, access, now, error }) {
    const solicitud = await deps.solicitudes.find(access.contribuyenteId, solicitud_id);
    if (solicitud === null) throw error('SOLICITUD_NO_ENCONTRADA');
    return datosDeSolicitud(solicitud, now);
  },
});
