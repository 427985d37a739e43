import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import { isPrismaUnique } from './cuentas.ts';
import { Rechazo } from './rechazo.ts';

export interface ContribuyenteVista {
  readonly id: string;
  readonly cuentaId: string;
  readonly rfc: string;
  readonly idCif: string | null;
}

/** Taxpayers of accounts and what their keys may do. */
export function createContribuyentes({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** Adds an RFC (already normalised) to an account. Rejects with `RFC_REPETIDO` or `CUENTA_DESCONOCIDA`. */
    async add(input: {
      cuentaId: string;
      rfc: string;
      nombre?: string;
      idCif?: string;
      actor: string;
    }): Promise<ContribuyenteVista> {
      const cuenta = await prisma.cuenta.findUnique({ where: { id: input.cuentaId } });
      if (!cuenta) throw new Rechazo('CUENTA_DESCONOCIDA');
      const id = randomUUID();
      try {
        const [contribuyente] = await prisma.$transaction([
          prisma.contribuyente.create({
            data: {
              id,
              cuentaId: input.cuentaId,
              rfc: input.rfc,
              nombre: input.nombre ?? null,
              idCif: input.idCif ?? null,
            },
          }),
          prisma.auditoria.create({
            data: {
              cuentaId: input.cuentaId,
              contribuyenteId: id,
              actor: input.actor,
              accion: 'agregar-rfc',
            },
          }),
        ]);
        return contribuyente;
      } catch (error) {
        if (isPrismaUnique(error)) throw new Rechazo('RFC_REPETIDO');
        throw error;
      }
    },

    find(cuentaId: string, rfc: string): Promise<ContribuyenteVista | null> {
      return prisma.contribuyente.findUnique({ where: { cuentaId_rfc: { cuentaId, rfc } } });
    },

    list(cuentaId: string): Promise<ContribuyenteVista[]> {
      return prisma.contribuyente.findMany({ where: { cuentaId }, orderBy: { rfc: 'asc' } });
    },

    /** Paths, without /api/v1/, of the operations that are switched off for a taxpayer. */
    async listDeshabilitadas(contribuyenteId: string): Promise<string[]> {
      const rows = await prisma.operacionDeshabilitada.findMany({
        where: { contribuyenteId },
        select: { operacion: true },
      });
      return rows.map(({ operacion }) => operacion);
    },

    /** Switches one operation (path without /api/v1/) for a taxpayer. The next call already sees it. */
    async setOperacion(input: {
      contribuyenteId: string;
      operacion: string;
      isHabilitada: boolean;
      actor: string;
    }) {
      const { contribuyenteId, operacion } = input;
      const key = { contribuyenteId_operacion: { contribuyenteId, operacion } };
      await prisma.$transaction([
        input.isHabilitada
          ? prisma.operacionDeshabilitada.deleteMany({ where: { contribuyenteId, operacion } })
          : prisma.operacionDeshabilitada.upsert({
              where: key,
              create: { contribuyenteId, operacion },
              update: {},
            }),
        prisma.auditoria.create({
          data: {
            contribuyenteId,
            actor: input.actor,
            accion: input.isHabilitada ? 'habilitar-operacion' : 'deshabilitar-operacion',
            detalle: { operacion },
          },
        }),
      ]);
    },

    /** Replaces the addresses (CIDR) that may call for a taxpayer; none means any. */
    async setIps(input: { contribuyenteId: string; cidrs: readonly string[]; actor: string }) {
      const { contribuyenteId } = input;
      const cidrs = [...new Set(input.cidrs)];
      await prisma.$transaction([
        prisma.ipPermitida.deleteMany({ where: { contribuyenteId } }),
        prisma.ipPermitida.createMany({ data: cidrs.map((cidr) => ({ contribuyenteId, cidr })) }),
        prisma.auditoria.create({
          data: { contribuyenteId, actor: input.actor, accion: 'cambiar-ips', detalle: { cidrs } },
        }),
      ]);
    },
  };
}
