import type pg from 'pg';
import { corteOf, type FiltroCfdi, idsOf, Values } from './filtro.ts';

/** CFDI of one state, and their amounts by effect: an egreso is never added to an ingreso. */
export interface SumaPorEfecto {
  readonly cfdi: number;
  /** Decimals. */
  readonly ingresos: string;
  readonly egresos: string;
  readonly nomina: string;
  /** Traslados and pagos, whose amount is zero, and what the SAT calls otherwise. */
  readonly otros: string;
  /** Those without an amount that can be read. */
  readonly sinMonto: number;
}

/** Those in force, those cancelled, and those that the SAT does not give any more, each apart. */
export interface Sumas {
  readonly vigentes: SumaPorEfecto;
  readonly cancelados: SumaPorEfecto;
  readonly ausentes: SumaPorEfecto;
}

export interface ResumenCfdi {
  readonly total: Sumas;
  /** `yyyy-MM`, the oldest first; a month without CFDI is none of them. */
  readonly meses: readonly (Sumas & { readonly mes: string })[];
  readonly efectos: readonly (Sumas & { readonly efecto: string })[];
  /** Order of the CFDI in force: ingresos less egresos, then nómina, then their number. */
  readonly contrapartes: readonly (Sumas & { readonly rfc: string; readonly nombre: string })[];
  /** All others together. */
  readonly otras: Sumas & { readonly contrapartes: number };
}

/** Rows that are added up, at most: within the time that a call may take. */
const MOST = 500_000;

/** More CFDI are in the period than are added up at once. */
export interface DemasiadosCfdi {
  readonly demasiados: true;
  readonly tope: number;
}

const AMOUNTS = [
  ['ingresos', `efecto = 'I'`],
  ['egresos', `efecto = 'E'`],
  ['nomina', `efecto = 'N'`],
  ['otros', `efecto NOT IN ('I', 'E', 'N')`],
] as const;

/** At least two digits after the point, and as many as the longest amount has. */
const amount = (what: string) => `(coalesce(sum(monto) FILTER (WHERE ${what}), 0) + 0.00)::text`;

const sumaOf = (estado: string) => {
  const amounts = AMOUNTS.map(([name, what]) => `'${name}', ${amount(`estado = '${estado}' AND ${what}`)}`);
  const count = (column: string) => `coalesce(sum(${column}) FILTER (WHERE estado = '${estado}'), 0)`;
  return `jsonb_build_object('cfdi', ${count('n')}, ${amounts.join(', ')}, 'sinMonto', ${count('sin')})`;
};

/** Of rows with `estado`, `efecto`, `n`, `monto` and `sin`. */
const SUMAS = `'vigentes', ${sumaOf('V')}, 'cancelados', ${sumaOf('C')}, 'ausentes', ${sumaOf('A')}`;

/** CFDI in force of one counterparty, for the order: `$n` of the others follow. */
const inForce = (efecto: string) => `coalesce(sum(monto) FILTER (WHERE estado = 'V' AND efecto = '${efecto}'), 0)`;

