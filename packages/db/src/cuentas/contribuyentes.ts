import { randomUUID } from 'node:crypto';
import type { PathOperacion } from '@acuse/contract';
import type { Autor, CanalSat, Modo } from '@acuse/core';
import { joinCredencial } from '../access-snapshots.ts';
import type { Prisma } from '../generated/client.ts';
import type { Records } from '../records.ts';
import { rowOf, rowsOf } from '../statements.ts';
import { note } from './auditoria.ts';
import { Rechazo, refusingCopies } from './rechazo.ts';

export interface LlaveVista {
  readonly id: string;
  readonly modo: Modo;
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
  /** First bytes of the stored credential: they show whether it needs a shred key. */
  readonly encabezado: Buffer;
  readonly tieneShred: boolean;
}

/** A taxpayer for its owner: states and dates, no sealed bytes. Credentials are those of the active key. */
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

type Row = Omit<RfcVista, 'llave' | 'ciec' | 'cer' | 'efirmaKey'> & { readonly [column: string]: unknown };

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
${joinCredencial('ciec', 'ciec')}
${joinCredencial('cer', 'efirma_cer')}
${joinCredencial('fk', 'efirma_key')}
LEFT JOIN efirma_shred s ON s.credencial_id = fk.id AND s.expira_en > now()
WHERE c.cuenta_id = $1`;

const FIND = `${SELECT} AND c.rfc = $2`;
const list = (after: string, order: 'ASC' | 'DESC') =>
  `${SELECT} AND (strpos(c.rfc, $2) > 0 OR strpos(upper(coalesce(c.nombre, cer.titular)), $2) > 0) AND ${after} ORDER BY c.rfc ${order} LIMIT $4`;
const LIST = list('c.rfc > $3', 'ASC');
const LIST_REVERSED = list(`($3 = '' OR c.rfc < $3)`, 'DESC');

// The only index that begins with the key has exactly the open solicitudes.
const ABIERTAS = `
SELECT count(*)::int AS abiertas, (count(*) FILTER (WHERE s.estado = 'ESPERA_EFIRMA'))::int AS esperan
FROM solicitud s WHERE s.api_key_id = $2 AND s.cuenta_id = $1 AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')`;

