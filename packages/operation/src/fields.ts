import {
  type CampoErroneo,
  ESTADOS_CFDI,
  ejercicioField,
  estadoSolicitudField,
  fechaField,
  fechaHoraField,
  hasCheckDigit,
  limiteField,
  OPINIONES,
  parseRfc,
  RFC_PATTERN,
  rfcField,
  solicitudIdField,
} from '@acuse/contract';
import { type Advertencia, addDays, CANALES_CON_ESTADO, calendarDay } from '@acuse/core';
import { ADVERTENCIAS } from '@acuse/vault';
import { z } from 'zod';

/** An RFC in an answer: already normal. */
export const rfcData = z
  .string()
  .refine((rfc) => parseRfc(rfc) === rfc)
  .meta({ description: 'RFC.', example: 'ACU200101DB1', pattern: RFC_PATTERN });

/** An RFC as the SAT wrote it. */
export const rfcDelSat = (description: string, example: string) =>
  texto(description, example).meta({ pattern: RFC_PATTERN });

/** How many elements a page of a list that was asked of the SAT may have. */
export const MAX_LIMITE = 500;

/** Page size, up to `max`; `normal` when the caller names none. */
export const limiteDePagina = (max: number, normal: number) =>
  limiteField(max)
    .meta({ description: `Cuántos elementos por página, a lo más; ${normal} si no se dice.`, example: normal })
    .optional();

/** With these a list is given page by page; without them all at once. */
export const camposDePagina = {
  limite: limiteField(MAX_LIMITE)
    .meta({
      description: `Cuántos elementos, a lo más, por página. Sin él llega la lista entera; con cursor y sin él, ${MAX_LIMITE}.`,
      example: 100,
    })
    .optional(),
  cursor: z
    .string({ error: 'debe ser un texto' })
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9]{1,7}$/, 'debe ser el siguiente de la página anterior')
    .meta({
      description:
        'El siguiente de la página anterior, con los mismos campos que en la primera. Contesta de la lista que obtuvo la primera, guardada cifrada 24 horas: no pregunta al SAT, no cuesta y no cambia entre páginas.',
      example: '01936f5e-7c3a-4b1e-8f00-2a4b6c8d0e1f.100',
    })
    .optional(),
};

export const desde = fechaField.meta({ example: '2026-01-01' });

/** The body of the operations that ask for nothing but the taxpayer. */
export const soloRfc = z.object({ rfc: rfcField }).meta({ id: 'PeticionRfc' });

/** The body of the operations that accept any RFC. */
export const cualquierRfc = z
  .object({ rfc: rfcField.meta({ example: 'EKU9003173C9' }) })
  .meta({ id: 'PeticionCualquierRfc' });

/** `rfc`, `desde`, `hasta`, all required, and the fields of a page. */
export const rfcYPeriodo = z
  .object({ rfc: rfcField, desde, hasta: fechaField, ...camposDePagina })
  .meta({ id: 'PeticionPeriodo' });

/** `rfc`, `ejercicio`, and the fields of a page. */
export const rfcYEjercicio = z
  .object({ rfc: rfcField, ejercicio: ejercicioField, ...camposDePagina })
  .meta({ id: 'PeticionEjercicio' });

/** The body of the operations on one solicitud. */
export const soloSolicitud = z.object({ solicitud_id: solicitudIdField }).meta({ id: 'PeticionSolicitud' });

/** How sure an answer is. */
export const confianza = z.enum(['confirmado', 'sin_confirmar']).meta({
  id: 'Confianza',
  description:
    'confirmado: hay renglones, o el SAT dijo por dos caminos que no hay (una descarga: por el servicio web y por el portal; una lista: con la CIEC y con la e.firma). sin_confirmar: el SAT dijo que no hay y nadie más lo pudo confirmar; a veces lo dice por error, y por eso el crédito se devuelve.',
  example: 'confirmado',
});

export const reembolsada = z.boolean().meta({ description: 'Si el crédito se devolvió.', example: false });

export const modoField = z.enum(['live', 'test']).meta({
  id: 'Modo',
  description: 'A quién se pidió: live, al SAT; test, a un simulador en su lugar.',
  example: 'live',
});

export const canalSat = z
  .enum(CANALES_CON_ESTADO, { error: `debe ser uno de estos textos: ${CANALES_CON_ESTADO.join(', ')}` })
  .meta({
    id: 'CanalSat',
    description:
      'Por dónde contestó el SAT. soap: el servicio web de descarga masiva; portal: los portales, con la credencial guardada; publico: lo que el SAT muestra a cualquiera.',
    example: 'portal',
  });