function text(indexed: readonly string[], asked: readonly string[], most: string, top: string): string {
  return `
WITH x AS NOT MATERIALIZED (
  SELECT x.emitida, x.contraparte_id, x.efecto, x.monto,
    CASE WHEN x.ausente IS NOT NULL THEN 'A' WHEN x.vigente THEN 'V' ELSE 'C' END AS estado,
    ${asked.length === 0 ? 'true' : `coalesce(${asked.map((each) => `(${each})`).join(' AND ')}, false)`} AS vale
  FROM cfdi x WHERE ${indexed.join(' AND ')} LIMIT ${most}::int + 1
), t AS MATERIALIZED (
  SELECT date_trunc('month', emitida) AS mes, estado, efecto, vale, count(*) AS n, sum(monto) AS monto, count(*) - count(monto) AS sin
  FROM x GROUP BY 1, 2, 3, 4
), m AS (
  SELECT * FROM t WHERE vale
), g AS (
  SELECT contraparte_id, estado, efecto, count(*) AS n, sum(monto) AS monto, count(*) - count(monto) AS sin FROM x WHERE vale GROUP BY 1, 2, 3
), b AS MATERIALIZED (
  SELECT c.rfc, estado, efecto, sum(n) AS n, sum(monto) AS monto, sum(sin) AS sin, max(c.id) FILTER (WHERE c.nombre <> '') AS nombrado_id
  FROM g JOIN nombrado c ON c.id = g.contraparte_id GROUP BY c.rfc, estado, efecto
), r AS MATERIALIZED (
  SELECT rfc, max(nombrado_id) AS nombrado_id, row_number() OVER (
    ORDER BY ${inForce('I')} - ${inForce('E')} DESC, ${inForce('N')} DESC, sum(n) DESC, rfc COLLATE "C") AS lugar
  FROM b GROUP BY rfc
)
SELECT (SELECT coalesce(sum(n), 0) > ${most}::int FROM t) AS demasiados,
  (SELECT jsonb_build_object(${SUMAS}) FROM m) AS total,
  (SELECT coalesce(jsonb_agg(j ORDER BY mes), '[]') FROM (
    SELECT mes, jsonb_build_object('mes', to_char(mes, 'YYYY-MM'), ${SUMAS}) AS j FROM m GROUP BY mes) a) AS meses,
  (SELECT coalesce(jsonb_agg(j ORDER BY efecto), '[]') FROM (
    SELECT efecto, jsonb_build_object('efecto', efecto, ${SUMAS}) AS j FROM m GROUP BY efecto) a) AS efectos,
  (SELECT coalesce(jsonb_agg(j ORDER BY lugar), '[]') FROM (
    SELECT lugar, jsonb_build_object('rfc', r.rfc, 'nombre', coalesce(max(c.nombre), ''), ${SUMAS}) AS j
    FROM r JOIN b USING (rfc) LEFT JOIN nombrado c ON c.id = r.nombrado_id WHERE lugar <= ${top}::int GROUP BY lugar, r.rfc) a) AS contrapartes,
  (SELECT jsonb_build_object('contrapartes', count(DISTINCT rfc), ${SUMAS}) FROM r JOIN b USING (rfc) WHERE lugar > ${top}::int) AS otras`;
}

export interface PedidoResumen {
  readonly almacenId: number;
  /** One kind only: sales and purchases are never added up. */
  readonly filtro: FiltroCfdi;
  /** Counterparties listed by name. */
  readonly contrapartes: number;
  /** Rows that are added up, at most. */
  readonly tope?: number;
}

/** Numbers and amounts of the CFDI that a filter means. */
export async function readResumen(
  pool: pg.Pool,
  { almacenId, filtro, contrapartes, tope = MOST }: PedidoResumen,
): Promise<ResumenCfdi | DemasiadosCfdi> {
  const values = new Values();
  const ids = filtro.contraparte === undefined ? null : await idsOf(pool, almacenId, filtro.contraparte);
  const corte = corteOf(almacenId, filtro, ids, values);
  const indexed = [
    ...corte.indexed,
    `x.recibido = ANY (${values.add(filtro.tipos.map((tipo) => tipo === 'recibidos'))}::boolean[])`,
  ];
  if (corte.contrapartes !== null) indexed.push(`x.contraparte_id = ANY (${values.add(corte.contrapartes)}::int[])`);
  // Not prepared: which partitions and which index are best depends on the values.
  const statement = text(indexed, corte.asked, values.add(tope), values.add(contrapartes));
  const { rows } = await pool.query<ResumenCfdi & { readonly demasiados: boolean }>(statement, values.all);
  const [row] = rows;
  if (row === undefined) throw new Error('no summary');
  const { demasiados, ...resumen } = row;
  return demasiados ? { demasiados, tope } : resumen;
}
