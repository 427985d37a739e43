import { ESTADOS_SOLICITUD, fechaField, solicitudIdField } from '@acuse/contract';
import { isRetrasada } from '@acuse/core';
import { z } from 'zod';
import { confianza, instante, texto } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';

const isoOrNull = (date: Date | null) => date?.toISOString() ?? null;

export default defineOperation({
  summary: 'Avance de una solicitud de descarga',
  description:
    'Estado, avance y próxima consulta al SAT. Puede llamarse tantas veces como se quiera, sin costo.',
  credential: 'api-key',
  cost: 0,
  rfc: 'ninguno',
  body: z.object({ solicitud_id: solicitudIdField }),
  data: z.object({
    solicitud_id: texto('Identificador de la solicitud.', '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f'),
    estado: z.enum(ESTADOS_SOLICITUD).meta({ description: 'Estado de la solicitud.', example: 'EN_PROCESO' }),
    tipo: z.enum(['emitidos', 'recibidos']).meta({ description: 'Qué se pidió.', example: 'recibidos' }),
    desde: fechaField,
    hasta: fechaField,
    registros: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'CFDI encontrados, si se sabe.', example: 1532 }),
    confianza: confianza.nullable(),
    reembolsada: z.boolean().meta({ description: 'Si el crédito se devolvió.', example: false }),
    progreso: z.number().min(0).max(1).meta({ description: 'De 0 a 1.', example: 0.5 }),
    intentos: z.int().min(0).meta({ description: 'Veces que se consultó al SAT.', example: 3 }),
    ultima_consulta: instante('Última consulta al SAT.').nullable(),
    proxima_consulta: instante('Próxima consulta al SAT.').nullable(),
    motivo: z
      .string()
      .nullable()
      .meta({ description: 'Por qué espera o por qué terminó sin paquete.', example: null }),
    retrasada: z.boolean().meta({
      description:
        'Si el SAT lleva más de 72 horas con ella; desde entonces se le consulta pocas veces al día. Puede seguir esperando o cancelarse.',
      example: false,
    }),
    creada_en: instante('Cuándo se aceptó.'),
    terminada_en: instante('Cuándo terminó.').nullable(),
  }),
  errors: ['SOLICITUD_NO_ENCONTRADA'],

  async handle({ solicitud_id }, { deps, pase, now, error }) {
    const solicitud = await deps.solicitudes.find(pase.contribuyenteId, solicitud_id);
    if (solicitud === null) throw error('SOLICITUD_NO_ENCONTRADA');
    const { id, estado, tipo, desde, hasta, registros, progreso, intentos, motivo, creadaEn } = solicitud;
    return {
      solicitud_id: id,
      ...{ estado, tipo, desde, hasta, registros, progreso, intentos },
      ultima_consulta: isoOrNull(solicitud.ultimaConsulta),
      proxima_consulta: isoOrNull(solicitud.proximaConsulta),
      motivo,
      confianza: solicitud.confianza,
      reembolsada: solicitud.isReembolsada,
      retrasada: solicitud.terminadaEn === null && isRetrasada(creadaEn, now),
      creada_en: creadaEn.toISOString(),
      terminada_en: isoOrNull(solicitud.terminadaEn),
    };
  },
});
