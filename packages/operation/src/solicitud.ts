import {
  type CfdiError,
  contenidoField,
  type DatosError,
  fechaField,
  formatoField,
  tipoDescargaField,
} from '@acuse/contract';
import type { MotivoFaltante, VistaSolicitud } from '@acuse/core';
import { z } from 'zod';
import { confianza, desde, estadoSolicitud, instante, modoField, reembolsada, solicitudIdData } from './fields.ts';
import { filtrosData } from './filtros.ts';

/** How many counterparties of a package stand on a list of the SAT. */
export const contrapartesListadas = z
  .object({
    total: z.int().min(0).meta({ description: 'RFC del paquete que están en alguna lista.', example: 2 }),
    adversas: z
      .int()
      .min(0)
      .meta({ description: 'De ellos, por algo que habla en su contra (adverso en riesgo/paquete).', example: 1 }),
  })
  .meta({ id: 'ContrapartesListadas', description: 'Contrapartes de un paquete que están en una lista del SAT.' });

/** Counterparties of the package of a solicitud. */
export const contrapartesDeSolicitud = contrapartesListadas.nullable().meta({
  description:
    'Contrapartes del paquete que estaban en una lista del SAT al armarlo; quiénes, en riesgo/paquete. null si no ha terminado con paquete o no se cruzó.',
  example: null,
});

const faltantes = (description: string) => z.int().min(1).optional().meta({ description });
const conteo = (description: string, example: number) => z.int().min(0).meta({ description, example });

/** Counts of a package with XML. */
export const conteoXml = z
  .object({
    esperados: conteo('CFDI de la metadata. Siempre son los entregados más los faltantes.', 1532),
    entregados: conteo('Los que traen su XML en el ZIP.', 1530),
    faltantes: conteo('Los que no; faltantes.csv los nombra.', 2),
    por_motivo: z
      .object({
        CANCELADO_RECIBIDO: faltantes('El SAT no entrega el XML de los recibidos cancelados.'),
        NO_ENTREGADO_POR_EL_SAT: faltantes('El SAT no los entregó; pida de nuevo el periodo más adelante.'),
        CUOTA_DEL_DIA: faltantes(
          'El portal del SAT ya no dio más XML en el plazo; guarde la e.firma, que no tiene esa cuota.',
        ),
        XML_ILEGIBLE: faltantes('El archivo que dio el SAT no es un CFDI; está en apartados.'),
      } satisfies Record<MotivoFaltante, unknown>)
      .meta({
        description: 'Los faltantes por su motivo; los motivos sin ninguno no vienen.',
        example: { CANCELADO_RECIBIDO: 2 },
      }),
    sin_metadata: conteo('XML en el ZIP que la metadata no nombra; sin-metadata.csv los nombra.', 0),
  })
  .meta({ id: 'ConteoXml', description: 'Cuántos CFDI se esperaban, cuántos vienen y cuántos faltan.' });

/** Counts of the package of a solicitud. */
export const conteoDeSolicitud = conteoXml.nullable().meta({
  description: 'Los CFDI del paquete; null si se pidió metadata o no ha terminado con paquete.',
  example: null,
});

/** A solicitud and how far it is. */
export const solicitudData = z
  .object({
    solicitud_id: solicitudIdData,
    modo: modoField,
    estado: estadoSolicitud.meta({ example: 'EN_PROCESO' }),
    tipo: tipoDescargaField.meta({ description: 'Qué se pidió.' }),
    desde,
    hasta: fechaField,
    formato: formatoField,
    filtros: filtrosData
      .nullable()
      .meta({ description: 'Con qué se acotó; null si se pidieron todos.', example: null }),
    contenido: contenidoField.meta({ description: 'Qué se entrega.', example: 'metadata' }),
    tablas: z.boolean().meta({ description: 'Si el ZIP trae las tablas de los XML.', example: false }),
    xml: conteoDeSolicitud,
    completo_hacia: instante(
      'Cuándo se espera tener todos los XML, si el portal del SAT ya dio los de hoy; null en otro caso.',
    )
      .nullable()
      .meta({ example: null }),
    registros: z.int().min(0).nullable().meta({ description: 'CFDI encontrados, si se sabe.', example: 1532 }),
    confianza: confianza
      .nullable()
      .meta({ description: 'Qué tan seguro es lo que se encontró; null mientras no termina.', example: null }),
    contrapartes_listadas: contrapartesDeSolicitud,
    reembolsada,
    progreso: z.number().min(0).max(1).meta({ description: 'De 0 a 1.', example: 0.5 }),
    intentos: z.int().min(0).meta({ description: 'Veces que se consultó al SAT.', example: 3 }),
    ultima_consulta: instante('Última consulta al SAT.').meta({ example: '2026-02-01T18:40:00.000Z' }).nullable(),
    proxima_consulta: instante('Próxima consulta al SAT.').meta({ example: '2026-02-01T18:50:00.000Z' }).nullable(),
    motivo: z.string().nullable().meta({ description: 'Por qué espera o por qué terminó sin paquete.', example: null }),
    retrasada: z.boolean().meta({
      description:
        'Si el SAT lleva más de 72 horas con ella; desde entonces se le consulta pocas veces al día. Puede seguir esperando o cancelarse.',
      example: false,
    }),
    creada_en: instante('Cuándo se aceptó.').meta({ example: '2026-02-01T18:30:00.000Z' }),
    terminada_en: instante('Cuándo terminó.').nullable().meta({ example: null }),
  })
  .meta({ id: 'Solicitud', description: 'Una solicitud de descarga y su avance.' });

const SHORTEST_SECONDS = 5;
const LONGEST_SECONDS = 3_600;
/** Nothing happens before a person stores the key again. */
const SIN_EFIRMA_SECONDS = 300;

/** Seconds after which it is worth asking again: until the next look at the SAT, within bounds. */
function esperaDe({ estado, proximaConsulta }: VistaSolicitud, now: Date): number {
  if (estado === 'ESPERA_EFIRMA') return SIN_EFIRMA_SECONDS;
  const seconds = Math.ceil(((proximaConsulta ?? now).getTime() - now.getTime()) / 1_000);
  return Math.min(Math.max(seconds, SHORTEST_SECONDS), LONGEST_SECONDS);
}

type Falta = (nombre: 'SOLICITUD_SIN_TERMINAR' | 'SOLICITUD_SIN_PAQUETE', datos?: DatosError) => CfdiError;

/** The package of a solicitud that ended with one, even if deleted since; throws the error for any other state. */
export function needPaquete(solicitud: VistaSolicitud, now: Date, error: Falta) {
  const { estado, motivo, objectKey, bytes, sha256 } = solicitud;
  if (estado === 'EN_PROCESO' || estado === 'ESPERA_EFIRMA')
    throw error('SOLICITUD_SIN_TERMINAR', { reintentar_en: esperaDe(solicitud, now) });
  if (estado !== 'TERMINADA' || objectKey === null || bytes === null || sha256 === null)
    throw error('SOLICITUD_SIN_PAQUETE', motivo === null ? {} : { motivo });
  return { objectKey, bytes, sha256 };
}
