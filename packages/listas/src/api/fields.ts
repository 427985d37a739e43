import { fechaField } from '@acuse/contract';
import { instante } from '@acuse/operation';
import { z } from 'zod';
import {
  type FilaEfos,
  OTRAS_LISTAS,
  PALABRAS_EFOS,
  type PasoEfos,
  type RespuestaListas,
  type RfcEnListas,
} from '../index.ts';

/** What a caller reads while no list of article 69-B was ever loaded. */
export const SIN_LISTA =
  'La lista del artículo 69-B todavía no se ha cargado en esta instalación, así que no se sabe si el RFC está en ella. Se carga sola; intente de nuevo en unos minutos.';

type Palabra = (typeof PALABRAS_EFOS)[keyof typeof PALABRAS_EFOS];

const palabra = z
  .enum(PALABRAS_EFOS)
  .meta({ id: 'SituacionEfos', description: 'Etapa del procedimiento del artículo 69-B.' });
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
  .meta({ id: 'EtapaEfos', description: 'Una etapa del procedimiento del artículo 69-B.' });

const lista = z.enum(OTRAS_LISTAS).meta({
  id: 'ListaSat',
  description: 'Lista del Código Fiscal de la Federación. CSD: sellos digitales sin efectos, artículo 17-H.',
  example: '69',
});
const archivo = z
  .string()
  .meta({ description: 'De qué archivo del SAT, de los varios que tiene el artículo 69.', example: 'firmes' });

/** Whether the list, with the status that it gives, is adverse to the RFC. */
export const adverso = z.boolean().meta({
  description:
    'Si estar ahí habla en su contra: Presunto y Definitivo, un sello sin efectos, y del artículo 69 los créditos firmes, exigibles o cancelados por insolvencia, los no localizados y las sentencias. Falso si aclara (Desvirtuado, Sentencia Favorable) o solo informa: los demás créditos cancelados, condonados o reducidos, retorno de inversiones, entes públicos.',
  example: true,
});

const aparicion = z
  .object({
    lista,
    archivo,
    supuesto: z.string().meta({ description: 'Por qué está en ella, con la palabra de la lista.', example: 'FIRMES' }),
    adverso,
    desde: fechaField
      .nullable()
      .meta({ description: 'Cuándo se publicó la primera vez; null si la lista no lo dice.', example: '2024-03-05' }),
  })
  .meta({ id: 'AparicionEnLista', description: 'En qué otra lista está, y por qué.' });

const consultada = z
  .object({ lista, archivo, fecha_corte: fechaField.meta({ description: 'De qué día es.', example: '2026-11-06' }) })
  .meta({ id: 'ListaConsultada', description: 'Una lista que se consultó, y de qué día es.' });

/** Fields of one RFC. */
export const camposDeRfc = {
  en_efos: z.boolean().meta({ description: 'Presunto o definitivo en la lista.', example: true }),
  en_edos: z.boolean().meta({ description: 'En la lista EDOS importada.', example: false }),
  situacion: palabra
    .nullable()
    .meta({ description: 'Situación que cuenta hoy; null si no está en la lista.', example: 'Presunto' }),
  historial: z.array(paso).meta({ description: 'Las etapas, de la más antigua a la más nueva.' }),
  listas: z.array(aparicion).meta({ description: 'Las demás listas en que está, una vez por cada supuesto.' }),
};

/** Fields of the consulted lists. */
export const camposDeListas = {
  fecha_consulta: instante('Cuándo se consultó.'),
  fecha_corte: fechaField.meta({ description: 'Corte de la lista 69-B consultada.', example: '2026-01-15' }),
  edos_fuente: nullable('Lista EDOS que se consultó; null si no hay ninguna.', null),
  listas_consultadas: z.array(consultada).meta({
    description:
      'Qué otras listas se consultaron. De una que no aparece aquí no se sabe nada: esta instalación no la tiene cargada.',
  }),
};

/** As the interface tells it. */
export function rfcOf({ efos, enEdos, listas }: RfcEnListas) {
  const { enEfos, situacion, historial } = summariseEfos(efos);
  return { en_efos: enEfos, en_edos: enEdos, situacion, historial, listas: [...listas] };
}

export function listasOf({ edosFuente, consultadas }: RespuestaListas, fechaCorte: string, now: Date) {
  return {
    fecha_consulta: now.toISOString(),
    fecha_corte: fechaCorte,
    edos_fuente: edosFuente,
    listas_consultadas: consultadas.map(({ fechaCorte: fecha_corte, ...rest }) => ({ ...rest, fecha_corte })),
  };
}

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
  const pasos = filas.flatMap(pasosDe).map((paso) => ({
    situacion: PALABRAS_EFOS[paso.situacion],
    fecha: fechaDe(paso),
    oficio: paso.oficio,
    fecha_dof: paso.fechaDof,
  }));
  return {
    enEfos: adversa !== undefined,
    situacion: situacion === undefined ? null : PALABRAS_EFOS[situacion],
    historial: pasos.sort((a, b) => (a.fecha ?? '9').localeCompare(b.fecha ?? '9')),
  };
}
