import type { Database } from '../database.ts';
import { type Connection, rowOf, rowsOf } from '../statements.ts';
import { inTransaction, SNAPSHOT } from '../transaction.ts';
import { isUuid } from '../uuid.ts';

/** Rows of one kind that a trace holds: more than any solicitud has, and an end for one that went wrong. */
const MOST = 2_000;

/** The solicitud itself, with its key by its id, and where its wake-up is. */
const SOLICITUD = `
SELECT s.id, q.email AS cuenta, s.rfc, s.modo, s.tipo, s.desde::text, s.hasta::text, s.formato, s.canal, s.canal_dejado, s.estado, s.fase, s.motivo,
       s.costo, s.intentos, s.epoch, s.api_key_id AS api_key, k.estado AS api_key_estado, s.creada_en, s.deadline_at AS plazo, s.terminada_en,
       s.registros::float8 AS registros, s.confianza, s.bytes::float8 AS bytes, s.paquete_borrado_en, s.objetos_borrados_en, s.rastro_borrado_en,
       s.traceparent, s.lease_until AS toma_hasta, o.cola, o.due_at AS timbre_vence_en, o.rung_at AS timbre_en_cola_desde
FROM solicitud s JOIN cuenta q ON q.id = s.cuenta_id LEFT JOIN api_key k ON k.id = s.api_key_id LEFT JOIN outbox o ON o.solicitud_id = s.id
WHERE s.id = $1`;

/** Existence of sealed copies, without content or key. */
const SELLADAS = `SELECT tipo, expira_en FROM credencial_sellada WHERE solicitud_id = $1
  UNION ALL SELECT 'capsula', expira_en FROM capsula WHERE solicitud_id = $1 ORDER BY tipo`;

const MOVIMIENTOS = 'SELECT creado_en AS en, tipo, importe, detalle FROM movimiento WHERE op_id = $1 ORDER BY id';

const PARTES = `
SELECT p.inicio, p.fin, p.estado, coalesce(p.canal, s.canal) AS canal, p.vacias, p.folio, p.envios, p.reenvios, p.consultas, p.fallos, p.accesos,
       p.registros::float8 AS registros, p.due_at AS vence_en, p.solicitada_en, coalesce((
         SELECT json_agg(json_build_object('paquete', q.paquete, 'guardado_en', q.guardado_en, 'bytes', q.bytes, 'relecturas', q.relecturas) ORDER BY q.orden)
         FROM paquete_sat q WHERE q.parte_id = p.id), '[]') AS paquetes
FROM parte p JOIN solicitud s ON s.id = p.solicitud_id WHERE p.solicitud_id = $1 ORDER BY p.inicio LIMIT ${MOST}`;

const EVENTOS = `
SELECT en, tipo, codigo, detalle, veces, ultima_en FROM evento WHERE solicitud_id = $1 ORDER BY id LIMIT ${MOST}`;

const PASOS = `
SELECT en, epoch, cola, notas, proceso, bandeja_ms, cola_ms, ms, consultas, veces, ultimo_en FROM paso WHERE solicitud_id = $1
UNION ALL
SELECT tomada_en, epoch, cola, coalesce(notas, tipo), proceso, bandeja_ms, cola_ms, ms, consultas, 1, NULL FROM evento WHERE solicitud_id = $1 AND epoch IS NOT NULL
ORDER BY epoch LIMIT ${MOST}`;

/** Lines of its account from the time that it was accepted on. */
const AUDITORIA = `
SELECT a.en, a.accion, a.actor, a.ip FROM auditoria a JOIN solicitud s ON s.cuenta_id = a.cuenta_id
WHERE s.id = $1 AND a.en >= s.creada_en - interval '10 minutes' AND a.detalle ->> 'solicitud' = s.id::text ORDER BY a.id LIMIT ${MOST}`;

/** An address without what may be a secret in it: its path and whatever follows. */
const ORIGIN = `substring(w.url FROM '^[a-z]+://(?:[^/?#@]*@)?([^/?#]+)')`;

/** Charges and refunds from the acceptance on. */
const WEBHOOKS = `
SELECT v.creado_en AS en, v.tipo, ${ORIGIN} AS receptor, e.estado, e.intentos, e.terminada_en, coalesce((
  SELECT json_agg(json_build_object('en', i.en, 'ms', i.ms, 'status', i.status, 'error', i.error) ORDER BY i.id)
  FROM webhook_intento i WHERE i.entrega_id = e.id), '[]') AS intentos_hechos
FROM solicitud s JOIN webhook_evento v ON v.creado_en >= s.creada_en - interval '10 minutes' AND v.solicitud_id = s.id
JOIN webhook_entrega e ON e.evento_id = v.id JOIN webhook w ON w.id = e.webhook_id
WHERE s.id = $1 ORDER BY e.secuencia, v.creado_en LIMIT ${MOST}`;