export const canalDeDescarga = canalSat.extract(['soap', 'portal']).meta({
  id: 'CanalDeDescarga',
  description: 'soap: el servicio web de descarga masiva; portal: los portales del SAT.',
  example: 'portal',
});

export const tipoCredencial = z.enum(['ciec', 'efirma']).meta({
  id: 'TipoCredencial',
  description: 'Credencial del contribuyente: ciec, su contraseña del SAT; efirma, su e.firma.',
  example: 'efirma',
});

/** By which way an answer was obtained. */
export const camino = {
  canal: canalSat,
  credencial: tipoCredencial
    .nullable()
    .meta({ description: 'Con qué credencial contestó; null si no hizo falta ninguna.', example: 'efirma' }),
};

/** How the next page of a list is asked for. */
export const siguiente = z
  .string()
  .nullable()
  .meta({ description: 'El cursor de la página que sigue; null en la última.', example: null });

/** The elements of a page. */
export const itemsOf = <T extends z.ZodType>(element: T) =>
  z.array(element).meta({ description: 'Los elementos, en su orden.' });

/** A list (specification, Lists), under the name that the interface's description gives it. */
export const listOf = <T extends z.ZodType>(id: string, element: T) =>
  z
    .object({
      total: z.int().min(0).meta({ description: 'Número de elementos de la lista entera.', example: 1 }),
      items: itemsOf(element),
      siguiente,
      confianza,
      reembolsada,
      ...camino,
    })
    .meta({ id });

