import { z } from 'zod';
import { SENTIDOS, type SentidoOpinion } from '../magia.ts';

const dia = z.iso.date();

/** An obligation or an activity runs from `desde` to `hasta`; null: still. Dates are `yyyy-MM-dd`. */
const vigencia = { desde: dia, hasta: dia.nullable() };

const opinionSchema = z.strictObject({
  sentido: z.enum(SENTIDOS),
  /** Returns that were not filed; only a negative opinion has some. */
  obligacionesOmitidas: z.array(z.strictObject({ descripcion: z.string(), ejercicio: z.int(), periodo: z.string() })),
  /** Tax debts without guarantee; `importe` in pesos. */
  creditos: z.array(z.strictObject({ numero: z.string(), autoridad: z.string(), fecha: dia, importe: z.number() })),
  /** Whether the taxpayer lets the SAT publish its opinion. */
  autorizaPublicacion: z.boolean(),
});

/**
 * What the SAT's registry says of a taxpayer; the names are those of `perfil` in the control API. Dates are
 * `yyyy-MM-dd`.
 */
export const perfilSchema = z.strictObject({
  /** As CFDI 4.0 writes it: names and both surnames, or the company's name without its capital regime. */
  nombre: z.string(),
  tipoPersona: z.enum(['fisica', 'moral']),
  /** Natural persons: names and surnames apart, CURP, day of birth. Null for legal persons. */
  nombres: z.string().nullable(),
  apellidoPaterno: z.string().nullable(),
  apellidoMaterno: z.string().nullable(),
  curp: z.string().nullable(),
  fechaNacimiento: dia.nullable(),
  /** Legal persons. Null for natural ones. */
  regimenCapital: z.string().nullable(),
  fechaConstitucion: dia.nullable(),
  /** Eleven digits. */
  idCif: z.string().regex(/^\d{11}$/),
  estatus: z.enum(['ACTIVO', 'SUSPENDIDO', 'CANCELADO']),
  inicioOperaciones: dia,
  ultimoCambio: dia,
  email: z.string(),
  domicilio: z.strictObject({
    entidad: z.string(),
    municipio: z.string(),
    localidad: z.string(),
    colonia: z.string(),
    tipoVialidad: z.string(),
    vialidad: z.string(),
    numeroExterior: z.string(),
    /** Empty when there is none. */
    numeroInterior: z.string(),
    entreCalles: z.string(),
    cp: z.string().regex(/^\d{5}$/),
    /** The SAT's local office. */
    administracion: z.string(),
  }),
  /** `clave` of the catalogue c_RegimenFiscal, `nombre` as the constancia words it. */
  regimenes: z.array(z.strictObject({ clave: z.string(), nombre: z.string(), desde: dia })),
  actividades: z.array(z.strictObject({ orden: z.int(), descripcion: z.string(), porcentaje: z.int(), ...vigencia })),
  obligaciones: z.array(z.strictObject({ descripcion: z.string(), vencimiento: z.string(), ...vigencia })),
  opinion: opinionSchema,
});

export type Perfil = z.output<typeof perfilSchema>;
export type Opinion = Perfil['opinion'];
export type { SentidoOpinion };

/** What PUT /control/contribuyentes/:rfc takes as `perfil`: any part of it; within `domicilio` and `opinion` too. */
export const cambioPerfilSchema = perfilSchema
  .extend({ domicilio: perfilSchema.shape.domicilio.partial(), opinion: opinionSchema.partial() })
  .omit({ nombre: true, tipoPersona: true })
  .partial();

export type CambioPerfil = z.output<typeof cambioPerfilSchema>;

/** A profile with some parts replaced. */
export function changePerfil(perfil: Perfil, cambio: CambioPerfil): Perfil {
  const given = <T extends object>(change: T) =>
    Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return {
    ...perfil,
    ...given(cambio),
    domicilio: { ...perfil.domicilio, ...given(cambio.domicilio ?? {}) },
    opinion: { ...perfil.opinion, ...given(cambio.opinion ?? {}) },
  };
}
