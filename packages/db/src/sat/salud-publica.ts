import {
  CANALES_CON_ESTADO,
  CUBETAS,
  desdeCuandoSeMira,
  type LecturaSalud,
  type SaludCanal,
  type SumaEsperas,
  saludDeCanal,
  type TramoCanal,
  UMBRALES,
  WEEKS_OF_ESPERAS,
} from '@acuse/core';
import type { Database } from '../database.ts';
import { rowsOf } from '../statements.ts';

const SUMS = `ARRAY[${Array.from({ length: CUBETAS }, (_, i) => `sum(cubetas[${i + 1}])::int`).join(', ')}] AS cubetas`;

const TRAMOS = `
SELECT date_bin(${UMBRALES.pasoMinutos} * interval '1 minute', minuto, 'epoch') AS desde, canal, sum(exitos)::int AS exitos,
  sum(rechazos)::int AS rechazos, sum(fallos)::int AS fallos, sum(evitadas)::int AS evitadas, ${SUMS}
FROM salud_sat WHERE minuto >= $1 AND canal = ANY ($2) GROUP BY 1, 2`;

const ESPERAS = `
SELECT modo, canal, tipo, hora, dia + hora * interval '1 hour' > ($1::timestamptz AT TIME ZONE 'America/Mexico_City') - interval '1 day' AS "isReciente",
  sum(descargas)::int AS descargas, bit_or(grupos)::text AS grupos, ${SUMS}
FROM espera_sat WHERE dia >= ($1::timestamptz AT TIME ZONE 'America/Mexico_City')::date - ${7 * WEEKS_OF_ESPERAS} GROUP BY 1, 2, 3, 4, 5`;

/** Seconds after its last heartbeat until a process counts as dead. */
const ALIVE_SECONDS = 60;

const TRABAJAN = `SELECT DISTINCT rol FROM latido WHERE slots > 0 AND visto_en > now() - make_interval(secs => ${ALIVE_SECONDS}) ORDER BY rol`;

/** The state of the channels and of the workers, as every page and metric shows it. */
export function createSaludCanales({ pool }: Pick<Database, 'pool'>) {
  return {
    /** The state of each channel at `now`, from the sums of the last day. */
    async canales(now: Date): Promise<SaludCanal[]> {
      const tramos = await tramosOf(pool, now);
      return CANALES_CON_ESTADO.map((canal) => saludDeCanal(canal, tramos, now));
    },

    /** Roles of workers with a heartbeat in the last minute. */
    trabajan: () => trabajan(pool),
  };
}

export type SaludCanales = ReturnType<typeof createSaludCanales>;

/** What the API tells of the authority's health, over PostgreSQL. */
export function createSaludPublica({ pool }: Pick<Database, 'pool'>) {
  return {
    /** As it is at `now`. */
    async read(now: Date): Promise<LecturaSalud> {
      const [tramos, esperas, roles] = await Promise.all([
        tramosOf(pool, now),
        rowsOf<Omit<SumaEsperas, 'grupos'> & { readonly grupos: string }>(pool, ESPERAS, [now]),
        trabajan(pool),
      ]);
      return { tramos, esperas: esperas.map((suma) => ({ ...suma, grupos: BigInt(suma.grupos) })), trabajan: roles };
    },
  };
}

const tramosOf = (pool: Database['pool'], now: Date) =>
  rowsOf<TramoCanal>(pool, TRAMOS, [desdeCuandoSeMira(now), CANALES_CON_ESTADO]);

async function trabajan(pool: Database['pool']): Promise<string[]> {
  return (await rowsOf<{ readonly rol: string }>(pool, TRABAJAN)).map(({ rol }) => rol);
}
