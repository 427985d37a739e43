import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import { isUniqueViolation } from '../errors.ts';
import { SIN_RESPUESTA } from '../saldos.ts';

/** Who does something in the panel, for the audit log. */
export interface QuienOpera {
  readonly actor: string;
  readonly ip: string;
}

export interface CuentaOperada {
  readonly id: string;
  readonly nombre: string;
  readonly email: string;
  readonly saldo: number;
  readonly creadaEn: Date;
  readonly rfcs: number;
  /** Solicitudes that have not ended. */
  readonly abiertas: number;
}

export interface RfcOperado {
  readonly rfc: string;
  readonly nombre: string | null;
  readonly creadoEn: Date;
  /** Last four characters of its active key; null without one. */
  readonly ultimos4: string | null;
  readonly ultimoUsoEn: Date | null;
}

/** A solicitud that has not ended. */
export interface SolicitudAbierta {
  readonly id: string;
  readonly cuentaId: string;
  readonly cuenta: string;
  readonly rfc: string;
  readonly tipo: string;
  readonly estado: string;
  readonly fase: string;
  readonly canal: string;
  readonly dueAt: Date;
  readonly creadaEn: Date;
  readonly deadlineAt: Date;
}

export interface Devolucion {
  readonly id: string;
  readonly cuentaId: string;
  readonly cuenta: string;
  readonly importe: number;
  readonly operacion: string | null;
  readonly detalle: string;
  readonly creadoEn: Date;
}

export interface SeenHeartbeat {
  readonly proceso: string;
  readonly rol: string;
  readonly vistoEn: Date;
  readonly consumidoEn: Date | null;
}

/** What became of credits that the operator gave; `REFERENCIA_USADA` when another account or amount had that reference. */
export type Abono =
  | { readonly resultado: 'ABONADO' | 'REPETIDO'; readonly saldo: number }
  | { readonly resultado: 'REFERENCIA_USADA' | 'CUENTA_DESCONOCIDA' };

/** Seconds after which a due solicitud that nobody holds is late: the reconciler would have rung it again by then. */
const GRACIA = 30;

const ABIERTAS = `
SELECT s.id, s.cuenta_id AS "cuentaId", q.email AS cuenta, s.rfc, s.tipo, s.estado, s.fase, s.canal, s.due_at AS "dueAt",
       s.creada_en AS "creadaEn", s.deadline_at AS "deadlineAt"
FROM solicitud s JOIN cuenta q ON q.id = s.cuenta_id`;

const ATRASADA = `s.estado = 'EN_PROCESO' AND s.due_at < now() - make_interval(secs => ${GRACIA})
  AND (s.lease_until IS NULL OR s.lease_until < now())`;

/** The refunds that nobody asked for: of calls that their process left, and of solicitudes past their deadline. */
const DEVOLUCIONES = `
SELECT m.id, m.cuenta_id AS "cuentaId", q.email AS cuenta, m.importe, m.operacion, m.detalle, m.creado_en AS "creadoEn"
FROM movimiento m JOIN cuenta q ON q.id = m.cuenta_id
WHERE m.tipo = 'reembolso' AND m.detalle IN ('${SIN_RESPUESTA}', 'PLAZO_AGOTADO')
ORDER BY m.creado_en DESC, m.id DESC LIMIT $1`;

const ABONAR = `
WITH antes AS (SELECT cuenta_id, importe FROM movimiento WHERE pago_id = $3),
libro AS (
  INSERT INTO movimiento (cuenta_id, op_id, tipo, importe, pago_id, detalle)
  SELECT id, $5::uuid, 'compra', $2::integer, $3::text, $4::text FROM cuenta WHERE id = $1 AND NOT EXISTS (SELECT FROM antes)
  RETURNING cuenta_id, importe
), abono AS (
  UPDATE cuenta SET saldo = saldo + libro.importe FROM libro WHERE cuenta.id = libro.cuenta_id RETURNING saldo
), nota AS (
  INSERT INTO auditoria (cuenta_id, actor, accion, detalle, ip)
  SELECT cuenta_id, $6, 'abonar-creditos', jsonb_build_object('creditos', importe, 'referencia', $3::text, 'detalle', $4::text), $7 FROM libro
)
SELECT (SELECT saldo FROM abono) AS abonado, (SELECT saldo FROM cuenta WHERE id = $1) AS saldo,
       EXISTS (SELECT FROM antes WHERE cuenta_id = $1 AND importe = $2) AS repetido, EXISTS (SELECT FROM antes) AS usada`;

const ANSWER = `
WITH contestado AS (
  UPDATE captcha_pendiente SET respuesta = $2 WHERE id::text = $1 AND respuesta IS NULL AND vence_en > now() RETURNING id
)
INSERT INTO auditoria (actor, accion, detalle, ip)
SELECT $3, 'contestar-captcha', jsonb_build_object('captcha', id), $4 FROM contestado`;

const ASK_LISTA = `
WITH pedido AS (
  INSERT INTO efos_pedido (pedido_en, forzar) VALUES (clock_timestamp(), $1)
  ON CONFLICT (unica) DO UPDATE SET pedido_en = excluded.pedido_en, forzar = excluded.forzar RETURNING forzar
)
INSERT INTO auditoria (actor, accion, detalle, ip) SELECT $2, 'pedir-lista-69b', jsonb_build_object('forzar', forzar), $3 FROM pedido`;

