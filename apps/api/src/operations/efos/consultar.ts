import { fechaField } from '@acuse/contract';
import type { FilaEfos, PasoEfos, SituacionEfos } from '@acuse/core';
import { z } from 'zod';
import { advertencias, advertenciasDe, cualquierRfc, instante, rfcData } from '../../fields.ts';
import { defineOperation } from '../../http/operation.ts';

const SIN_LISTA =
  'La lista del artículo 69-B todavía no se ha cargado en esta instalación, así que no se sabe si el RFC está en ella. Se carga sola; intente de nuevo en unos minutos.';

/** The list's own words. */
const SITUACIONES = ['Presunto', 'Desvirtuado', 'Definitivo', 'Sentencia Favorable'] as const;
type Palabra = (typeof SITUACIONES)[number];

const PALABRAS: Record<SituacionEfos, Palabra> = {
  PRESUNTO: 'Presunto',
  DESVIRTUADO: 'Desvirtuado',
  DEFINITIVO: 'Definitivo',
  SENTENCIA_FAVORABLE: 'Sentencia Favorable',
};

const palabra = z.enum(SITUACIONES).meta({ id: 'SituacionEfos' });
const nullable = (description: string, example: string | null) => z.string().nullable().meta({ description, example });

const paso = z
  .object({
    situacion: palabra.meta({ description: 'Etapa del procedimiento.', example: 'Presunto' }),
    fecha: fechaField
      .nullable()
      .meta({ description: 'Cuándo la publicó el SAT; null si la lista no lo dice.', example: '2024-03-05' }),
    oficio: nullable('Oficio global, como aparece en la lista.', '500-05-2024-1000 de fecha 1 de marzo de 2024'),
    fecha_dof: fechaField
      .nullable()
      .meta({ description: 'Publicación en el Diario Oficial de la Federación.', example: '2024-03-25' }),
  })
  .meta({ id: 'EtapaEfos' });

export default defineOperation({
  summary: 'Listas EFOS y EDOS',
  description:
    'Si un RFC está en la lista del artículo 69-B del Código Fiscal de la Federación (EFOS) o en la de EDOS que importó el operador. Un RFC con varios procedimientos está en EFOS si en alguno es presunto o definitivo. Sin costo.',
  credential: 'api-key',
  cost: 0,
  rfc: 'cualquiera',
  body: cualquierRfc,
  data: z.object({
    rfc: rfcData.meta({ example: 'EKU9003173C9' }),
    en_efos: z.boolean().meta({ description: 'Presunto o definitivo en la lista.', example: true }),
    en_edos: z.boolean().meta({ description: 'En la lista EDOS importada.', example: false }),
    fecha_consulta: instante('Cuándo se consultó.'),
    fecha_corte: fechaField.meta({ description: 'Corte de la lista 69-B consultada.', example: '2026-01-15' }),
    situacion: palabra
      .nullable()
      .meta({ description: 'Situación que cuenta hoy; null si no está en la lista.', example: 'Presunto' }),
    historial: z.array(paso),
    edos_fuente: nullable('Lista EDOS que se consultó; null si no hay ninguna.', null),
    advertencias,
  }),
  errors: ['SAT_NO_DISPONIBLE'],
  async handle({ rfc }, { deps, now, error }) {
    const { efos, edos } = await deps.listas.consultar(rfc);
    if (efos === null) throw error('SAT_NO_DISPONIBLE', { motivo: SIN_LISTA });
    const { enEfos, situacion, historial } = summariseEfos(efos.filas);
    return {
      rfc,
      en_efos: enEfos,
      en_edos: edos?.estaListado ?? false,
      fecha_consulta: now.toISOString(),
      fecha_corte: efos.fechaCorte,
      situacion,
      historial,
      edos_fuente: edos?.fuente ?? null,
      advertencias: advertenciasDe(rfc),
    };
  },
});

type Fila = Pick<FilaEfos, 'situacion' | 'historial'>;

interface ResumenEfos {
  /** Presumed or definitive in any of its proceedings: the other two situations clear the taxpayer. */
  readonly enEfos: boolean;
  /**
   * What counts of an RFC with several proceedings: definitive, else presumed, else the newest. Null for one that is
   * not listed.
   */
  readonly situacion: Palabra | null;
  /** The stages of all its proceedings, the oldest first, those without a date at the end. */
  readonly historial: { situacion: Palabra; fecha: string | null; oficio: string | null; fecha_dof: string | null }[];
}

/** The day a stage was published: on the SAT's page, or in the DOF where the list has no other. */
const fechaDe = ({ fechaSat, fechaDof }: PasoEfos) => fechaSat ?? fechaDof;

/** The stages of a proceeding; its situation is one of them even where the list says nothing more of it. */
function pasosDe({ situacion, historial }: Fila): readonly PasoEfos[] {
  if (historial.some((paso) => paso.situacion === situacion)) return historial;
  return [...historial, { situacion, oficio: null, fechaSat: null, fechaDof: null }];
}

const ultimaFecha = (fila: Fila) =>
  pasosDe(fila)
    .map((paso) => (paso.situacion === fila.situacion ? fechaDe(paso) : null))
    .reduce<string>((last, fecha) => (fecha !== null && fecha > last ? fecha : last), '');

/** One answer from all the proceedings of an RFC. */
export function summariseEfos(filas: readonly Fila[]): ResumenEfos {
  const adversa = (['DEFINITIVO', 'PRESUNTO'] as const).find((situacion) =>
    filas.some((fila) => fila.situacion === situacion),
  );
  const ultima = filas.reduce<Fila | null>(
    (last, fila) => (last === null || ultimaFecha(fila) >= ultimaFecha(last) ? fila : last),
    null,
  );
  const situacion = adversa ?? ultima?.situacion;
  const pasos = filas
    .flatMap(pasosDe)
    .map((paso) => ({
      situacion: PALABRAS[paso.situacion],
      fecha: fechaDe(paso),
      oficio: paso.oficio,
      fecha_dof: paso.fechaDof,
    }));
  return {
    enEfos: adversa !== undefined,
    situacion: situacion === undefined ? null : PALABRAS[situacion],
    historial: pasos.sort((a, b) => (a.fecha ?? '9').localeCompare(b.fecha ?? '9')),
  };
}
