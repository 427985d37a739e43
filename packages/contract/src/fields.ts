import { z } from 'zod';

const FECHA = /^(\d{4})-(\d{2})-(\d{2})$/;

/** True for a `YYYY-MM-DD` that exists in the calendar. */
export function isFecha(value: string): boolean {
  const match = FECHA.exec(value);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** A calendar day of central Mexico, `YYYY-MM-DD`. */
export const fechaField = z
  .string({ error: 'debe ser un texto con formato AAAA-MM-DD' })
  .refine(isFecha, { error: 'debe ser una fecha real con formato AAAA-MM-DD' })
  .meta({
    description: 'Día calendario del centro de México, AAAA-MM-DD.',
    example: '2026-01-31',
    format: 'date',
  });

/** An instant, ISO 8601 in UTC, ending in Z. */
export const fechaHoraField = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/)
  .meta({
    description: 'Instante ISO 8601 en UTC.',
    example: '2026-01-31T18:30:00.000Z',
    format: 'date-time',
  });

/** A fiscal year of four digits. */
export const ejercicioField = z
  .int({ error: 'debe ser un año de 4 dígitos' })
  .min(1000, { error: 'debe ser un año de 4 dígitos' })
  .max(9999, { error: 'debe ser un año de 4 dígitos' })
  .meta({ description: 'Ejercicio fiscal, 4 dígitos.', example: 2025 });

/** A CFDI's UUID, 36 characters with hyphens, in either letter case. */
export const uuidField = z
  .string({ error: 'debe ser un texto' })
  .trim()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, {
    error: 'debe ser un UUID de 36 caracteres con guiones',
  })
  .meta({
    description: 'UUID del CFDI, 36 caracteres con guiones.',
    example: '5C8F2B1E-9D34-4A7B-8C60-1F2E3D4C5B6A',
    format: 'uuid',
  });

/** The id of a solicitud. Anything of up to 64 characters is looked up; what is no UUID is simply not found. */
export const solicitudIdField = z
  .string({ error: 'debe ser un texto' })
  .trim()
  .min(1, { error: 'no puede estar vacío' })
  .max(64, { error: 'debe tener a lo más 64 caracteres' })
  .meta({
    description: 'Identificador de la solicitud.',
    example: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
    format: 'uuid',
  });

export const tipoDescargaField = z
  .enum(['emitidos', 'recibidos'], { error: 'debe ser emitidos o recibidos' })
  .meta({ id: 'TipoDescarga', description: 'Qué CFDI se piden.', example: 'recibidos' });