/** What the operator of the installation sees and does. Every change is audited in its own statement. */
export function createOperador({ pool, prisma }: Pick<Database, 'pool' | 'prisma'>) {
  return {
    /** Accounts, newest first, whose e-mail, name or one of whose RFCs contains `texto`; `salta` skips the pages before. */
    async cuentas(input: { texto: string; salta: number; limite: number }): Promise<CuentaOperada[]> {
      const texto = input.texto.trim();
      const contains = { contains: texto, mode: 'insensitive' as const };
      const cuentas = await prisma.cuenta.findMany({
        ...(texto === ''
          ? {}
          : {
              where: {
                OR: [
                  { email: contains },
                  { nombre: contains },
                  { contribuyentes: { some: { rfc: contains } } },
                ],
              },
            }),
        include: {
          _count: {
            select: {
              contribuyentes: true,
              solicitudes: { where: { estado: { in: ['EN_PROCESO', 'ESPERA_EFIRMA'] } } },
            },
          },
        },
        orderBy: [{ creadaEn: 'desc' }, { id: 'desc' }],
        skip: input.salta,
        take: input.limite,
      });
      return cuentas.map(({ _count, id, nombre, email, saldo, creadaEn }) => ({
        ...{ id, nombre, email, saldo, creadaEn },
        rfcs: _count.contribuyentes,
        abiertas: _count.solicitudes,
      }));
    },

    /** One account with its people, its RFCs and what is open; null when there is none with that id, whatever `id` is. */
    async cuenta(id: string) {
      if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return null;
      const cuenta = await prisma.cuenta.findUnique({ where: { id } });
      if (cuenta === null) return null;
      const rfcs = await pool.query<RfcOperado>(
        `SELECT c.rfc, c.nombre, c.creado_en AS "creadoEn", k.ultimos4, u.ultimo_uso_en AS "ultimoUsoEn"
         FROM contribuyente c LEFT JOIN api_key k ON k.contribuyente_id = c.id AND k.estado = 'ACTIVA'
         LEFT JOIN api_key_uso u ON u.api_key_id = k.id WHERE c.cuenta_id = $1 ORDER BY c.rfc`,
        [id],
      );
      const abiertas = await pool.query<SolicitudAbierta>(
        `${ABIERTAS}
         WHERE s.cuenta_id = $1 AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') ORDER BY s.creada_en DESC LIMIT 50`,
        [id],
      );
      const personas = await prisma.usuario.findMany({
        where: { cuentaId: id },
        select: { id: true, cuentaId: true, email: true, nombre: true },
        orderBy: { email: 'asc' },
        take: 100,
      });
      return { cuenta, personas, rfcs: rfcs.rows, abiertas: abiertas.rows };
    },

    /** Gives an account credits, once per `referencia` however often it is sent. `creditos` is a positive integer. */
    async abonar(
      input: { cuentaId: string; creditos: number; referencia: string; detalle: string } & QuienOpera,
    ): Promise<Abono> {
      const { cuentaId, creditos, referencia, detalle, actor, ip } = input;
      const values = [cuentaId, creditos, referencia, detalle, randomUUID(), actor, ip];
      const run = () =>
        pool.query<{ abonado: number | null; saldo: number | null; repetido: boolean; usada: boolean }>(
          ABONAR,
          values,
        );
      const { rows } = await run().catch((error: unknown) => {
        // The same reference was being credited at this moment: now its row is visible.
        if (!isUniqueViolation(error)) throw error;
        return run();
      });
      const row = rows[0];
      if (!row || row.saldo === null) return { resultado: 'CUENTA_DESCONOCIDA' };
      if (row.abonado !== null) return { resultado: 'ABONADO', saldo: row.abonado };
      return row.repetido ? { resultado: 'REPETIDO', saldo: row.saldo } : { resultado: 'REFERENCIA_USADA' };
    },

    /** Solicitudes that somebody should have taken up by now, the most overdue first. */
    async atrasadas(limite: number): Promise<SolicitudAbierta[]> {
      const text = `${ABIERTAS} WHERE ${ATRASADA} ORDER BY s.due_at LIMIT $1`;
      return (await pool.query<SolicitudAbierta>({ name: 'operador-atrasadas', text, values: [limite] }))
        .rows;
    },

    /** Refunds that the service gave by itself, newest first. */
    async devoluciones(limite: number): Promise<Devolucion[]> {
      const query = { name: 'operador-devoluciones', text: DEVOLUCIONES, values: [limite] };
      return (await pool.query<Devolucion>(query)).rows;
    },

    /** The processes that were seen in the last day. */
    async heartbeats(): Promise<SeenHeartbeat[]> {
      const { rows } = await pool.query<SeenHeartbeat>(
        'SELECT proceso, rol, visto_en AS "vistoEn", consumido_en AS "consumidoEn" FROM latido ORDER BY rol, proceso',
      );
      return rows;
    },

    /** Answers a captcha that waits for a person; false when nobody waits for it any more. */
    async contestarCaptcha(input: { id: string; texto: string } & QuienOpera): Promise<boolean> {
      const { rowCount } = await pool.query(ANSWER, [input.id, input.texto, input.actor, input.ip]);
      return rowCount === 1;
    },

    /** Asks the workers to fetch list 69-B now. */
    async pedirLista(input: { forzar: boolean } & QuienOpera): Promise<void> {
      await pool.query(ASK_LISTA, [input.forzar, input.actor, input.ip]);
    },
  };
}

export type Operador = ReturnType<typeof createOperador>;
