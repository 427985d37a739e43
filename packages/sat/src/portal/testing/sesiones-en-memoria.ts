import { randomUUID } from 'node:crypto';
import {
  type ClaveSesion,
  MAX_RECHAZOS,
  type RechazoAcceso,
  type SesionesPortal,
  type SesionPortal,
  type TitularAcceso,
} from '@acuse/core';

interface Viva {
  readonly clave: ClaveSesion;
  readonly sesion: SesionPortal;
  readonly usadaEn: number;
  readonly isNueva: boolean;
}

const nameOf = ({ portal, rfc, tipo }: ClaveSesion) => `${portal} ${rfc} ${tipo}`;
const nameOfTitular = ({ rfc, tipo }: TitularAcceso) => `${rfc} ${tipo}`;

/**
 * Sessions in the memory of this process, with places for everybody who logs in. `clock`: milliseconds since 1970.
 */
export function createSesionesEnMemoria(clock: () => number = Date.now): SesionesPortal {
  const vivas = new Map<string, Viva>();
  const dueToEnd: Viva[] = [];
  const turnos = new Map<string, { token: string; hasta: number }>();
  const rechazados = new Map<string, readonly RechazoAcceso[]>();

  const held = (titular: TitularAcceso, token?: string) => {
    const turno = turnos.get(nameOfTitular(titular));
    const isHeld = turno !== undefined && turno.hasta > clock();
    return isHeld && (token === undefined || turno.token === token) ? turno : null;
  };
  const liveOf = (clave: ClaveSesion, id: string) => {
    const viva = vivas.get(nameOf(clave));
    return viva?.sesion.id === id ? viva : null;
  };
  const retire = (name: string) => {
    const viva = vivas.get(name);
    if (viva !== undefined) dueToEnd.push(viva);
    vivas.delete(name);
  };

  return {
    async load(clave) {
      const viva = vivas.get(nameOf(clave));
      return viva === undefined ? null : { sesion: viva.sesion, idleMs: clock() - viva.usadaEn, isNueva: viva.isNueva };
    },
    async save(clave, sesion) {
      retire(nameOf(clave));
      vivas.set(nameOf(clave), { clave, sesion, usadaEn: clock(), isNueva: true });
    },
    async touch(clave, id, cookies) {
      const viva = liveOf(clave, id);
      if (viva === null) return;
      const used = { ...viva, sesion: { ...viva.sesion, cookies }, usadaEn: clock(), isNueva: false };
      vivas.set(nameOf(clave), used);
    },
    async drop(clave, id) {
      if (liveOf(clave, id) !== null) vivas.delete(nameOf(clave));
    },

    async acquireTurn(titular, leaseMs) {
      if (held(titular) !== null) return null;
      const token = randomUUID();
      turnos.set(nameOfTitular(titular), { token, hasta: clock() + leaseMs });
      return { token };
    },
    async extendTurn(titular, { token }, leaseMs) {
      const turno = held(titular, token);
      if (turno !== null) turno.hasta = Math.max(turno.hasta, clock() + leaseMs);
      return turno !== null;
    },
    async releaseTurn(titular, { token }) {
      const turno = turnos.get(nameOfTitular(titular));
      if (turno?.token === token) turno.hasta = Math.min(turno.hasta, clock());
    },

    async rechazos(titular) {
      return rechazados.get(nameOfTitular(titular)) ?? [];
    },
    async saveRechazo(titular, rechazo) {
      const others = (rechazados.get(nameOfTitular(titular)) ?? []).filter((r) => r.huella !== rechazo.huella);
      rechazados.set(nameOfTitular(titular), [rechazo, ...others].slice(0, MAX_RECHAZOS));
    },

    async forget(rfc) {
      for (const tipo of ['ciec', 'efirma'] as const) rechazados.delete(nameOfTitular({ rfc, tipo }));
      for (const [name, { clave }] of [...vivas]) if (clave.rfc === rfc) retire(name);
    },
    async takeEnded(idleMs, limit) {
      for (const [name, { usadaEn }] of [...vivas]) if (clock() - usadaEn >= idleMs) retire(name);
      return dueToEnd.splice(0, limit).map(({ clave, sesion }) => ({ clave, sesion }));
    },
  };
}
