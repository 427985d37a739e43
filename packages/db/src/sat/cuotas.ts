import { type Cuotas, EQUAL_REQUESTS, type Modo, PACKAGE_DOWNLOADS } from '@acuse/core';
import type { Database } from '../database.ts';
import { isOne, rowOf } from '../statements.ts';

/** Taking from the quota of a day deletes the quotas of the days before of that RFC. */
const TAKE = `
WITH vieja AS (DELETE FROM cuota_sat WHERE rfc = $1 AND $2 LIKE 'dia:%' AND clave LIKE 'dia:%' AND clave < $2)
INSERT INTO cuota_sat AS c (rfc, clave, tomadas) SELECT $1, $2, $4::int WHERE $4::int <= $3
ON CONFLICT (rfc, clave) DO UPDATE SET tomadas = c.tomadas + excluded.tomadas WHERE c.tomadas + excluded.tomadas <= $3
RETURNING 1`;

/** Quotas over PostgreSQL. */
export function createCuotas({ pool }: Pick<Database, 'pool'>): Cuotas {
  return { take: ({ rfc, clave, maximo, cuantos }) => isOne(pool, TAKE, [rfc, clave, maximo, cuantos]) };
}

/** Solicitudes whose packages are counted: the newest open ones. */
const MOST = 500;

/** Only an open solicitud fetches packages; the web service alone limits that. */
const TAKEN = `
SELECT q.*, p.* FROM (
  SELECT coalesce(sum(tomadas) FILTER (WHERE clave = $2), 0)::int AS "xmlHoy", coalesce(sum(tomadas) FILTER (WHERE clave = $3), 0)::int AS iguales,
    count(*) FILTER (WHERE clave LIKE 'xml:%')::int AS peticiones,
    count(*) FILTER (WHERE clave LIKE 'xml:%' AND tomadas >= ${EQUAL_REQUESTS})::int AS "peticionesAgotadas"
  FROM cuota_sat WHERE rfc = $1
) q, (
  SELECT count(*)::int AS paquetes, count(*) FILTER (WHERE b.relecturas + (b.object_key IS NOT NULL)::int >= ${PACKAGE_DOWNLOADS})::int AS "paquetesAgotados"
  FROM (SELECT id FROM solicitud WHERE contribuyente_id = $4 AND modo = $5 AND estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') ORDER BY id DESC LIMIT ${MOST}) s
  JOIN parte a ON a.solicitud_id = s.id AND a.canal = 'soap' JOIN paquete_sat b ON b.parte_id = a.id
) p`;

/** What this installation has used of the SAT's quotas of an RFC. */
export interface CuotasTomadas {
  /** XML of the day from the portal. */
  readonly xmlHoy: number;
  /** Requests of XML equal to the one that was asked for. */
  readonly iguales: number;
  /** Different requests of XML, and those of which no equal one is left. */
  readonly peticiones: number;
  readonly peticionesAgotadas: number;
  /** Packages of open solicitudes, and those without a download left. */
  readonly paquetes: number;
  readonly paquetesAgotados: number;
}

/** Reads of the quotas. */
export function createCuotasTomadas({ pool }: Pick<Database, 'pool'>) {
  return {
    /** `rfc`: owner of the quotas; `dia`, `igual`: keys of the quota of the day, and of a request of XML. */
    async read(de: {
      readonly rfc: string;
      readonly dia: string;
      readonly igual: string | null;
      readonly contribuyenteId: string;
      readonly modo: Modo;
    }): Promise<CuotasTomadas> {
      const row = await rowOf<CuotasTomadas>(pool, TAKEN, [de.rfc, de.dia, de.igual, de.contribuyenteId, de.modo]);
      if (row === null) throw new Error('the quotas answered no row');
      return row;
    },
  };
}
