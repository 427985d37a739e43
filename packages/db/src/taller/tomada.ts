import type { EstadoParte, SolicitudTomada, TipoCredencial } from '@acuse/core';
import type pg from 'pg';

export interface TomadaRow {
  id: string;
  cuenta_id: string;
  contribuyente_id: string;
  rfc: string;
  tipo: SolicitudTomada['tipo'];
  desde: string;
  hasta: string;
  canal: SolicitudTomada['canal'];
  fase: SolicitudTomada['fase'];
  epoch: number;
  creada_en: Date;
  deadline_at: Date;
  ahora: Date;
  sellada_tipo: TipoCredencial | null;
  kid: string | null;
  sobre: Buffer | null;
  expira_en: Date | null;
  rechazada: boolean;
}

const PARTES = `
SELECT p.id, p.inicio, p.fin, p.estado, p.folio, p.desfase, p.envios, p.reenvios, p.consultas, p.fallos, p.due_at,
       coalesce((SELECT json_agg(json_build_object('paquete', q.paquete, 'orden', q.orden, 'objectKey', q.object_key,
                                                   'relecturas', q.relecturas) ORDER BY q.orden)
                 FROM paquete_sat q WHERE q.parte_id = p.id), '[]') AS paquetes
FROM parte p WHERE p.solicitud_id = $1 ORDER BY p.inicio`;

interface ParteRow {
  id: string;
  inicio: string;
  fin: string;
  estado: EstadoParte;
  folio: string | null;
  desfase: number;
  envios: number;
  reenvios: number;
  consultas: number;
  fallos: number;
  due_at: Date;
  paquetes: { paquete: string; orden: number; objectKey: string | null; relecturas: number }[];
}

/** The claimed solicitud with its parts in order of period. */
export async function tomadaOf(client: pg.Pool | pg.PoolClient, row: TomadaRow): Promise<SolicitudTomada> {
  const { rows } = await client.query<ParteRow>({ name: 'partes', text: PARTES, values: [row.id] });
  const { sellada_tipo: tipo, kid, sobre, expira_en: expiraEn } = row;
  return {
    id: row.id,
    cuentaId: row.cuenta_id,
    contribuyenteId: row.contribuyente_id,
    rfc: row.rfc,
    tipo: row.tipo,
    desde: row.desde,
    hasta: row.hasta,
    canal: row.canal,
    fase: row.fase,
    epoch: row.epoch,
    creadaEn: row.creada_en,
    deadlineAt: row.deadline_at,
    now: row.ahora,
    isCredencialRechazada: row.rechazada,
    sellada: tipo && kid && sobre && expiraEn ? { tipo, kid, sobre, expiraEn } : null,
    partes: rows.map(({ inicio, fin, due_at, ...parte }) => ({
      ...parte,
      periodo: { inicio, fin },
      dueAt: due_at,
    })),
  };
}
