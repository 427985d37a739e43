import type { EstadoSolicitud } from '@acuse/contract';
import {
  type Aceptacion,
  type NuevaSolicitud,
  progresoDe,
  type Solicitudes,
  type VistaSolicitud,
} from '@acuse/core';
import type { Database } from './database.ts';
import { isUniqueViolation } from './errors.ts';

/** Operation name in the ledger. */
const OPERACION = 'tax/descarga-metadata';

const ACCEPT = `
WITH pase AS (
  SELECT c.id FROM contribuyente c
  WHERE c.id = $4 AND c.version = $6 AND EXISTS (SELECT FROM api_key k WHERE k.id = $5 AND k.estado = 'ACTIVA')
  FOR SHARE
), igual AS (
  SELECT id, estado FROM solicitud
  WHERE api_key_id = $5 AND tipo = $8 AND desde = $9::date AND hasta = $10::date AND estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')
  UNION ALL
  SELECT id, estado FROM solicitud WHERE api_key_id = $5 AND idem_key = $17
  LIMIT 1
), cargo AS (
  UPDATE cuenta SET saldo = saldo - $2::integer
  WHERE id = $3 AND saldo >= $2::integer AND EXISTS (SELECT FROM pase) AND NOT EXISTS (SELECT FROM igual)
  RETURNING id
), nueva AS (
  INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, rfc, tipo, desde, hasta, canal, deadline_at, idem_key)
  SELECT $1::uuid, $3::uuid, $4::uuid, $5, $7, $8, $9::date, $10::date, $11, $12::timestamptz, $17 FROM cargo
), libro AS (
  INSERT INTO movimiento (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion, solicitud_id)
  SELECT $3::uuid, $4::uuid, $1::uuid, 'cargo', -$2::integer, '${OPERACION}', $1::uuid FROM cargo
), sellada AS (
  INSERT INTO credencial_sellada (solicitud_id, tipo, kid, sobre, expira_en)
  SELECT $1::uuid, $13, $14, $15::bytea, $16::timestamptz FROM cargo
), salida AS (
  INSERT INTO outbox (solicitud_id, gen, cola, due_at) SELECT $1::uuid, 1, 'descargas', now() FROM cargo
)
SELECT EXISTS (SELECT FROM pase) AS pase, EXISTS (SELECT FROM cargo) AS aceptada,
       (SELECT id FROM igual) AS igual, (SELECT estado FROM igual) AS igual_estado`;

interface AcceptRow {
  pase: boolean;
  aceptada: boolean;
  igual: string | null;
  igual_estado: EstadoSolicitud | null;
}

const FIND = `
SELECT s.id, s.rfc, s.estado, s.fase, s.tipo, s.desde::text, s.hasta::text, s.registros, s.intentos, s.ultima_consulta_en, s.due_at,
       s.motivo, s.creada_en, s.terminada_en, s.object_key, s.paquete_borrado_en, s.bytes, s.sha256,
       (SELECT json_object_agg(p.estado, p.n) FROM
         (SELECT estado, count(*)::int AS n FROM parte WHERE solicitud_id = s.id GROUP BY estado) p) AS partes,
       (SELECT sum(registros) FROM parte WHERE solicitud_id = s.id) AS registros_sat
FROM solicitud s WHERE s.id = $1 AND s.contribuyente_id = $2`;

interface FindRow {
  id: string;
  rfc: string;
  estado: EstadoSolicitud;
  fase: 'DESCARGA' | 'ENSAMBLE';
  tipo: VistaSolicitud['tipo'];
  desde: string;
  hasta: string;
  registros: string | null;
  intentos: number;
  ultima_consulta_en: Date | null;
  due_at: Date;
  motivo: string | null;
  creada_en: Date;
  terminada_en: Date | null;
  object_key: string | null;
  paquete_borrado_en: Date | null;
  bytes: string | null;
  sha256: string | null;
  partes: Parameters<typeof progresoDe>[0]['partes'] | null;
  registros_sat: string | null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const numberOrNull = (value: string | null) => (value === null ? null : Number(value));

/** Solicitudes over PostgreSQL, as the API sees them. */
export function createSolicitudes({ pool }: Pick<Database, 'pool'>): Solicitudes {
  async function tryAccept(nueva: NuevaSolicitud): Promise<Aceptacion> {
    const { sellada } = nueva;
    const { rows } = await pool.query<AcceptRow>({
      name: 'aceptar',
      text: ACCEPT,
      values: [
        nueva.id,
        nueva.costo,
        nueva.cuentaId,
        nueva.contribuyenteId,
        nueva.apiKeyId,
        nueva.version.toString(),
        nueva.rfc,
        nueva.tipo,
        nueva.desde,
        nueva.hasta,
        nueva.canal,
        nueva.deadlineAt,
        sellada.tipo,
        sellada.kid,
        sellada.sobre,
        sellada.expiraEn,
        nueva.idemKey,
      ],
    });
    const row = rows[0];
    if (!row) throw new Error('the acceptance returned no row');
    if (row.aceptada) return { resultado: 'ACEPTADA', solicitudId: nueva.id };
    if (!row.pase) return { resultado: 'PASE_VENCIDO' };
    if (row.igual !== null && row.igual_estado !== null)
      return { resultado: 'DUPLICADA', solicitudId: row.igual, estado: row.igual_estado };
    return { resultado: 'SALDO_INSUFICIENTE' };
  }

  return {
    async accept(nueva) {
      try {
        return await tryAccept(nueva);
      } catch (error) {
        // An equal one was being accepted at this moment; everything of ours is rolled back and the other row is visible now.
        if (!isUniqueViolation(error)) throw error;
        return tryAccept(nueva);
      }
    },

    async find(contribuyenteId, solicitudId) {
      if (!UUID.test(solicitudId)) return null;
      const { rows } = await pool.query<FindRow>({
        name: 'ver',
        text: FIND,
        values: [solicitudId, contribuyenteId],
      });
      const row = rows[0];
      if (!row) return null;
      const isOpen = row.terminada_en === null;
      return {
        id: row.id,
        rfc: row.rfc,
        estado: row.estado,
        tipo: row.tipo,
        desde: row.desde,
        hasta: row.hasta,
        registros: numberOrNull(row.registros ?? row.registros_sat),
        progreso: progresoDe({ estado: row.estado, fase: row.fase, partes: row.partes ?? {} }),
        intentos: row.intentos,
        ultimaConsulta: row.ultima_consulta_en,
        proximaConsulta: isOpen && row.estado === 'EN_PROCESO' ? row.due_at : null,
        motivo: row.motivo,
        creadaEn: row.creada_en,
        terminadaEn: row.terminada_en,
        objectKey: row.object_key,
        paqueteBorradoEn: row.paquete_borrado_en,
        bytes: numberOrNull(row.bytes),
        sha256: row.sha256,
      };
    },
  };
}
