import { z } from 'zod';

/** States of a solicitud as callers see them (`EN_PROCESO` is the specification's word, the others are ours). */
export const ESTADOS_SOLICITUD = [
  'EN_PROCESO',
  'ESPERA_EFIRMA',
  'TERMINADA',
  'ERROR',
  'RECHAZADA',
  'VENCIDA',
  'CANCELADA',
] as const;
export type EstadoSolicitud = (typeof ESTADOS_SOLICITUD)[number];

/** States in which a solicitud is still being worked on. */
export const ESTADOS_ABIERTOS = ['EN_PROCESO', 'ESPERA_EFIRMA'] as const satisfies readonly EstadoSolicitud[];

/** Events of webhooks: when each is sent, in Spanish for people and in English for the guide. */
export const EVENTOS = {
  'solicitud.terminada': ['Una solicitud terminó y su paquete está listo', 'the package of a request is ready'],
  'solicitud.fallida': [
    'Una solicitud terminó sin paquete y su crédito se devolvió; no si se canceló',
    'it ended without a package, refunded; not if you cancelled it',
  ],
  'solicitud.espera_efirma': [
    'Una solicitud espera a que se guarde otra vez la llave de la e.firma',
    'it waits for the key of the e.firma again',
  ],
  'credencial.por_vencer': [
    'Un certificado vence en 30 días, y otra vez a los 7',
    'a certificate ends in 30 or 7 days',
  ],
  'credencial.rechazada': ['El SAT rechazó una credencial guardada', 'the SAT refused a credential'],
  'saldo.bajo': [
    'Quedan menos créditos que los del aviso de saldo; otra vez si sube y vuelve a bajar',
    'fewer credits are left than in your notice; again if it rises and falls',
  ],
  'llave.por_rotar': [
    'Una API key cumple 90 días en una semana; otra vez si un año después sigue activa',
    'an API key will be 90 days old in a week; again if it is still active a year later',
  ],
  'cfdi.cambios': ['Una lectura de un RFC que se mantiene al día encontró algo', 'a subscription found changes'],
  'sincronizacion.pausada': ['Un RFC dejó de mantenerse al día por sí solo', 'an RFC is no longer kept up to date'],
  'proveedor.listado': [
    'Un cliente o proveedor de un RFC que se mantiene al día entró a una lista del SAT, cambió ahí de supuesto o salió',
    'a counterparty of an RFC kept up to date entered a list of the SAT, changed or left it',
  ],
  'conexion.completada': [
    'El contribuyente entregó su CIEC por un enlace de conexión, y ya sirve',
    'a taxpayer handed over the CIEC by a connect link',
  ],
} as const satisfies Readonly<Record<string, readonly [texto: string, english: string]>>;
export type EventoWebhook = keyof typeof EVENTOS;
export const EVENTOS_WEBHOOK = Object.keys(EVENTOS) as EventoWebhook[];

/** Events that are mailed to people too; for the others a webhook does. */
export const EVENTOS_CORREO = [
  'solicitud.terminada',
  'solicitud.fallida',
  'credencial.por_vencer',
] as const satisfies readonly EventoWebhook[];
export type EventoCorreo = (typeof EVENTOS_CORREO)[number];

/** Why a subscription is paused. */
export const MOTIVOS_PAUSA = [
  'PEDIDA',
  'SIN_SALDO',
  'SIN_CONSENTIMIENTO',
  'CIEC_CAMBIADA',
  'CIEC_RECHAZADA',
  'LLAVE_CAMBIADA',
  'CUENTA_SUSPENDIDA',
] as const;
export type MotivoPausa = (typeof MOTIVOS_PAUSA)[number];

export const ESTADOS_CFDI = ['VIGENTE', 'CANCELADO'] as const;
export const ESTADOS_CONTRIBUYENTE = ['ACTIVO', 'SUSPENDIDO', 'CANCELADO'] as const;
export const OPINIONES = ['POSITIVO', 'NEGATIVO', 'EN_SUSPENSION', 'INSCRITO_SIN_OBLIGACIONES', 'NO_INSCRITO'] as const;