/** Times inside JSON come as text. */
type InJson<T> = {
  readonly [K in keyof T]: T[K] extends Date ? string : T[K] extends Date | null ? string | null : T[K];
};

interface ConsultaTrazada {
  readonly host: string;
  readonly resultado: string;
  readonly codigo?: string;
  readonly veces: number;
  readonly ms: number;
}

interface PaqueteTrazado {
  readonly paquete: string;
  readonly guardado_en: Date | null;
  readonly bytes: number | null;
  readonly relecturas: number;
}

interface IntentoTrazado {
  readonly en: Date;
  readonly ms: number;
  readonly status: number | null;
  readonly error: string | null;
}

/** Everything that the database knows of one solicitud, under the names that the operator is shown: data, as JSON. */
export interface Traza {
  readonly solicitud: Readonly<{
    id: string;
    /** E-mail. */
    cuenta: string;
    rfc: string;
    modo: string;
    tipo: string;
    desde: string;
    hasta: string;
    formato: string;
    canal: string;
    canal_dejado: string | null;
    estado: string;
    fase: string;
    motivo: string | null;
    costo: number;
    /** Looks at the SAT. */
    intentos: number;
    epoch: number;
    /** Its id, which is no secret. */
    api_key: string;
    api_key_estado: string | null;
    creada_en: Date;
    plazo: Date;
    terminada_en: Date | null;
    registros: number | null;
    confianza: string | null;
    bytes: number | null;
    paquete_borrado_en: Date | null;
    objetos_borrados_en: Date | null;
    rastro_borrado_en: Date | null;
    /** The trace that it was accepted in (W3C Trace Context). */
    traceparent: string | null;
    toma_hasta: Date | null;
    cola: string | null;
    timbre_vence_en: Date | null;
    timbre_en_cola_desde: Date | null;
  }>;
  readonly copias_selladas: readonly Readonly<{ tipo: string; expira_en: Date }>[];
  readonly movimientos: readonly Readonly<{ en: Date; tipo: string; importe: number; detalle: string | null }>[];
  readonly partes: readonly Readonly<{
    inicio: string;
    fin: string;
    estado: string;
    canal: string;
    vacias: readonly string[];
    folio: string | null;
    envios: number;
    reenvios: number;
    consultas: number;
    fallos: number;
    accesos: number;
    registros: number | null;
    vence_en: Date;
    solicitada_en: Date | null;
    paquetes: readonly InJson<PaqueteTrazado>[];
  }>[];
  readonly eventos: readonly Readonly<{
    en: Date;
    tipo: string;
    codigo: string | null;
    detalle: string | null;
    veces: number;
    ultima_en: Date | null;
  }>[];
  readonly pasos: readonly Readonly<{
    en: Date;
    epoch: number;
    cola: string;
    notas: string;
    proceso: string;
    bandeja_ms: number | null;
    cola_ms: number | null;
    ms: number;
    consultas: readonly ConsultaTrazada[] | null;
    veces: number;
    ultimo_en: Date | null;
  }>[];
  readonly auditoria: readonly Readonly<{ en: Date; accion: string; actor: string; ip: string | null }>[];
  readonly webhooks: readonly Readonly<{
    en: Date;
    tipo: string;
    /** Host and port. */
    receptor: string;
    estado: string;
    intentos: number;
    terminada_en: Date | null;
    intentos_hechos: readonly InJson<IntentoTrazado>[];
  }>[];
}

/** The stories of solicitudes, for an operator. */
export function createTrazas({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * History of any solicitud as of one moment, or null. Contains no credential, sealed or open, no content of
     * packages or messages, and only the host of a receiver's address.
     */
    async read(id: string): Promise<Traza | null> {
      if (!isUuid(id)) return null;
      return inTransaction(pool, (client) => readOn(client, id), SNAPSHOT);
    },
  };
}

async function readOn(client: Connection, id: string): Promise<Traza | null> {
  const solicitud = await rowOf<Traza['solicitud']>(client, SOLICITUD, [id]);
  if (solicitud === null) return null;
  return {
    solicitud,
    copias_selladas: await rowsOf<Traza['copias_selladas'][number]>(client, SELLADAS, [id]),
    movimientos: await rowsOf<Traza['movimientos'][number]>(client, MOVIMIENTOS, [id]),
    partes: await rowsOf<Traza['partes'][number]>(client, PARTES, [id]),
    eventos: await rowsOf<Traza['eventos'][number]>(client, EVENTOS, [id]),
    pasos: await rowsOf<Traza['pasos'][number]>(client, PASOS, [id]),
    auditoria: await rowsOf<Traza['auditoria'][number]>(client, AUDITORIA, [id]),
    webhooks: await rowsOf<Traza['webhooks'][number]>(client, WEBHOOKS, [id]),
  };
}
