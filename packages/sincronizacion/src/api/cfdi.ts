import { createHash } from 'node:crypto';
import { type CampoErroneo, fechaField, isFecha, rfcField, tipoDescargaField, uuidField } from '@acuse/contract';
import type { TipoDescarga } from '@acuse/core';
import {
  diaDeEmision,
  estadoCfdi,
  fechaEmision,
  horaLocal,
  importeTexto,
  instante,
  rfcDelSat,
  solicitudIdData,
  texto,
  uuidData,
} from '@acuse/operation';
import { z } from 'zod';
import type { Cambio, CfdiConocido, FiltroCfdi, LugarCfdi, VistaSincronizacion } from '../db/index.ts';

/** Fields of a CFDI that a subscription keeps up to date; every answer shows the same ones. */
export const cfdiFields = {
  tipo: tipoDescargaField.meta({ description: 'De cuáles es.' }),
  uuid: uuidData('UUID del CFDI.'),
  estado: estadoCfdi,
  fecha: diaDeEmision,
  fecha_emision: fechaEmision,
  fecha_certificacion: horaLocal('Cuándo lo certificó el PAC, del centro de México.').nullable(),
  fecha_cancelacion: horaLocal('Cuándo se canceló, según el SAT.').nullable(),
  contraparte_rfc: rfcDelSat(
    'RFC de la otra parte: quien lo emitió, de un recibido; quien lo recibe, de un emitido.',
    'EKU9003173C9',
  ),
  contraparte_nombre: texto('Su nombre; vacío si el SAT no lo da.', 'ESCUELA KEMPER URGATE'),
  rfc_pac: rfcDelSat('RFC de quien lo certificó.', 'SAT970701NN3').nullable(),
  efecto_comprobante: texto('I, E, T, N o P.', 'I'),
  monto: importeTexto
    .nullable()
    .meta({ description: 'Importe total, decimal; null si el SAT no da uno que se pueda leer.', example: '1160.00' }),
  tercero_rfc: rfcDelSat('RFC a cuenta de quien se emitió.', 'ACU200101DB1').nullable(),
  xml: z
    .object({
      solicitud_id: solicitudIdData.meta({
        description: 'La lectura en cuyo paquete está: pídalo con descarga/paquete.',
      }),
      ruta: texto('Dónde está en el ZIP.', 'cfdi/2026-01/5C8F2B1E-9D34-4A7B-8C60-1F2E3D4C5B6A.xml'),
    })
    .meta({ id: 'XmlDeCfdi', description: 'Dónde está el XML de un CFDI.' })
    .nullable()
    .meta({
      description:
        'Dónde está su XML; null si no se pidió con contenido xml, si el SAT no lo entregó, o si ya pasó el plazo del paquete.',
      example: null,
    }),
};

/** The values of {@link cfdiFields}. */
export const datosDeCfdi = (cfdi: Omit<Cambio, 'n' | 'clase' | 'notadoEn'>) => ({
  tipo: cfdi.tipo,
  uuid: cfdi.uuid,
  estado: cfdi.isVigente ? ('VIGENTE' as const) : ('CANCELADO' as const),
  fecha: cfdi.emitidaEn.slice(0, 10),
  fecha_emision: cfdi.emitidaEn,
  fecha_certificacion: cfdi.certificadaEn,
  fecha_cancelacion: cfdi.canceladaEn,
  contraparte_rfc: cfdi.contraparte.rfc,
  contraparte_nombre: cfdi.contraparte.nombre,
  rfc_pac: cfdi.rfcPac,
  efecto_comprobante: cfdi.efecto,
  monto: cfdi.monto,
  tercero_rfc: cfdi.tercero?.rfc ?? null,
  xml: cfdi.xml && { solicitud_id: cfdi.xml.solicitudId, ruta: cfdi.xml.ruta },
});

/** A CFDI as it is known now. */
export const cfdiData = z
  .object({
    ...cfdiFields,
    visto_en: instante('Cuándo se vio por primera vez.'),
    leido_en: instante(
      'Cuándo se guardó la última lectura de su día: lo que se dice de él es lo que el SAT dio entonces.',
    ),
    ausente_desde: instante('Desde cuándo el SAT ya no lo da; null si lo da.').nullable().meta({ example: null }),
  })
  .meta({ id: 'CfdiConocido', description: 'Un CFDI como se conoce ahora.' });

