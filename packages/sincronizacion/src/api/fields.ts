import { CfdiError, contenidoField, fechaField, MOTIVOS_PAUSA } from '@acuse/contract';
import { addDays, type Contenido, calendarDay, FALLAS_DE_LECTURA, type Modo } from '@acuse/core';
import { type Contexto, type ContextoBase, checkPeriodo, instante, primerDiaDelSat, rfcData } from '@acuse/operation';
import { z } from 'zod';
import type { TramoAjustes, VistaSincronizacion } from '../db/index.ts';
import {
  countLecturas,
  DIAS_DEL_MES,
  FRECUENCIAS,
  type Frecuencia,
  later,
  MAX_CONFIRMACIONES,
  primerasLecturas,
} from '../index.ts';
import type { SincronizacionDeps } from './index.ts';

const TIPOS = ['emitidos', 'recibidos', 'ambos'] as const;
type Tipo = (typeof TIPOS)[number];

export const tipoField = z
  .enum(TIPOS, { error: 'debe ser emitidos, recibidos o ambos' })
  .meta({ id: 'TipoSincronizacion', description: 'Qué CFDI se mantienen al día.', example: 'ambos' });

export const frecuenciaField = z
  .enum(FRECUENCIAS, { error: 'debe ser DIARIA o SEMANAL' })
  .meta({ id: 'Frecuencia', description: 'Cada cuánto se leen los días más nuevos.', example: 'DIARIA' });

/** What a subscription is made of, all of it optional. */
export const settingsFields = {
  tipo: tipoField.optional().meta({ description: 'Si no se dice, lo que tenía, o ambos.' }),
  desde: fechaField
    .meta({
      description:
        'Desde qué día de emisión, a lo más seis años atrás. Obligatorio la primera vez; después, si no se dice, el que tenía.',
      example: '2026-01-01',
    })
    .optional(),
  frecuencia: frecuenciaField.optional().meta({ description: 'Si no se dice, la que tenía, o DIARIA.' }),
  contenido: contenidoField.optional().meta({
    description: 'Con xml también se guarda el XML de lo nuevo. Si no se dice, el que tenía, o metadata.',
  }),
};

interface Ajustes {
  readonly tipo?: Tipo | undefined;
  readonly desde?: string | undefined;
  readonly frecuencia?: Frecuencia | undefined;
  readonly contenido?: Contenido | undefined;
}

/** The subscription that the key of a call may see. Throws `SINCRONIZACION_NO_ENCONTRADA`. */
export async function needSincronizacion(
  { deps, access }: Pick<ContextoBase<Pick<SincronizacionDeps, 'sincronizaciones'>>, 'deps' | 'access'>,
  error: (nombre: 'SINCRONIZACION_NO_ENCONTRADA') => CfdiError,
): Promise<VistaSincronizacion> {
  const vista = await deps.sincronizaciones.find(access.contribuyenteId, access.apiKey.modo);
  if (vista === null) throw error('SINCRONIZACION_NO_ENCONTRADA');
  return vista;
}

/** Both kinds, or the one of them that is kept up to date. */
const tipoOf = ({ emitidos, recibidos }: Pick<VistaSincronizacion, 'emitidos' | 'recibidos'>): Tipo =>
  emitidos && recibidos ? 'ambos' : emitidos ? 'emitidos' : 'recibidos';

/** What a first subscription without its first day lacks: each month costs a credit. */
const SIN_DESDE = {
  campo: 'desde',
  motivo: 'falta: la primera vez diga desde qué día se leen los CFDI; cada mes y tipo cuesta una lectura',
};

/**
 * The settings of a call. Missing ones come from the existing subscription, so that a renewed consent changes no
 * setting. Throws `CAMPO_FALTANTE` when a first subscription does not name its first day.
 */
export function ajustesOf(
  ajustes: Ajustes,
  vigente: VistaSincronizacion | null,
  { minuto, now }: { minuto: number; now: Date },
): TramoAjustes {
  const hoy = calendarDay(now);
  const tipo = ajustes.tipo ?? (vigente === null ? 'ambos' : tipoOf(vigente));
  const desde = ajustes.desde ?? vigente?.desde;
  if (desde === undefined) throw new CfdiError('CAMPO_FALTANTE', { ...SIN_DESDE, campos: [SIN_DESDE] });
  return {
    tipos: tipo === 'ambos' ? ['emitidos', 'recibidos'] : [tipo],
    desde,
    frecuencia: ajustes.frecuencia ?? vigente?.frecuencia ?? 'DIARIA',
    contenido: ajustes.contenido ?? vigente?.contenido,
    // Of an old subscription: what the SAT does not give any more is not asked for.
    ...primerasLecturas({ desde: later(desde, primerDiaDelSat(now)), hoy, minuto }),
  };
}

