import type { ClaimedSolicitud, CredencialSellada, EstadoParte, TipoCredencial } from '@acuse/core';
import type pg from 'pg';
import { rowsOf } from '../statements.ts';

export interface ClaimedRow {
  id: string;
  cuenta_id: string;
  contribuyente_id: string;
  rfc: string;
  tipo: ClaimedSolicitud['tipo'];
  desde: string;
  hasta: string;
  canal: ClaimedSolicitud['canal'];
  canal_dejado: ClaimedSolicitud['canalDejado'];
  fase: ClaimedSolicitud['fase'];
  epoch: number;
  creada_en: Date;
  deadline_at: Date;
  ahora: Date;
  ciec_rechazada: boolean;
  ciec_kid: string | null;
  ciec_sobre: Buffer | null;
  ciec_expira_en: Date | null;
  efirma_rechazada: boolean;
  efirma_kid: string | null;
  efirma_sobre: Buffer | null;
  efirma_expira_en: Date | null;
}

const PARTES = `
SELECT p.id, p.inicio, p.fin, p.estado, p.canal, p.vacias, p.folio, p.desfase, p.envios, p.reenvios, p.consultas, p.fallos, p.accesos, p.due_at,
       coalesce((SELECT json_agg(json_build_object('paquete', q.paquete, 'orden', q.orden, 'objectKey', q.object_key,
                                                   'relecturas', q.relecturas) ORDER BY q.orden)
                 FROM paquete_sat q WHERE q.parte_id = p.id), '[]') AS paquetes
FROM parte p WHERE p.solicitud_id = $1 ORDER BY p.inicio`;

interface ParteRow {
  id: string;
  inicio: string;
  fin: string;
  estado: EstadoParte;
  canal: ClaimedSolicitud['canal'] | null;
  vacias: ClaimedSolicitud['canal'][];
  folio: string | null;
  desfase: number;
  envios: number;
  reenvios: number;
  consultas: number;
  fallos: number;
  accesos: number;
  due_at: Date;
  paquetes: { paquete: string; orden: number; objectKey: string | null; relecturas: number }[];
}

function selladaOf(row: ClaimedRow, tipo: TipoCredencial): CredencialSellada | null {
  const [kid, sobre, expiraEn] = [row[`${tipo}_kid`], row[`${tipo}_sobre`], row[`${tipo}_expira_en`]];
  return kid && sobre && expiraEn ? { tipo, kid, sobre, expiraEn } : null;
}

/** The claimed solicitud with its parts in order of period. */
export async function claimedOf(client: pg.Pool | pg.PoolClient, row: ClaimedRow): Promise<ClaimedSolicitud> {
  const rows = await rowsOf<ParteRow>(client, PARTES, [row.id]);
  const [own, other] = row.canal === 'portal' ? (['ciec', 'efirma'] as const) : (['efirma', 'ciec'] as const);
  return {
    id: row.id,
    cuentaId: row.cuenta_id,
    contribuyenteId: row.contribuyente_id,
    rfc: row.rfc,
    tipo: row.tipo,
    desde: row.desde,
    hasta: row.hasta,
    canal: row.canal,
    canalDejado: row.canal_dejado,
    fase: row.fase,
    epoch: row.epoch,
    creadaEn: row.creada_en,
    deadlineAt: row.deadline_at,
    now: row.ahora,
    isCredencialRechazada: row[`${own}_rechazada`],
    sellada: selladaOf(row, own),
    otra: row[`${other}_rechazada`] ? null : selladaOf(row, other),
    partes: rows.map(({ inicio, fin, due_at, canal, ...parte }) => ({
      ...parte,
      canal: canal ?? row.canal,
      periodo: { inicio, fin },
      dueAt: due_at,
    })),
  };
}