export const datosDeConocido = (cfdi: CfdiConocido) => ({
  ...datosDeCfdi(cfdi),
  visto_en: cfdi.vistoEn.toISOString(),
  leido_en: cfdi.leidoEn.toISOString(),
  ausente_desde: cfdi.ausenteDesde?.toISOString() ?? null,
});

const EFECTOS = ['I', 'E', 'T', 'N', 'P'] as const;
const ESTADOS = ['VIGENTE', 'CANCELADO', 'AUSENTE'] as const;

const decimal = (description: string) => {
  const error = 'debe ser un texto con un decimal de a lo más 12 enteros y 6 decimales, como "1160.00"';
  return z
    .string({ error })
    .regex(/^-?\d{1,12}(\.\d{1,6})?$/, { error })
    .meta({ description, example: '1160.00' });
};

/** Which CFDI are meant, all of it optional. */
export const filterFields = {
  tipo: tipoDescargaField.meta({ description: 'Solo estos; los dos si no se dice.' }).optional(),
  desde: fechaField.meta({ description: 'Desde qué día de emisión.', example: '2026-01-01' }).optional(),
  hasta: fechaField.meta({ description: 'Hasta qué día de emisión, incluido.', example: '2026-12-31' }).optional(),
  contraparte_rfc: rfcField.meta({ description: 'RFC de la otra parte.', example: 'EKU9003173C9' }).optional(),
  estado: z
    .enum(ESTADOS, { error: `debe ser ${ESTADOS.slice(0, -1).join(', ')} o ${ESTADOS.at(-1)}` })
    .meta({
      id: 'EstadoConocido',
      description: 'VIGENTE o CANCELADO, de los que el SAT da; AUSENTE, de los que ya no da.',
      example: 'VIGENTE',
    })
    .optional(),
  efecto_comprobante: z
    .enum(EFECTOS, { error: `debe ser ${EFECTOS.slice(0, -1).join(', ')} o ${EFECTOS.at(-1)}` })
    .meta({ id: 'EfectoComprobante', description: 'I ingreso, E egreso, T traslado, N nómina, P pago.', example: 'I' })
    .optional(),
  monto_min: decimal('Importe total mínimo, decimal, en la moneda del CFDI.').optional(),
  monto_max: decimal('Importe total máximo, decimal, en la moneda del CFDI.').meta({ example: '50000.00' }).optional(),
  uuid: uuidField.optional(),
};

export interface CuerpoFiltro {
  readonly tipo?: TipoDescarga | undefined;
  readonly desde?: string | undefined;
  readonly hasta?: string | undefined;
  readonly contraparte_rfc?: string | undefined;
  readonly estado?: (typeof ESTADOS)[number] | undefined;
  readonly efecto_comprobante?: (typeof EFECTOS)[number] | undefined;
  readonly monto_min?: string | undefined;
  readonly monto_max?: string | undefined;
  readonly uuid?: string | undefined;
}

/** The rules between the fields of a filter. Null when it keeps them. */
export function checkFiltro({ desde, hasta, monto_min, monto_max }: CuerpoFiltro): CampoErroneo | null {
  if (desde !== undefined && hasta !== undefined && desde > hasta)
    return { campo: 'desde', motivo: 'no puede ser posterior a hasta' };
  if (monto_min !== undefined && monto_max !== undefined && Number(monto_min) > Number(monto_max))
    return { campo: 'monto_min', motivo: 'no puede ser mayor que monto_max' };
  return null;
}

/** The kinds that a subscription keeps up to date. */
export const tiposDe = ({ emitidos, recibidos }: VistaSincronizacion): TipoDescarga[] => [
  ...(emitidos ? (['emitidos'] as const) : []),
  ...(recibidos ? (['recibidos'] as const) : []),
];

/** The error for a `tipo` that the subscription does not keep up to date; null when the subscription has it. */
export function checkTipo({ tipo }: CuerpoFiltro, vista: VistaSincronizacion): CampoErroneo | null {
  const tipos = tiposDe(vista);
  if (tipo === undefined || tipos.includes(tipo)) return null;
  return { campo: 'tipo', motivo: `aquí solo se mantienen al día los ${tipos[0]}: cámbielo con sincronizacion/crear` };
}