function toVista(row: Row): RfcVista {
  // The columns have the types of the select list above.
  const of = <T>(column: string) => row[column] as T;
  const { id, cuentaId, rfc, nombre, idCif, creadoEn, deshabilitadas, ips } = row;
  return {
    id,
    cuentaId,
    rfc,
    nombre,
    idCif,
    creadoEn,
    deshabilitadas,
    ips,
    llave: of<string | null>('llave_id') && {
      id: of('llave_id'),
      modo: of('modo'),
      ultimos4: of('ultimos4'),
      creadaEn: of('llave_creada'),
      registradaEn: of('registrada'),
      ultimoUsoEn: of('usada'),
      ultimaIp: of('ip'),
    },
    ciec: of<string | null>('ciec_id') && { creadaEn: of('ciec_creada'), rechazadaEn: of('ciec_rechazada') },
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

/** Whose, by whom and from where. */
interface Cambio extends Autor {
  readonly cuentaId: string;
  readonly rfc: string;
}

/** What a change finds of its taxpayer. */
type Suyo = Pick<RfcVista, 'id' | 'nombre' | 'idCif'>;

/**
 * Taxpayers of accounts and what their keys may do. Every question and every change is narrowed to one account: an RFC
 * of another is not there, and its change answers false. Only changes are noted in the audit log. The next call sees
 * them: each moves the taxpayer's version.
 */
export function createContribuyentes({ pool, prisma }: Pick<Records, 'pool' | 'prisma'>) {
  /** Makes a change of a taxpayer, which is locked first, and notes what `run` gives. False without the taxpayer. */
  const change = (
    { cuentaId, rfc, actor, ip }: Cambio,
    accion: string,
    run: (tx: Prisma.TransactionClient, suyo: Suyo) => Promise<readonly Prisma.InputJsonObject[]>,
  ): Promise<boolean> =>
    prisma.$transaction(async (tx) => {
      const [suyo] = await tx.$queryRaw<Suyo[]>`SELECT id, nombre, id_cif AS "idCif" FROM contribuyente
        WHERE cuenta_id = ${cuentaId}::uuid AND rfc = ${rfc} FOR NO KEY UPDATE`;
      if (!suyo) return false;
      const detalles = await run(tx, suyo);
      await note(
        tx,
        ...detalles.map((detalle) => ({ accion, cuentaId, contribuyenteId: suyo.id, detalle, actor, ip })),
      );
      return true;
    });
  const select = { id: true };

  return {
    /** Adds an RFC (already normalised) to an account. Rejects with `RFC_REPETIDO` or `CUENTA_DESCONOCIDA`. */
    async add(input: Cambio & { nombre?: string; idCif?: string }): Promise<{ id: string; rfc: string }> {
      const { cuentaId, rfc, actor, ip, nombre = null, idCif = null } = input;
      const id = randomUUID();
      const added = prisma.$transaction(async (tx) => {
        if (!(await tx.cuenta.findUnique({ where: { id: cuentaId }, select }))) throw new Rechazo('CUENTA_DESCONOCIDA');
        await tx.contribuyente.create({ data: { id, cuentaId, rfc, nombre, idCif }, select });
        await note(tx, { accion: 'agregar-rfc', cuentaId, contribuyenteId: id, actor, ip });
      });
      await refusingCopies('RFC_REPETIDO', added);
      return { id, rfc };
    },

    async find(cuentaId: string, rfc: string): Promise<RfcVista | null> {
      const row = await rowOf<Row>(pool, FIND, [cuentaId, rfc]);
      return row && toVista(row);
    },

    /**
     * In alphabetical order, or from Z to A, after `despues`; `contiene` is a part of the RFC or of the name, in
     * capitals; empty for all.
     */
    async list(
      cuentaId: string,
      filter: { contiene: string; despues: string; limit: number; isReversed?: boolean },
    ): Promise<RfcVista[]> {
      const values = [cuentaId, filter.contiene, filter.despues, filter.limit];
      const rows = await rowsOf<Row>(pool, filter.isReversed ? LIST_REVERSED : LIST, values);
      return rows.map(toVista);
    },

    /** Only the names of all of them, or of the first `limite`, in alphabetical order. */
    names: (cuentaId: string, limite?: number): Promise<{ rfc: string; idCif: string | null }[]> =>
      prisma.contribuyente.findMany({
        where: { cuentaId },
        select: { rfc: true, idCif: true },
        orderBy: { rfc: 'asc' },
        ...(limite === undefined ? {} : { take: limite }),
      }),

    /** The RFC that the account has had longest, or null. */
    async oldest(cuentaId: string): Promise<string | null> {
      const found = await prisma.contribuyente.findFirst({
        where: { cuentaId },
        select: { rfc: true },
        orderBy: [{ creadoEn: 'asc' }, { id: 'asc' }],
      });
      return found?.rfc ?? null;
    },

    /** Open solicitudes that a key asked for, and how many of them wait for an e.firma. */
    async abiertas(cuentaId: string, apiKeyId: string): Promise<{ abiertas: number; esperan: number }> {
      const row = await rowOf<{ abiertas: number; esperan: number }>(pool, ABIERTAS, [cuentaId, apiKeyId]);
      return row ?? { abiertas: 0, esperan: 0 };
    },

    /** How the account calls a taxpayer; null leaves it to the certificate. */
    setNombre: ({ nombre, ...cambio }: Cambio & { nombre: string | null }) =>
      change(cambio, 'nombrar-rfc', async (tx, { id, nombre: before }) => {
        if (before === nombre) return [];
        await tx.contribuyente.update({ where: { id }, data: { nombre }, select });
        return [{ nombre }];
      }),

    /** Null forgets it. */
    setIdCif: ({ idCif, ...cambio }: Cambio & { idCif: string | null }) =>
      change(cambio, 'cambiar-idcif', async (tx, { id, idCif: before }) => {
        if (before === idCif) return [];
        await tx.contribuyente.update({ where: { id }, data: { idCif, version: { increment: 1 } }, select });
        return [{ id_cif: idCif }];
      }),

    /** Switches all of these operations (paths without /api/v1/) at once. */
    setOperaciones: (cambio: Cambio & { operaciones: readonly PathOperacion[]; isHabilitada: boolean }) =>
      change(cambio, `${cambio.isHabilitada ? '' : 'des'}habilitar-operacion`, async (tx, { id: contribuyenteId }) => {
        const where = { contribuyenteId, path: { in: [...cambio.operaciones] } };
        const off = await tx.operacionDeshabilitada.findMany({ where, select: { path: true } });
        if (cambio.isHabilitada) {
          await tx.operacionDeshabilitada.deleteMany({ where });
          return off.map(({ path }) => ({ operacion: path }));
        }
        const on = [...new Set<string>(cambio.operaciones)].filter((path) => off.every((each) => each.path !== path));
        await tx.operacionDeshabilitada.createMany({ data: on.map((path) => ({ contribuyenteId, path })) });
        return on.map((operacion) => ({ operacion }));
      }),

    /** Replaces the addresses that may call (CIDR, each the first address of its network); none means any. */
    setIps: ({ cidrs, ...cambio }: Cambio & { cidrs: readonly string[] }) =>
      change(cambio, 'cambiar-ips', async (tx, { id: contribuyenteId }) => {
        const data = [...new Set(cidrs)].map((cidr) => ({ contribuyenteId, cidr }));
        const removed = await tx.ipPermitida.deleteMany({ where: { contribuyenteId, cidr: { notIn: [...cidrs] } } });
        const added = await tx.ipPermitida.createMany({ data, skipDuplicates: true });
        return removed.count + added.count === 0 ? [] : [{ cidrs: data.map(({ cidr }) => cidr) }];
      }),
  };
}