/** The rules of the first day of a subscription. */
export function checkDesde({ desde }: Ajustes, now: Date) {
  const hoy = calendarDay(now);
  if (desde === undefined) return null;
  if (desde > hoy) return { campo: 'desde', motivo: `no puede ser posterior a hoy (${hoy}, centro de México)` };
  return checkPeriodo({ desde, hasta: hoy }, now);
}

export const costoData = z
  .object({
    lecturas_iniciales: z.int().meta({
      description:
        'Lecturas que sincronizacion/crear pide de inmediato: los meses y tipos que faltan o que ya tocan. Lo que ya se leyó, o está en curso, no se cobra otra vez.',
      example: 22,
    }),
    creditos_iniciales: z.int().meta({ description: 'Lo que cuestan.', example: 22 }),
    lecturas_al_mes: z.int().meta({
      description:
        'Lecturas de los 30 días siguientes; cada vez son menos por mes cargado. Con contenido xml faltan las que bajan el XML de lo nuevo: una más por cada serie de días con CFDI nuevos.',
      example: 84,
    }),
    creditos_al_mes: z.int().meta({ description: 'Lo que cuestan.', example: 84 }),
    creditos_por_confirmar: z.int().meta({
      description:
        'Lo más que cuesta confirmar un mes y tipo cada vez que el SAT deja de dar CFDI que daba; nada mientras no pase.',
      example: MAX_CONFIRMACIONES,
    }),
  })
  .meta({ id: 'CostoSincronizacion', description: 'Lo que cuesta mantener al día el RFC.' });

/** Credits of one reading by a key of a mode: test keys pay where everything is a trial, and not beside the SAT. */
export const costoDeLectura = (instalacion: Modo, llave: Modo): number =>
  instalacion === 'test' || llave === 'live' ? 1 : 0;

/** What a subscription costs from now on: each reading costs what a descarga-metadata does. */
export async function costoOf(
  { deps, access, now }: Pick<Contexto<SincronizacionDeps>, 'deps' | 'access' | 'now'>,
  id: string | null,
  ajustes: TramoAjustes,
): Promise<z.input<typeof costoData>> {
  const [hoy, costo] = [calendarDay(now), costoDeLectura(deps.settings.modo, access.apiKey.modo)];
  const hasta = addDays(hoy, DIAS_DEL_MES);
  const tramos = await deps.sincronizaciones.preview(id, ajustes);
  const { primera, despues } = countLecturas(tramos, { frecuencia: ajustes.frecuencia, hoy, hasta });
  return {
    lecturas_iniciales: primera,
    creditos_iniciales: primera * costo,
    lecturas_al_mes: despues,
    creditos_al_mes: despues * costo,
    creditos_por_confirmar: MAX_CONFIRMACIONES * costo,
  };
}

export const motivoPausa = z.enum(MOTIVOS_PAUSA).meta({
  id: 'MotivoPausa',
  description:
    'Por qué está en pausa. PEDIDA: así se pidió; SIN_SALDO: no alcanzó el saldo; SIN_CONSENTIMIENTO: el permiso venció o se retiró; CIEC_CAMBIADA y LLAVE_CAMBIADA: con ellas terminó el permiso; CIEC_RECHAZADA: el SAT no la aceptó; CUENTA_SUSPENDIDA.',
  example: 'SIN_SALDO',
});