/**
 * RFC: letters (3 for a legal person, 4 for a natural one), a date yyMMdd, and three characters that end with the check
 * digit. Ñ and & count as letters. The pattern is that of the SAT's CFDI schema (`t_RFC`).
 */
const RFC = /^([A-ZÑ&]{3,4})(\d{2})(\d{2})(\d{2})([A-Z\d]{2})([A\d])$/;
/** Same pattern as a string, for the published description of the interface. */
export const RFC_PATTERN = '^[A-ZÑ&]{3,4}\\d{6}[A-Z\\d]{2}[A\\d]$';

function isRealDate(yy: string, mm: string, dd: string): boolean {
  const month = Number(mm);
  const day = Number(dd);
  if (month < 1 || month > 12 || day < 1) return false;
  // The century is not in the RFC: 29 February counts when either century has it (2000 was a leap year, 1900 was not).
  const leap = Number(yy) % 4 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day <= days;
}

/**
 * Normalises and checks an RFC: trimmed, upper case, composed Unicode (Ñ as one character). The check digit is not
 * enforced, since the SAT has issued RFCs that fail it. Returns null when it is none.
 */
export function parseRfc(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 64) return null;
  const rfc = value.trim().normalize('NFC').toUpperCase();
  const match = RFC.exec(rfc);
  if (!match) return null;
  const [, , yy = '', mm = '', dd = ''] = match;
  return isRealDate(yy, mm, dd) ? rfc : null;
}

/** Fault of a text that is no RFC, with its remedy. */
export function explainRfc(texto: string): string {
  const rfc = texto.trim().normalize('NFC').toUpperCase();
  if (rfc === '') return 'Escriba el RFC.';
  if (/[\s.-]/.test(rfc)) return 'Escríbalo sin espacios, puntos ni guiones.';
  if (rfc.length < 12) return `Faltan caracteres: tiene ${rfc.length} y debe tener 12 o 13, con la homoclave.`;
  if (rfc.length > 13) return `Sobran caracteres: tiene ${rfc.length} y debe tener 12 o 13.`;
  if (!/^[A-ZÑ&]{3,4}\d{6}/.test(rfc))
    return 'Debe empezar con 3 letras (persona moral) o 4 (persona física), y seguir con 6 dígitos de la fecha: año, mes y día.';
  if (!/[A-Z\d]{2}[A\d]$/.test(rfc))
    return 'Los últimos 3 caracteres son la homoclave: letras o dígitos, y al final un dígito o la letra A.';
  return 'Los 6 dígitos no son una fecha real (año, mes y día). Compárelos con la constancia de situación fiscal.';
}

/** Characters of the name of a taxpayer. */
export const MAX_NOMBRE = 250;

/** A name as a person types it; null for none. */
export const readNombre = (texto: string | undefined): string | null =>
  texto?.trim().normalize('NFC').replaceAll(/\s+/g, ' ').slice(0, MAX_NOMBRE) || null;

const DIGITS = '0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ';
/** What the SAT writes for the public in general and for foreigners: their last character is no check digit. */
const GENERIC = new Set(['XAXX010101000', 'XEXX010101000']);

/**
 * Whether the last character of a normal RFC is its check digit: the weighted sum of the others modulo 11 (annex of the
 * SAT's rules for the RFC). False is a hint of a slip of the pen and no proof, since a few RFCs were issued with
 * another one.
 */
export function hasCheckDigit(rfc: string): boolean {
  if (GENERIC.has(rfc)) return true;
  const others = [...rfc.slice(0, -1).padStart(12, ' ')];
  const sum = others.reduce((total, letter, at) => total + DIGITS.indexOf(letter) * (13 - at), 0);
  const digit = (11 - (sum % 11)) % 11;
  return rfc.endsWith(digit === 10 ? 'A' : String(digit));
}

