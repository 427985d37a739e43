import type { CanalSat } from '@acuse/core';
import type { Database } from '../database.ts';

export interface LlaveVista {
  readonly id: string;
  readonly modo: 'test' | 'live';
  readonly ultimos4: string;
  readonly creadaEn: Date;
  /** When `rfc-registrar` was called with it, or null. */
  readonly registradaEn: Date | null;
  readonly ultimoUsoEn: Date | null;
  readonly ultimaIp: string | null;
}

export interface CiecVista {
  readonly creadaEn: Date;
  readonly rechazadaEn: Date | null;
}

export interface CerVista {
  readonly noSerie: string | null;
  readonly titular: string | null;
  readonly vigenteHasta: Date | null;
  readonly rechazadaEn: Date | null;
  /** The SAT refused it at one of its channels only: the other one still takes it. */
  readonly sirveEn: CanalSat | null;
}

export interface EfirmaKeyVista {
  readonly expiraEn: Date;
  /** First bytes of what is stored: they tell whether it needs a shred key. */
  readonly encabezado: Buffer;
  readonly tieneShred: boolean;
}

/** A taxpayer as its owner sees it: states and dates, never what is sealed. Credentials are those of the active key. */
export interface RfcVista {
  readonly id: string;
  readonly cuentaId: string;
  readonly rfc: string;
  /** As it was typed in or its constancia says, else as its certificate says; null while neither is known. */
  readonly nombre: string | null;
  readonly idCif: string | null;
  readonly creadoEn: Date;
  readonly llave: LlaveVista | null;
  readonly ciec: CiecVista | null;
  readonly cer: CerVista | null;
  readonly efirmaKey: EfirmaKeyVista | null;
  /** Paths without /api/v1/. */
  readonly deshabilitadas: readonly string[];
  readonly ips: readonly string[];
}

export interface LlaveAnterior {
  readonly id: string;
  readonly ultimos4: string;
  readonly estado: 'REEMPLAZADA' | 'REVOCADA';
  readonly creadaEn: Date;
  readonly terminadaEn: Date | null;
}

type Row = Omit<RfcVista, 'llave' | 'ciec' | 'cer' | 'efirmaKey'> & { readonly [column: string]: unknown };

const CREDENCIAL = (alias: string, tipo: string) =>
  `LEFT JOIN credencial ${alias} ON ${alias}.contribuyente_id = c.id AND ${alias}.tipo = '${tipo}'
     AND ${alias}.api_key_id = k.id AND (${alias}.expira_en IS NULL OR ${alias}.expira_en > now())`;

const SELECT = `
SELECT c.id, c.cuenta_id AS "cuentaId", c.rfc, coalesce(c.nombre, cer.titular) AS nombre, c.id_cif AS "idCif", c.creado_en AS "creadoEn",
  ARRAY(SELECT operacion FROM operacion_deshabilitada WHERE contribuyente_id = c.id ORDER BY 1) AS deshabilitadas,
  ARRAY(SELECT cidr FROM ip_permitida WHERE contribuyente_id = c.id ORDER BY 1) AS ips,
  k.id AS llave_id, k.modo, k.ultimos4, k.creada_en AS llave_creada, k.registrada_en AS registrada,
  u.ultimo_uso_en AS usada, u.ultima_ip AS ip,
  ciec.id AS ciec_id, ciec.creada_en AS ciec_creada, ciec.rechazada_portal_en AS ciec_rechazada,
  cer.id AS cer_id, cer.no_serie AS serie, cer.titular, cer.vigente_hasta AS vigente, least(cer.rechazada_soap_en, cer.rechazada_portal_en) AS cer_rechazada,
  CASE WHEN cer.rechazada_portal_en IS NULL AND cer.rechazada_soap_en IS NOT NULL THEN 'portal'
       WHEN cer.rechazada_soap_en IS NULL AND cer.rechazada_portal_en IS NOT NULL THEN 'soap' END AS cer_sirve,
  fk.id AS key_id, fk.expira_en AS key_expira,
  substring(fk.sobre FROM 1 FOR 2) AS key_encabezado, s.credencial_id IS NOT NULL AS key_shred
FROM contribuyente c
LEFT JOIN api_key k ON k.contribuyente_id = c.id AND k.estado = 'ACTIVA'
LEFT JOIN api_key_uso u ON u.api_key_id = k.id
${CREDENCIAL('ciec', 'ciec')}
${CREDENCIAL('cer', 'efirma_cer')}
${CREDENCIAL('fk', 'efirma_key')}
LEFT JOIN efirma_shred s ON s.credencial_id = fk.id AND s.expira_en > now()
WHERE c.cuenta_id = $1`;

const FIND = `${SELECT} AND c.rfc = $2`;
const LIST = `${SELECT} AND (strpos(c.rfc, $2) > 0 OR strpos(upper(coalesce(c.nombre, cer.titular)), $2) > 0) AND c.rfc > $3 ORDER BY c.rfc LIMIT $4`;

const ANTERIORES = `
SELECT k.id, k.ultimos4, k.estado, k.creada_en AS "creadaEn", k.terminada_en AS "terminadaEn"
FROM api_key k JOIN contribuyente c ON c.id = k.contribuyente_id
WHERE c.cuenta_id = $1 AND c.rfc = $2 AND k.estado <> 'ACTIVA' ORDER BY k.terminada_en DESC, k.id LIMIT $3`;