/** The public view of a subscription. */
export const sincronizacionData = z
  .object({
    rfc: rfcData,
    tipo: tipoField,
    desde: fechaField,
    frecuencia: frecuenciaField,
    contenido: contenidoField.meta({ description: 'Qué se guarda de cada CFDI nuevo.' }),
    hora: z
      .string()
      .meta({ description: 'A qué hora del centro de México le toca, repartida por RFC.', example: '03:41' }),
    estado: z.enum(['ACTIVA', 'PAUSADA']).meta({
      id: 'EstadoSincronizacion',
      description: 'PAUSADA: no se pide nada; lo leído se conserva.',
      example: 'ACTIVA',
    }),
    motivo: motivoPausa.nullable().meta({ description: 'Por qué está en pausa; null si no lo está.', example: null }),
    pausada_en: instante('Desde cuándo está en pausa.').nullable().meta({ example: null }),
    consentimiento: z
      .object({
        finalidad: z.string().meta({ description: 'Para qué se dio.', example: 'Mantener al día los CFDI del RFC' }),
        otorgado_en: instante('Cuándo se dio.'),
        expira_en: instante('Cuándo termina.'),
      })
      .nullable()
      .meta({ description: 'El permiso para usar la CIEC; null si ya no hay.' }),
    cambios: z
      .int()
      .min(0)
      .meta({ description: 'Número del último cambio notado; 0 si no hay ninguno.', example: 1532 }),
    ultima_lectura: instante('Cuándo se guardó la última lectura.').nullable(),
    proxima_lectura: instante('Cuándo toca la siguiente.').nullable(),
    periodos_por_leer: z
      .int()
      .min(0)
      .meta({ description: 'Meses que todavía no se han leído ni una vez; 0: la primera carga terminó.', example: 0 }),
    periodos_con_fallas: z.int().min(0).meta({ description: 'Periodos cuya última lectura falló.', example: 0 }),
    periodos_por_confirmar: z.int().min(0).meta({
      description:
        'Periodos cuya última lectura dejó de dar CFDI, o con la que ninguna anterior coincide: se leen otra vez a los 7, 14 y 28 días.',
      example: 0,
    }),
    periodos_sin_confirmar: z
      .int()
      .min(0)
      .meta({
        description: `Meses que ya no se leen y cuya última lectura no se confirmó en ${MAX_CONFIRMACIONES} más: se piden otra vez al renovar el permiso con sincronizacion/crear.`,
        example: 0,
      }),
    ultima_falla: z
      .string()
      .nullable()
      .meta({
        description: `Por qué falló la última que falló; null si ninguna falla ahora. Un motivo de descarga/verificar, o de la lectura misma. ${Object.entries(
          FALLAS_DE_LECTURA,
        )
          .map(([falla, { causa }]) => `${falla}: ${causa}`)
          .join(' ')}`,
        example: null,
      }),
    creada_en: instante('Cuándo se creó.'),
  })
  .meta({ id: 'Sincronizacion', description: 'Un RFC que se mantiene al día.' });

const iso = (date: Date | null) => date?.toISOString() ?? null;
const two = (n: number) => String(n).padStart(2, '0');

export function datosDeSincronizacion(vista: VistaSincronizacion): z.input<typeof sincronizacionData> {
  const { rfc, desde, frecuencia, contenido, minuto, estado, motivo, consentimiento } = vista;
  return {
    rfc,
    desde,
    frecuencia,
    contenido,
    estado,
    motivo,
    tipo: tipoOf(vista),
    hora: `${two(Math.floor(minuto / 60))}:${two(minuto % 60)}`,
    pausada_en: iso(vista.pausadaEn),
    consentimiento: consentimiento && {
      finalidad: consentimiento.finalidad,
      otorgado_en: consentimiento.otorgadoEn.toISOString(),
      expira_en: consentimiento.expiraEn.toISOString(),
    },
    cambios: Number(vista.cambios),
    ultima_lectura: iso(vista.ultimaLectura),
    proxima_lectura: iso(vista.proximaLectura),
    periodos_por_leer: vista.porLeer,
    periodos_con_fallas: vista.fallando,
    periodos_por_confirmar: vista.porConfirmar,
    periodos_sin_confirmar: vista.sinConfirmar,
    ultima_falla: vista.ultimoFallo,
    creada_en: vista.creadaEn.toISOString(),
  };
}

/** The end of its id names a subscription in a cursor: one of an earlier subscription is none of this one. */
const markOf = ({ id }: Pick<VistaSincronizacion, 'id'>) => id.slice(-12);

export const cursorField = z
  .string({ error: 'debe ser un texto' })
  .regex(/^[0-9a-f]{12}\.[0-9]{1,15}$/, 'debe ser el siguiente de la respuesta anterior')
  .meta({
    description: 'El siguiente de la respuesta anterior; sin él, desde el primer cambio.',
    example: '2a4b6c8d0e1f.1532',
  });

/** After which change a cursor is: the first without one; null when it is of another subscription. */
export function despuesDe(vista: VistaSincronizacion, cursor: string | undefined): bigint | null {
  if (cursor === undefined) return 0n;
  const [mark, n = ''] = cursor.split('.');
  return mark === markOf(vista) && BigInt(n) <= vista.cambios ? BigInt(n) : null;
}

export const cursorOf = (vista: VistaSincronizacion, n: bigint) => `${markOf(vista)}.${n}`;
