import { ESTADOS_ABIERTOS } from '@acuse/contract';
import type { Database } from '../database.ts';
import { createListaSolicitudes } from '../solicitudes/lista.ts';

export interface SolicitudInicio {
  readonly id: string;
  readonly rfc: string;
  readonly tipo: string;
  readonly desde: string;
  readonly hasta: string;
  readonly estado: string;
  readonly creadaEn: Date;
}

export interface Inicio {
  readonly saldo: number;
  /** How many are under way. */
  readonly abiertas: number;
  /** The newest of them, newest first. */
  readonly enCurso: readonly SolicitudInicio[];
  /** The newest that ended with a package. */
  readonly terminada: SolicitudInicio | null;
  /** Whether anything was ever asked for. */
  readonly huboSolicitud: boolean;
}

const CUENTA = `
SELECT c.saldo, EXISTS (SELECT FROM solicitud s WHERE s.cuenta_id = c.id) AS hubo_solicitud,
       (SELECT count(*)::int FROM solicitud s WHERE s.cuenta_id = c.id AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')) AS abiertas
FROM cuenta c WHERE c.id = $1`;

/** What the start page tells about an account. Every read is narrowed by the account. */
export function createInicio({ pool }: Pick<Database, 'pool'>) {
  const lista = createListaSolicitudes({ pool });
  return {
    /** Balance, at most `limite` solicitudes under way, and the newest package. */
    async load(cuentaId: string, limite = 10): Promise<Inicio> {
      const [cuenta, enCurso, terminada] = await Promise.all([
        pool.query<{ saldo: number; hubo_solicitud: boolean; abiertas: number }>({
          name: 'inicio-cuenta',
          text: CUENTA,
          values: [cuentaId],
        }),
        lista.page(cuentaId, { estados: ESTADOS_ABIERTOS }, null, limite),
        lista.page(cuentaId, { estado: 'TERMINADA' }, null, 1),
      ]);
      return {
        saldo: cuenta.rows[0]?.saldo ?? 0,
        huboSolicitud: cuenta.rows[0]?.hubo_solicitud ?? false,
        abiertas: cuenta.rows[0]?.abiertas ?? 0,
        enCurso: enCurso.filas,
        terminada: terminada.filas[0] ?? null,
      };
    },

    /** The account's RFCs, the oldest first. */
    async rfcs(cuentaId: string, limite = 50): Promise<string[]> {
      const { rows } = await pool.query<{ rfc: string }>({
        name: 'inicio-lista-rfcs',
        text: 'SELECT rfc FROM contribuyente WHERE cuenta_id = $1 ORDER BY creado_en, rfc LIMIT $2',
        values: [cuentaId, limite],
      });
      return rows.map(({ rfc }) => rfc);
    },

    /** Whether calls with this key are paid by this account. */
    async isLlaveDe(cuentaId: string, apiKeyId: string): Promise<boolean> {
      const { rowCount } = await pool.query({
        name: 'inicio-llave-de',
        text: 'SELECT FROM api_key k JOIN contribuyente c ON c.id = k.contribuyente_id WHERE k.id = $2 AND c.cuenta_id = $1',
        values: [cuentaId, apiKeyId],
      });
      return rowCount === 1;
    },
  };
}