// The only index that begins with the key has exactly the open solicitudes.
const ABIERTAS = `
SELECT count(*)::int AS abiertas, (count(*) FILTER (WHERE s.estado = 'ESPERA_EFIRMA'))::int AS esperan
FROM solicitud s WHERE s.api_key_id = $2 AND s.cuenta_id = $1 AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')`;

const SET_ID_CIF = `
WITH cambio AS (
  UPDATE contribuyente SET id_cif = $3, version = version + 1 WHERE cuenta_id = $1 AND rfc = $2 RETURNING id
)
INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle, ip)
SELECT $1, id, $4, 'cambiar-idcif', jsonb_build_object('id_cif', $3::text), $5 FROM cambio`;

/** Only a change is noted. */
const SET_NOMBRE = `
WITH suyo AS (SELECT id FROM contribuyente WHERE cuenta_id = $1 AND rfc = $2),
cambio AS (UPDATE contribuyente c SET nombre = $3 FROM suyo WHERE c.id = suyo.id AND c.nombre IS DISTINCT FROM $3 RETURNING c.id),
nota AS (
  INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle, ip)
  SELECT $1, id, $4, 'nombrar-rfc', jsonb_build_object('nombre', $3::text), $5 FROM cambio
)
SELECT id FROM suyo`;

function toVista(row: Row): RfcVista {
  // The columns have the types of the select list above.
  const of = <T>(column: string) => row[column] as T;
  const { id, cuentaId, rfc, nombre, idCif, creadoEn, deshabilitadas, ips } = row;
  return {
    ...{ id, cuentaId, rfc, nombre, idCif, creadoEn, deshabilitadas, ips },
    llave: of<string | null>('llave_id') && {
      id: of('llave_id'),
      modo: of('modo'),
      ultimos4: of('ultimos4'),
      creadaEn: of('llave_creada'),
      registradaEn: of('registrada'),
      ultimoUsoEn: of('usada'),
      ultimaIp: of('ip'),
    },
    ciec: of<string | null>('ciec_id') && {
      creadaEn: of('ciec_creada'),
      rechazadaEn: of('ciec_rechazada'),
    },
    cer: of<string | null>('cer_id') && {
      noSerie: of('serie'),
      titular: of('titular'),
      vigenteHasta: of('vigente'),
      rechazadaEn: of('cer_rechazada'),
      sirveEn: of('cer_sirve'),
    },
    efirmaKey: of<string | null>('key_id') && {
      expiraEn: of('key_expira'),
      encabezado: of('key_encabezado'),
      tieneShred: of('key_shred'),
    },
  } as RfcVista;
}

/** Taxpayers as the panel shows them. Every question is narrowed to one account: an RFC of another is not there. */
export function createPanelRfcs({ pool }: Pick<Database, 'pool'>) {
  return {
    async find(cuentaId: string, rfc: string): Promise<RfcVista | null> {
      const { rows } = await pool.query<Row>({ name: 'panel-rfc', text: FIND, values: [cuentaId, rfc] });
      return rows[0] ? toVista(rows[0]) : null;
    },

    /** In alphabetical order, after `despues`; `contiene` is a part of the RFC or of the name, in capitals; empty for all. */
    async list(
      cuentaId: string,
      filter: { contiene: string; despues: string; limit: number },
    ): Promise<RfcVista[]> {
      const values = [cuentaId, filter.contiene, filter.despues, filter.limit];
      const { rows } = await pool.query<Row>({ name: 'panel-rfcs', text: LIST, values });
      return rows.map(toVista);
    },

    /** Keys that no longer serve, the last one first. */
    async anteriores(cuentaId: string, rfc: string, limit: number): Promise<LlaveAnterior[]> {
      const values = [cuentaId, rfc, limit];
      const { rows } = await pool.query<LlaveAnterior>({
        name: 'panel-llaves-anteriores',
        text: ANTERIORES,
        values,
      });
      return rows;
    },

    /** Open solicitudes that a key asked for, and how many of them wait for an e.firma. */
    async abiertas(cuentaId: string, apiKeyId: string): Promise<{ abiertas: number; esperan: number }> {
      const { rows } = await pool.query<{ abiertas: number; esperan: number }>({
        name: 'panel-abiertas',
        text: ABIERTAS,
        values: [cuentaId, apiKeyId],
      });
      return rows[0] ?? { abiertas: 0, esperan: 0 };
    },

    /** How the account calls a taxpayer; null leaves it to the certificate. False when the account has no such RFC. */
    async setNombre(input: {
      cuentaId: string;
      rfc: string;
      nombre: string | null;
      actor: string;
      ip: string;
    }): Promise<boolean> {
      const values = [input.cuentaId, input.rfc, input.nombre, input.actor, input.ip];
      return (await pool.query(SET_NOMBRE, values)).rowCount === 1;
    },

    /** Null forgets it. False when the account has no such RFC. */
    async setIdCif(input: {
      cuentaId: string;
      rfc: string;
      idCif: string | null;
      actor: string;
      ip: string;
    }): Promise<boolean> {
      const values = [input.cuentaId, input.rfc, input.idCif, input.actor, input.ip];
      return (await pool.query(SET_ID_CIF, values)).rowCount === 1;
    },
  };
}