/** How many elements a page of our own rows has. */
export const total = z.int().min(0).meta({ description: 'Número de elementos de esta página.', example: 1 });
export const texto = (description: string, example: string) => z.string().meta({ description, example });
export const importe = z.number().meta({ description: 'Importe en la moneda del CFDI.', example: 1160.0 });
/** An amount with all its decimals, as text. */
export const importeTexto = z.string().meta({
  id: 'Importe',
  description: 'Importe decimal, en texto: así conserva todos sus decimales.',
  example: '1160.00',
  pattern: '^-?\\d+(\\.\\d+)?$',
});
/** A time by a wall clock, without its zone. */
export const horaLocal = (description: string) =>
  texto(description, '2026-01-31T10:32:07').meta({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$' });
export const instante = (description: string) => fechaHoraField.meta({ description });
export const uuidData = (description: string) =>
  z.string().meta({ description, example: '5C8F2B1E-9D34-4A7B-8C60-1F2E3D4C5B6A', format: 'uuid' });
export const solicitudIdData = z.string().meta({
  description: 'Identificador de la solicitud.',
  example: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  format: 'uuid',
});

export const advertencias = z
  .array(z.string())
  .meta({ description: 'Lo que conviene revisar de la petición; vacía si no hay nada.', example: [] });

/**
 * A line for every RFC whose check digit is not the SAT's: who mistyped one would else take another's answer for it.
 */
export const advertenciasDe = (...rfcs: readonly string[]): string[] =>
  rfcs
    .filter((rfc) => !hasCheckDigit(rfc))
    .map(
      (rfc) => `El dígito verificador de ${rfc} no corresponde: puede estar mal escrito. Se consultó tal como llegó.`,
    );

export const estadoSolicitud = estadoSolicitudField.meta({
  id: 'EstadoSolicitud',
  description: 'Estado de la solicitud.',
});

export const estadoCfdi = z
  .enum(ESTADOS_CFDI)
  .meta({ id: 'EstadoCfdi', description: 'Estado del CFDI.', example: 'VIGENTE' });
export const opinion = z.enum(OPINIONES).meta({ id: 'Opinion', description: 'Opinión.', example: 'POSITIVO' });

/** By the clock of the document, as annex 20 has it: that of where it was issued, which near the borders is another. */
export const fechaEmision = horaLocal(
  'Cuándo se emitió, con el reloj del comprobante: la hora local de donde se expidió, sin zona.',
);
export const diaDeEmision = fechaField.meta({
  description: 'El día de fecha_emision, AAAA-MM-DD.',
  example: '2026-01-31',
  format: 'date',
});

/** Invoices, by CIEC and by e.firma alike. */
export const listaFacturas = listOf(
  'ListaFacturas',
  z
    .object({
      uuid: uuidData('UUID del CFDI.'),
      emisor_rfc: rfcDelSat('RFC de quien emitió el CFDI.', 'ACU200101DB1'),
      total: importe,
      fecha: diaDeEmision,
      emisor_nombre: texto('Nombre de quien lo emitió.', 'COMERCIALIZADORA ACUÍFERA').nullable(),
      fecha_emision: fechaEmision,
      tipo_comprobante: texto('Efecto del comprobante, en palabras del SAT.', 'Ingreso').nullable(),
      estado: estadoCfdi,
    })
    .meta({ id: 'Factura', description: 'Un CFDI recibido.' }),
);

export const aviso = { asunto: texto('Asunto.', 'Requerimiento de obligaciones'), fecha: fechaField };

const HOUR_MS = 3_600_000;
const YEARS_BACK = 6;

/** The days a period may lie in, and the count of hours since 1970 of the hour in which that holds. */
interface Ventana {
  readonly hora: number;
  readonly hoy: string;
  readonly primero: string;
}

let ultima: Ventana | null = null;

/** Kept for an hour of the clock, within which no day of central Mexico ends: every request asks for it. */
function ventana(now: Date): Ventana {
  const hora = Math.floor(now.getTime() / HOUR_MS);
  if (ultima?.hora === hora) return ultima;
  const hoy = calendarDay(now);
  ultima = { hora, hoy, primero: seisAniosAntes(hoy) };
  return ultima;
}

/** The first day that the SAT still gives. */
export const primerDiaDelSat = (now: Date): string => ventana(now).primero;

/** The same day six years earlier; 28 February for a 29th that does not exist then. */
function seisAniosAntes(fecha: string): string {
  const year = String(Number(fecha.slice(0, 4)) - YEARS_BACK);
  const moved = `${year}${fecha.slice(4)}`;
  return addDays(moved, 0) === moved ? moved : `${year}-02-28`;
}

/** The rules of a period: `desde` <= `hasta` <= today, and not more than six years back. Null when it keeps them. */
export function checkPeriodo({ desde, hasta }: { desde: string; hasta: string }, now: Date): CampoErroneo | null {
  const { hoy, primero } = ventana(now);
  if (hasta > hoy) return { campo: 'hasta', motivo: `no puede ser posterior a hoy (${hoy}, centro de México)` };
  if (desde > hasta) return { campo: 'desde', motivo: 'no puede ser posterior a hasta' };
  if (desde < primero) {
    return { campo: 'desde', motivo: `no puede ser anterior a ${primero}: el SAT da a lo más ${YEARS_BACK} años` };
  }
  return null;
}

/** The rules of a fiscal year: begun, and not more than `back` years before this one. Null when it keeps them. */
export function checkEjercicio(ejercicio: number, back: number, now: Date): CampoErroneo | null {
  const actual = Number(ventana(now).hoy.slice(0, 4));
  if (ejercicio > actual) return { campo: 'ejercicio', motivo: `no puede ser posterior a ${actual}` };
  if (ejercicio >= actual - back) return null;
  return {
    campo: 'ejercicio',
    motivo: `no puede ser anterior a ${actual - back}: es lo más antiguo que el SAT da completo`,
  };
}

const CODIGOS = Object.keys(ADVERTENCIAS) as [Advertencia, ...Advertencia[]];

/** What may go wrong with a certificate, in the answers of `vault/firma-registrar` and `vault/firma-estado`. */
export const advertenciasData = z
  .array(
    z.object({
      codigo: z
        .enum(CODIGOS)
        .meta({ id: 'CodigoAdvertencia', description: 'Qué es; no cambia.', example: 'AUTORIDAD_AC5' }),
      texto: z.string().meta({ description: 'Qué pasa y qué hacer.', example: ADVERTENCIAS.AUTORIDAD_AC5 }),
    }),
  )
  .meta({
    description:
      'Lo que puede fallar con el certificado aunque se haya aceptado; vacío si nada. TEXTO_MAL_FORMADO: el servicio web del SAT lo rechaza (305) y sus portales no, que se usan primero si la CIEC está guardada. AUTORIDAD_AC5: su autoridad termina el 3 de mayo de 2027.',
    example: [],
  });

/** Codes as an answer shows them. */
export const explain = (codigos: readonly Advertencia[]) =>
  codigos.map((codigo) => ({ codigo, texto: ADVERTENCIAS[codigo] }));
