import {
  CANALES_CON_ESTADO,
  CUBETAS,
  desdeCuandoSeMira,
  type LecturaSalud,
  type SumaEsperas,
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

/** Seconds after which who gave no sign of life counts as gone. */
const VIVO_SEGUNDOS = 60;

const TRABAJAN = `SELECT DISTINCT rol FROM latido WHERE slots > 0 AND visto_en > now() - make_interval(secs => ${VIVO_SEGUNDOS}) ORDER BY rol`;

/** What the API tells of the authority's health, over PostgreSQL. */
export function createSaludPublica({ pool }: Pick<Database, 'pool'>) {
  return {
    /** As it is at `now`. */
    async read(now: Date): Promise<LecturaSalud> {
      const [tramos, esperas, trabajan] = await Promise.all([
        rowsOf<TramoCanal>(pool, TRAMOS, [desdeCuandoSeMira(now), CANALES_CON_ESTADO]),
        rowsOf<Omit<SumaEsperas, 'grupos'> & { readonly grupos: string }>(pool, ESPERAS, [now]),
        rowsOf<{ readonly rol: string }>(pool, TRABAJAN),
      ]);
      return {
        tramos,
        esperas: esperas.map((suma) => ({ ...suma, grupos: BigInt(suma.grupos) })),
        trabajan: trabajan.map(({ rol }) => rol),
      };
    },
  };
}

export type SaludPublica = ReturnType<typeof createSaludPublica>;