/** A taxpayer id: 12 characters (persona moral) or 13 (persona física). */
export const rfcField = z
  .string({ error: 'debe ser un texto' })
  .transform((value, ctx) => {
    const rfc = parseRfc(value);
    if (rfc !== null) return rfc;
    ctx.addIssue({ code: 'custom', message: 'debe tener 12 o 13 caracteres con el formato de un RFC' });
    return z.NEVER;
  })
  .meta({
    description: 'RFC: 12 caracteres (persona moral) o 13 (persona física).',
    example: 'ACU200101DB1',
    pattern: RFC_PATTERN,
  });

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
  .meta({ description: 'Día calendario del centro de México, AAAA-MM-DD.', example: '2026-01-31', format: 'date' });

/** An instant, ISO 8601 in UTC, ending in Z. */
export const fechaHoraField = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/)
  .meta({ description: 'Instante ISO 8601 en UTC.', example: '2026-01-31T18:30:00.000Z', format: 'date-time' });

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

/**
 * Id of a solicitud. Any text of up to 64 characters is accepted and looked up; one that is not a UUID is not found.
 */
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

/** How many elements a page may have, from 1 to `max`. */
export const limiteField = (max: number) => {
  const error = `debe ser un número entero de 1 a ${max}`;
  return z.int({ error }).min(1, { error }).max(max, { error });
};

/** A state of a solicitud, as a filter. */
export const estadoSolicitudField = z.enum(ESTADOS_SOLICITUD, {
  error: `debe ser uno de ${ESTADOS_SOLICITUD.join(', ')}`,
});

export const tipoDescargaField = z
  .enum(['emitidos', 'recibidos'], { error: 'debe ser emitidos o recibidos' })
  .meta({ id: 'TipoDescarga', description: 'Qué CFDI se piden.', example: 'recibidos' });

/** Which CFDI of a period a download is about; the first one is the default. */
export const ESTADOS_COMPROBANTE = ['todos', 'vigente', 'cancelado'] as const;
/** Kinds of CFDI by which a download is narrowed: ingreso, egreso, traslado, nómina, pago. */
export const TIPOS_COMPROBANTE = ['I', 'E', 'T', 'N', 'P'] as const;
/** Counterparties that the SAT takes in one request: five receivers of issued CFDI, one issuer of received ones. */
export const MAX_CONTRAPARTES = { emitidos: 5, recibidos: 1 } as const;

const oneOf = (values: readonly string[]) => `debe ser ${values.slice(0, -1).join(', ')} o ${values.at(-1)}`;

export const estadoComprobanteField = z.enum(ESTADOS_COMPROBANTE, { error: oneOf(ESTADOS_COMPROBANTE) }).meta({
  id: 'EstadoComprobante',
  description: 'Solo los CFDI en este estado cuando el SAT los prepara. Si no se pide ninguno, todos.',
  example: 'vigente',
});

export const tipoComprobanteField = z.enum(TIPOS_COMPROBANTE, { error: oneOf(TIPOS_COMPROBANTE) }).meta({
  id: 'TipoComprobante',
  description: 'Solo los CFDI de este tipo: I, ingreso; E, egreso; T, traslado; N, nómina; P, pago.',
  example: 'I',
});

/**
 * Complements by which a download is narrowed, as the web service names them, with their names for people
 * (phpcfdi/sat-ws-descarga-masiva, `ComplementoCfdi`): those that the portal can search for as well. It has none for
 * `cfdiregistrofiscal`.
 */
