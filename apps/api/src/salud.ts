import { tipoDescargaField } from '@acuse/contract';
import { datosDeSalud, ESTADOS_CANAL, type LecturaSalud, type Minimos } from '@acuse/core';
import { canalDeDescarga, canalSat, instante, modoField } from '@acuse/operation';
import type { Logger } from '@acuse/runtime';
import { z } from 'zod';

/** Milliseconds for which the last reading is served without another one. */
const FRESH_MS = 60_000;

/** A reading of the health, with its time. */
export interface SaludLeida extends LecturaSalud {
  readonly en: Date;
}

/**
 * Health of the SAT and of the workers, as this process knows it. Reads the database on demand, at most once a minute
 * however many ask. While the database is away, it serves the last reading with its time.
 */
export function createSalud(options: {
  readonly read: (now: Date) => Promise<LecturaSalud>;
  readonly now: () => Date;
  readonly log: Logger;
}) {
  const { read, now, log } = options;
  let last: SaludLeida | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> = Promise.resolve();
  let failure: unknown = null;

  async function look(en: Date): Promise<void> {
    try {
      last = { ...(await read(en)), en };
      failure = null;
    } catch (err) {
      failure = err;
      log.warn({ err }, 'health_not_read');
    }
  }

  /** Starts a reading when one is due; only one reading runs at a time. */
  function refresh(): void {
    const en = now();
    if (en.getTime() - triedAt < FRESH_MS) return;
    triedAt = en.getTime();
    reading = look(en);
  }

  return {
    /** The last reading, without waiting; null before the first. Starts a new one where that is due. */
    latest(): SaludLeida | null {
      refresh();
      return last;
    },

    /** The last reading, after a new one where that is due. Rejects with the reason when none ever succeeded. */
    async fresh(): Promise<SaludLeida> {
      refresh();
      await reading;
      if (last === null) throw failure;
      return last;
    },
  };
}

export type Salud = ReturnType<typeof createSalud>;

/** The public figures of a reading, for callers whose requests are of `modo`. */
export const publicada = (leida: SaludLeida, modo: 'live' | 'test', minimos: Minimos) =>
  datosDeSalud(leida, leida.en, modo, minimos);

const minutos = (description: string, example: number) => z.number().min(0).meta({ description, example });
const muestras = z
  .int()
  .min(1)
  .meta({ description: 'Descargas en las que se basa, al menos: 20, 50, 100, 200…', example: 200 });

const espera = z
  .object({
    mediana_minutos: minutos('La mitad tardó esto o menos.', 48),
    p90_minutos: minutos('Nueve de cada diez tardaron esto o menos.', 95),
    muestras,
  })
  .meta({ id: 'Espera', description: 'Cuánto tardaron unas descargas.' })
  .nullable();

/** The public health of the SAT. */
export const saludData = z
  .object({
    modo: modoField.meta({
      description: 'De qué descargas se habla: live, las del SAT; test, las de un simulador en su lugar.',
    }),
    cifras_de: instante('De cuándo son las cifras: de hace un minuto a lo más, salvo que no se hayan podido leer.'),
    canales: z
      .array(
        z
          .object({
            canal: canalSat.meta({
              description:
                'Por dónde se pregunta al SAT: soap, sus servicios web; portal, sus páginas; publico, lo que contesta sin contraseña.',
              example: 'soap',
            }),
            estado: z.enum(ESTADOS_CANAL).meta({
              id: 'EstadoDeCanal',
              description:
                'Según las últimas 20 peticiones o más, de la última media hora. CON_FALLAS: falló una de cada cinco o más, contando las que no se enviaron a un servidor caído. LENTO: una de cada diez tardó 10 segundos o más. SIN_DATOS: hubo menos de 20 peticiones. NORMAL: lo demás.',
              example: 'NORMAL',
            }),
            desde: instante('Desde cuándo está LENTO o CON_FALLAS, a lo más 24 horas atrás; null si no lo está.')
              .nullable()
              .meta({ example: null }),
            fallas: z
              .number()
              .min(0)
              .max(1)
              .nullable()
              .meta({ description: 'Parte de las peticiones que falló, de 0 a 1.', example: 0.01 }),
            mediana_ms: z
              .int()
              .min(1)
              .nullable()
              .meta({ description: 'Milisegundos en que el SAT contestó la mitad, aproximados.', example: 420 }),
            p90_ms: z
              .int()
              .min(1)
              .nullable()
              .meta({ description: 'Milisegundos en que contestó nueve de cada diez, aproximados.', example: 1_300 }),
          })
          .meta({ id: 'SaludDeCanal', description: 'Cómo contesta un canal del SAT.' }),
      )
      .meta({ description: 'Cada canal del SAT.' }),
    descargas: z
      .array(
        z
          .object({
            canal: canalDeDescarga.meta({ description: 'Por dónde se pidió.', example: 'soap' }),
            tipo: tipoDescargaField.meta({ description: 'Qué se pidió.' }),
            a_esta_hora: espera.meta({
              description:
                'Las de las últimas cuatro semanas que se pidieron a esta hora del día, una más o una menos; null si son muy pocas.',
            }),
            ultimas_24_horas: espera.meta({
              description: 'Las que se pidieron en las últimas 24 horas y ya están listas; null si son muy pocas.',
            }),
          })
          .meta({
            id: 'EsperaDeDescargas',
            description: 'Cuánto tardan en estar listas en el SAT, desde que se le piden.',
          }),
      )
      .meta({ description: 'Cuánto tardan las descargas, por canal y tipo.' }),
    servicio: z
      .object({
        estado: z.enum(['NORMAL', 'CON_FALLAS']).meta({
          id: 'EstadoDelServicio',
          description: 'CON_FALLAS: nadie hace alguna de las dos tareas.',
          example: 'NORMAL',
        }),
        descargas: z.boolean().meta({ description: 'Si hay quien lleve las descargas por el SAT.', example: true }),
        ensambles: z.boolean().meta({ description: 'Si hay quien prepare los ZIP.', example: true }),
      })
      .meta({ id: 'SaludDelServicio', description: 'Lo de este servicio.' }),
  })
  .meta({ id: 'SaludDelSat', description: 'Cómo contesta el SAT y cuánto tarda.' });
