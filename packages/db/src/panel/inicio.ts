import type { Database } from '../database.ts';

/** A taxpayer as the start page shows it. */
export interface RfcInicio {
  readonly rfc: string;
  /** Of the active key; null without one. */
  readonly llave: {
    readonly ultimos4: string;
    readonly creadaEn: Date;
    /** When the RFC was registered with this key (specification, rfc-registrar); null until then. */
    readonly registradaEn: Date | null;
    readonly ultimoUsoEn: Date | null;
  } | null;
  readonly tieneCiec: boolean;
  /** End of the certificate's validity. */
  readonly certificadoHasta: Date | null;
  /** End of the hour of the e.firma's private key; null when none is stored. */
  readonly llaveEfirmaHasta: Date | null;
  /** When the SAT refused a stored credential. */
  readonly rechazadaEn: Date | null;
}

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
  readonly rfcs: readonly RfcInicio[];
  /** Those under way, newest first. */
  readonly enCurso: readonly SolicitudInicio[];
  /** The newest that ended with a package. */
  readonly terminada: SolicitudInicio | null;
  /** Whether anything was ever asked for. */
  readonly huboSolicitud: boolean;
}

const RFCS = `
SELECT c.rfc, k.ultimos4, k.creada_en, k.registrada_en, u.ultimo_uso_en,
       coalesce(bool_or(d.tipo = 'ciec'), false) AS tiene_ciec,
       max(d.vigente_hasta) FILTER (WHERE d.tipo = 'efirma_cer') AS certificado_hasta,
       max(d.expira_en) FILTER (WHERE d.tipo = 'efirma_key' AND d.expira_en > now()) AS llave_efirma_hasta,
       max(d.rechazada_en) AS rechazada_en
FROM contribuyente c
LEFT JOIN api_key k ON k.contribuyente_id = c.id AND k.estado = 'ACTIVA'
LEFT JOIN api_key_uso u ON u.api_key_id = k.id
LEFT JOIN credencial d ON d.contribuyente_id = c.id
WHERE c.cuenta_id = $1
GROUP BY c.id, k.id, u.api_key_id
ORDER BY c.creado_en, c.rfc LIMIT $2`;

const SOLICITUD = `s.id, s.rfc, s.tipo, s.desde::text, s.hasta::text, s.estado, s.creada_en`;

const EN_CURSO = `
SELECT ${SOLICITUD} FROM solicitud s
WHERE s.cuenta_id = $1 AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') ORDER BY s.id DESC LIMIT $2`;

const TERMINADA = `
SELECT s.* FROM (VALUES ('emitidos'), ('recibidos')) AS t(tipo) CROSS JOIN LATERAL (
  SELECT ${SOLICITUD} FROM solicitud s
  WHERE s.cuenta_id = $1 AND s.estado = 'TERMINADA' AND s.tipo = t.tipo ORDER BY s.id DESC LIMIT 1) s
ORDER BY s.id DESC LIMIT 1`;

const CUENTA = `
SELECT c.saldo, EXISTS (SELECT FROM solicitud s WHERE s.cuenta_id = c.id) AS hubo_solicitud FROM cuenta c WHERE c.id = $1`;

interface FilaRfc {
  rfc: string;
  ultimos4: string | null;
  creada_en: Date | null;
  registrada_en: Date | null;
  ultimo_uso_en: Date | null;
  tiene_ciec: boolean;
  certificado_hasta: Date | null;
  llave_efirma_hasta: Date | null;
  rechazada_en: Date | null;
}

type FilaSolicitud = Omit<SolicitudInicio, 'creadaEn'> & { creada_en: Date };

/** What the start page tells about an account. Every read is narrowed by the account. */
export function createInicio({ pool }: Pick<Database, 'pool'>) {
  return {
    /** At most `limite` taxpayers, the oldest first, and as many solicitudes under way, the newest first. */
    async load(cuentaId: string, limite = 20): Promise<Inicio> {
      const [cuenta, rfcs, enCurso, terminada] = await Promise.all([
        pool.query<{ saldo: number; hubo_solicitud: boolean }>({
          name: 'inicio-cuenta',
          text: CUENTA,
          values: [cuentaId],
        }),
        pool.query<FilaRfc>({ name: 'inicio-rfcs', text: RFCS, values: [cuentaId, limite] }),
        pool.query<FilaSolicitud>({ name: 'inicio-en-curso', text: EN_CURSO, values: [cuentaId, limite] }),
        pool.query<FilaSolicitud>({ name: 'inicio-terminada', text: TERMINADA, values: [cuentaId] }),
      ]);
      return {
        saldo: cuenta.rows[0]?.saldo ?? 0,
        huboSolicitud: cuenta.rows[0]?.hubo_solicitud ?? false,
        rfcs: rfcs.rows.map(toRfc),
        enCurso: enCurso.rows.map(toSolicitud),
        terminada: terminada.rows.map(toSolicitud)[0] ?? null,
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

function toRfc(fila: FilaRfc): RfcInicio {
  const { ultimos4, creada_en: creadaEn } = fila;
  return {
    rfc: fila.rfc,
    llave:
      ultimos4 !== null && creadaEn !== null
        ? { ultimos4, creadaEn, registradaEn: fila.registrada_en, ultimoUsoEn: fila.ultimo_uso_en }
        : null,
    tieneCiec: fila.tiene_ciec,
    certificadoHasta: fila.certificado_hasta,
    llaveEfirmaHasta: fila.llave_efirma_hasta,
    rechazadaEn: fila.rechazada_en,
  };
}

function toSolicitud({ creada_en: creadaEn, ...fila }: FilaSolicitud): SolicitudInicio {
  return { ...fila, creadaEn };
}
