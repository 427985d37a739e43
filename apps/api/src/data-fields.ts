import { ESTADOS_CFDI, fechaField, fechaHoraField, parseRfc, rfcField } from '@acuse/contract';
import { z } from 'zod';

/** An RFC in an answer: already normal. */
export const rfcData = z
  .string()
  .refine((rfc) => parseRfc(rfc) === rfc)
  .meta({ description: 'RFC.', example: 'ACU200101AB1' });

/** The body of the operations that ask for nothing but the taxpayer. */
export const soloRfc = z.object({ rfc: rfcField });

/** `rfc`, `desde`, `hasta`, all required. */
export const rfcYPeriodo = z.object({ rfc: rfcField, desde: fechaField, hasta: fechaField });

/** A list (specification, Lists). */
export const listOf = <T extends z.ZodType>(element: T) =>
  z.object({
    total: z.int().min(0).meta({ description: 'Número de elementos.', example: 1 }),
    items: z.array(element),
  });

export const texto = (description: string, example: string) => z.string().meta({ description, example });
export const importe = z.number().meta({ description: 'Importe en pesos.', example: 1160.0 });
export const instante = (description: string) => fechaHoraField.meta({ description });

export const factura = z.object({
  uuid: texto('UUID del CFDI.', '5C8F2B1E-9D34-4A7B-8C60-1F2E3D4C5B6A'),
  emisor_rfc: texto('RFC de quien emitió el CFDI.', 'ACU200101AB1'),
  total: importe,
  fecha: fechaField,
  emisor_nombre: texto('Nombre de quien lo emitió.', 'COMERCIALIZADORA ACUÍFERA').nullable(),
  fecha_emision: texto('Fecha y hora de emisión, del centro de México.', '2026-05-14T10:32:07'),
  tipo_comprobante: texto('Efecto del comprobante, en palabras del SAT.', 'Ingreso').nullable(),
  estado: z.enum(ESTADOS_CFDI).meta({ description: 'Estado del CFDI.', example: 'VIGENTE' }),
});

export const aviso = { asunto: texto('Asunto.', 'Requerimiento de obligaciones'), fecha: fechaField };

/** How sure an answer is. */
export const confianza = z.enum(['confirmado', 'sin_confirmar']).meta({
  description:
    'confirmado: hay renglones, o los dos medios del SAT (servicio web y portal) dijeron que no hay. sin_confirmar: el SAT dijo que no hay y nadie más lo pudo confirmar; a veces lo dice por error, y por eso el crédito se devuelve.',
  example: 'confirmado',
});
