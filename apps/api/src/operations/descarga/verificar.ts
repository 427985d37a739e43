import { datosDeSolicitud, type Estimacion, estimacionDe } from '@acuse/core';
import { solicitudData, soloSolicitud } from '@acuse/operation';
import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

const minutos = (description: string, example: number) => z.int().min(0).meta({ description, example });

export const estimacion = z
  .object({
    desde_minutos: minutos('De cada diez descargas como esta, ocho tardaron de esto…', 40),
    hasta_minutos: minutos('… a esto, desde que se pidieron al SAT.', 90),
    texto: z.string().meta({
      description: 'Lo mismo, en palabras.',
      example:
        'El SAT suele tener listas las descargas como esta pedidas a esa hora de 40 a 90 minutos después de pedírselas.',
    }),
    muestras: z
      .int()
      .min(1)
      .meta({ description: 'Descargas en las que se basa, al menos: 20, 50, 100, 200…', example: 200 }),
  })
  .meta({
    id: 'Estimacion',
    description: 'Cuánto tarda el SAT con descargas del mismo tipo y por el mismo canal, de todas las cuentas juntas.',
  })
  .nullable()
  .meta({
    description:
      'Cuánto tarda el SAT con descargas del mismo tipo y por el mismo canal, pedidas a esa hora en las últimas cuatro semanas, de todas las cuentas juntas. null si la solicitud ya no está EN_PROCESO o si son muy pocas para decirlo.',
    example: null,
  });

/** An estimate as the interface has it. */
export const datosDeEstimacion = (estimada: Estimacion | null) =>
  estimada && {
    desde_minutos: estimada.desdeMinutos,
    hasta_minutos: estimada.hastaMinutos,
    texto: estimada.texto,
    muestras: estimada.muestras,
  };

export default defineOperation({
  summary: 'Avance de una solicitud de descarga',
  description:
    'Estado, avance y próxima consulta al SAT, y cuánto suele tardar. Puede llamarse tantas veces como se quiera, sin costo.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'ninguno',
  body: soloSolicitud,
  data: solicitudData
    .extend({ estimacion })
    .meta({ id: 'SolicitudVerificada', description: 'Una solicitud de descarga, su avance y cuánto suele tardar.' }),
  errors: ['SOLICITUD_NO_ENCONTRADA'],

  async handle({ solicitud_id }, { deps, access, now, error }) {
    const solicitud = await deps.solicitudes.find(access.contribuyenteId, solicitud_id, access.apiKey.modo);
    if (solicitud === null) throw error('SOLICITUD_NO_ENCONTRADA');
    const esperas = solicitud.estado === 'EN_PROCESO' ? (deps.salud.latest()?.esperas ?? []) : [];
    const estimada = estimacionDe(esperas, solicitud, { cuentas: deps.settings.cuentasMinimas });
    return {
      ...datosDeSolicitud(solicitud, now),
      estimacion: datosDeEstimacion(estimada),
    };
  },
});