export const COMPLEMENTOS = {
  acreditamientoieps10: 'Acreditamiento del IEPS 1.0',
  aerolineas: 'Aerolíneas 1.0',
  cartaporte10: 'Carta Porte 1.0',
  cartaporte20: 'Carta Porte 2.0',
  certificadodedestruccion: 'Certificado de destrucción 1.0',
  comercioexterior10: 'Comercio exterior 1.0',
  comercioexterior11: 'Comercio exterior 1.1',
  consumodecombustibles: 'Consumo de combustibles 1.0',
  consumodecombustibles11: 'Consumo de combustibles 1.1',
  detallista: 'Sector de ventas al detalle',
  divisas: 'Compra y venta de divisas 1.0',
  donat11: 'Donatarias 1.1',
  ecc11: 'Estado de cuenta de combustibles 1.1',
  ecc12: 'Estado de cuenta de combustibles 1.2',
  gastoshidrocarburos10: 'Gastos de hidrocarburos 1.0',
  iedu: 'Instituciones educativas privadas 1.0',
  implocal: 'Impuestos locales 1.0',
  ine11: 'INE 1.1',
  ingresoshidrocarburos: 'Ingresos de hidrocarburos 1.0',
  leyendasfisc: 'Leyendas fiscales 1.0',
  nomina11: 'Nómina 1.1',
  nomina12: 'Nómina 1.2',
  notariospublicos: 'Notarios públicos 1.0',
  obrasarteantiguedades: 'Obras de arte plásticas y antigüedades 1.0',
  pagoenespecie: 'Pago en especie 1.0',
  pagos10: 'Recepción de pagos 1.0',
  pagos20: 'Recepción de pagos 2.0',
  pfic: 'Persona física integrante de coordinado 1.0',
  renovacionysustitucionvehiculos: 'Renovación y sustitución de vehículos 1.0',
  servicioparcialconstruccion: 'Servicios parciales de construcción 1.0',
  spei: 'SPEI de tercero a tercero',
  terceros11: 'Por cuenta de terceros 1.1',
  turistapasajeroextranjero: 'Turista pasajero extranjero 1.0',
  valesdedespensa: 'Vales de despensa 1.0',
  vehiculousado: 'Vehículo usado 1.0',
  ventavehiculos11: 'Venta de vehículos 1.1',
} as const;
export type Complemento = keyof typeof COMPLEMENTOS;

export const complementoField = z
  .enum(Object.keys(COMPLEMENTOS) as Complemento[], { error: 'debe ser uno de los complementos de la lista' })
  .meta({
    id: 'Complemento',
    description:
      'Solo los CFDI con este complemento, con el nombre que le da el SAT: por ejemplo pagos20, recepción de pagos 2.0; nomina12, nómina 1.2.',
    example: 'pagos20',
  });

/** What a download delivers; the first one is the default. */
export const CONTENIDOS = ['metadata', 'xml'] as const;

export const contenidoField = z.enum(CONTENIDOS, { error: oneOf(CONTENIDOS) }).meta({
  id: 'Contenido',
  description:
    'Qué se entrega: metadata, los renglones sobre los CFDI; xml, además los CFDI mismos, tal como los da el SAT, y la lista de los que falten. Si no se pide ninguno, metadata.',
  example: 'xml',
});

export const rfcContraparteField = z
  .array(rfcField, { error: 'debe ser una lista de RFC' })
  .min(1, 'debe tener al menos un RFC')
  .max(MAX_CONTRAPARTES.emitidos, `puede tener a lo más ${MAX_CONTRAPARTES.emitidos} RFC`)
  .transform((rfcs) => [...new Set(rfcs)].sort())
  .meta({
    description: 'Solo los CFDI de estas contrapartes: con emitidos, hasta cinco receptores; con recibidos, un emisor.',
    example: ['EKU9003173C9'],
  });

/** File formats for the rows of a download. The first one is the default. */
export const FORMATOS = ['csv', 'xlsx', 'ndjson', 'parquet'] as const;
export type Formato = (typeof FORMATOS)[number];

export const formatoField = z.enum(FORMATOS, { error: oneOf(FORMATOS) }).meta({
  id: 'Formato',
  description:
    'En qué se entregan los renglones dentro del ZIP: csv; xlsx, para Excel; ndjson, un JSON por renglón; parquet, con tipos, para DuckDB y pandas. Si no se pide ninguno, csv.',
  example: 'csv',
});