/** A filter as the store takes it. */
export const filtroOf = (cuerpo: CuerpoFiltro, vista: VistaSincronizacion): FiltroCfdi => ({
  tipos: cuerpo.tipo === undefined ? tiposDe(vista) : [cuerpo.tipo],
  desde: cuerpo.desde,
  hasta: cuerpo.hasta,
  contraparte: cuerpo.contraparte_rfc,
  estado: cuerpo.estado,
  efecto: cuerpo.efecto_comprobante,
  montoMin: cuerpo.monto_min,
  montoMax: cuerpo.monto_max,
  uuid: cuerpo.uuid?.toUpperCase(),
});

/** The range that a store knows. A CFDI outside it may exist: it was not read yet, or is no longer read. */
export const reachFields = {
  conocido_desde: fechaField.meta({
    description: 'Desde qué día de emisión se pidió mantenerlos al día.',
    example: '2026-01-01',
  }),
  releido_desde: fechaField.nullable().meta({
    description:
      'Desde qué día de emisión se vuelven a leer todos; null si está en pausa. Los anteriores son de antes de conocido_desde, o ya pasó su plazo para cancelarse: de cada uno vale lo que el SAT dio en leido_en.',
    example: '2026-01-01',
  }),
  ultima_lectura: instante('Cuándo se guardó la última lectura; null si todavía no hay ninguna.').nullable(),
  periodos_por_leer: z.int().min(0).meta({
    description: 'Periodos que todavía no se han leído ni una vez: con alguno, aquí faltan CFDI.',
    example: 0,
  }),
};

export const alcanceDe = ({ desde, releidoDesde, ultimaLectura, porLeer }: VistaSincronizacion) => ({
  conocido_desde: desde,
  releido_desde: releidoDesde,
  ultima_lectura: ultimaLectura?.toISOString() ?? null,
  periodos_por_leer: porLeer,
});

const LUGAR = /^(?<emitidaEn>(?<dia>\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?<uuid>.{36})(?<letra>[er])$/;

/** Binds a place to the subscription and the filters that it was given for. */
function markOf(vista: VistaSincronizacion, cuerpo: CuerpoFiltro, lugar: string): string {
  const { desde, hasta, contraparte_rfc, estado, efecto_comprobante, monto_min, monto_max, uuid, tipo } = cuerpo;
  const filtro = [
    desde,
    hasta,
    contraparte_rfc,
    estado,
    efecto_comprobante,
    monto_min,
    monto_max,
    uuid?.toUpperCase(),
    tipo,
  ];
  const bound = JSON.stringify([vista.id, filtro.map((value) => value ?? null), lugar]);
  return createHash('sha256').update(bound).digest('hex').slice(0, 16);
}

export const cursorCfdiField = z
  .string({ error: 'debe ser un texto' })
  .regex(/^[0-9a-f]{16}\.[A-Za-z0-9_-]{75}$/, 'debe ser el siguiente de la página anterior')
  .meta({
    description: 'El siguiente de la página anterior, con los mismos filtros que en ella.',
    example: '9f2c4e6a8b0d1f35.MjAyNi0wMS0zMVQxMDozMjowNzVDOEYyQjFFLTlEMzQtNEE3Qi04QzYwLTFGMkUzRDRDNUI2QWU',
  });

export function cursorCfdi(vista: VistaSincronizacion, cuerpo: CuerpoFiltro, { emitidaEn, uuid, tipo }: LugarCfdi) {
  const lugar = `${emitidaEn}${uuid}${tipo[0]}`;
  return `${markOf(vista, cuerpo, lugar)}.${Buffer.from(lugar).toString('base64url')}`;
}

/** The place that a cursor names; null when it is of other filters, or of another subscription. */
export function lugarOf(vista: VistaSincronizacion, cuerpo: CuerpoFiltro, cursor: string): LugarCfdi | null {
  const [mark, encoded = ''] = cursor.split('.');
  const lugar = Buffer.from(encoded, 'base64url').toString('latin1');
  const { emitidaEn = '', dia = '', uuid = '', letra } = LUGAR.exec(lugar)?.groups ?? {};
  // The mark has no key, so a caller can make one of a place that the database takes for none.
  if (!isFecha(dia) || !uuidField.safeParse(uuid).success || mark !== markOf(vista, cuerpo, lugar)) return null;
  return { emitidaEn, uuid, tipo: letra === 'r' ? 'recibidos' : 'emitidos' };
}
