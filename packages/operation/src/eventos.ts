import type { EventoWebhook } from '@acuse/contract';
import { z } from 'zod';
import { canalDeDescarga, instante, modoField, rfcData, tipoCredencial } from './fields.ts';
import { solicitudData } from './solicitud.ts';

/** An event: its data, and the values of its example that differ from those of each field. */
export interface Evento {
  readonly datos: z.ZodObject;
  readonly ejemplo?: object;
}

export type Eventos = Readonly<Partial<Record<EventoWebhook | 'prueba', Evento>>>;

/** Fields of an event about one taxpayer. */
export const deRfc = { rfc: rfcData.meta({ description: 'De qué RFC es.' }), modo: modoField };

/** Field with a count of at least 0. */
export const cuantos = (description: string, example: number) => z.int().min(0).meta({ description, example });

/** The data of an event. Each holds the mark of an example, which a receiver must not take for what happened. */
export const datosDeEvento = (id: string, fields: z.ZodRawShape) =>
  z
    .strictObject({
      ...fields,
      ejemplo: z
        .literal(true)
        .optional()
        .meta({ description: 'Solo en un ejemplo pedido con webhooks/probar: nada de esto pasó. No lo procese.' }),
    })
    .meta({ id, description: 'Qué pasó.' });

const solicitud = datosDeEvento('DatosEventoSolicitud', { rfc: deRfc.rfc, ...solicitudData.shape });
const TERMINO = { progreso: 1, proxima_consulta: null, terminada_en: '2026-02-01T18:40:00.000Z' };
const ESPERA = 'La llave de la e.firma caducó antes de que el SAT terminara: guárdela otra vez.';

/** Events of the core. */
export const EVENTOS_DEL_NUCLEO: Eventos = {
  'solicitud.terminada': {
    datos: solicitud,
    ejemplo: {
      ...TERMINO,
      estado: 'TERMINADA',
      confianza: 'confirmado',
      contrapartes_listadas: { total: 2, adversas: 1 },
    },
  },
  'solicitud.fallida': {
    datos: solicitud,
    ejemplo: { ...TERMINO, estado: 'RECHAZADA', registros: null, reembolsada: true, motivo: 'El SAT la rechazó.' },
  },
  'solicitud.espera_efirma': {
    datos: solicitud,
    ejemplo: { estado: 'ESPERA_EFIRMA', proxima_consulta: null, motivo: ESPERA },
  },
  'credencial.por_vencer': {
    datos: datosDeEvento('DatosCredencialPorVencer', {
      ...deRfc,
      credencial: tipoCredencial,
      vence_en: instante('Cuándo vence.'),
    }),
  },
  'credencial.rechazada': {
    datos: datosDeEvento('DatosCredencialRechazada', {
      ...deRfc,
      credencial: tipoCredencial,
      canal: canalDeDescarga.meta({ description: 'Por dónde la rechazó.' }),
    }),
  },
  'saldo.bajo': {
    datos: datosDeEvento('DatosSaldoBajo', {
      saldo: z.int().meta({ description: 'Créditos que quedan.', example: 3 }),
      umbral: cuantos('Créditos desde los que se avisa.', 5),
    }),
  },
  'llave.por_rotar': {
    datos: datosDeEvento('DatosLlavePorRotar', {
      ...deRfc,
      creada_en: instante('Cuándo se creó.'),
      rotar_antes_de: instante('Cuándo cumple 90 días.').meta({ example: '2026-05-01T18:30:00.000Z' }),
    }),
  },
};
