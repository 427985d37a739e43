import { randomUUID } from 'node:crypto';
import {
  type ClaveSesion,
  ESPERA_TURNO_MS,
  MAX_RECHAZOS,
  PARTE_POR_CUENTA,
  type RechazoAcceso,
  type RepartoAccesos,
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

/** Somebody in line for a place. */
interface EnFila {
  readonly titular: string;
  readonly cuentaId: string | null;
  readonly desde: number;
  readonly hasta: number;
}

const nameOf = ({ portal, rfc, tipo }: ClaveSesion) => `${portal} ${rfc} ${tipo}`;
const nameOfTitular = ({ rfc, tipo }: TitularAcceso) => `${rfc} ${tipo}`;

/** Sessions in the memory of this process. `clock`: milliseconds since 1970. */
export function createSesionesEnMemoria(clock: () => number = Date.now): SesionesPortal {
  const vivas = new Map<string, Viva>();
  const dueToEnd: Viva[] = [];
  const turnos = new Map<string, { token: string; hasta: number; cuentaId: string | null }>();
  const rechazados = new Map<string, readonly RechazoAcceso[]>();

  const enFila: EnFila[] = [];
  /**
   * Those in line as they are to be served: each with its place in the line of its account, those with the turn
   * counted.
   */
  function isNext(nombre: string, { plazas }: RepartoAccesos, tipo: string): boolean {
    const underWay = new Map<string | null, number>();
    const servedAt = new Map<string | null, number>();
    let free = plazas;
    for (const [titular, { cuentaId, hasta }] of turnos) {
      if (!titular.endsWith(tipo)) continue;
      if (hasta <= clock()) {
        servedAt.set(cuentaId, Math.max(servedAt.get(cuentaId) ?? 0, hasta));
        continue;
      }
      underWay.set(cuentaId, (underWay.get(cuentaId) ?? 0) + 1);
      free -= 1;
    }
    const waiting = enFila.filter(({ titular, hasta }) => hasta > clock() && titular.endsWith(tipo));
    const ranked = waiting.map(({ titular, cuentaId }, at) => {
      const before = waiting.slice(0, at).filter((other) => other.cuentaId === cuentaId);
      const first = (before[0] ?? waiting[at])?.desde ?? 0;
      const nth = (underWay.get(cuentaId) ?? 0) + before.length + 1;
      return { titular, nth, turnoDeCuenta: servedAt.get(cuentaId) ?? first };
    });
    ranked.sort((a, b) => a.nth - b.nth || a.turnoDeCuenta - b.turnoDeCuenta);
    const at = ranked.findIndex(({ titular }) => titular === nombre);
    const nth = ranked[at]?.nth ?? Number.POSITIVE_INFINITY;
    return at < free && nth <= PARTE_POR_CUENTA * (free - at);
  }
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
      return viva === undefined
        ? null
        : { sesion: viva.sesion, ociosaMs: clock() - viva.usadaEn, isNueva: viva.isNueva };
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

    async acquireTurn(titular, leaseMs, reparto) {
      if (held(titular) !== null) return null;
      const nombre = nameOfTitular(titular);
      if (reparto) {
        const { cuentaId } = reparto;
        const at = enFila.findIndex((each) => each.titular === nombre && each.hasta > clock());
        const desde = enFila[at]?.desde ?? clock();
        const own = { titular: nombre, cuentaId, desde, hasta: clock() + ESPERA_TURNO_MS };
        if (at === -1) enFila.push(own);
        else enFila[at] = own;
        if (!isNext(nombre, reparto, titular.tipo)) return null;
      }
      const rest = enFila.filter((each) => each.titular !== nombre && each.hasta > clock());
      enFila.splice(0, enFila.length, ...rest);
      const token = randomUUID();
      turnos.set(nombre, { token, hasta: clock() + leaseMs, cuentaId: reparto?.cuentaId ?? null });
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
    async takeEnded(ociosaMs, limit) {
      for (const [name, { usadaEn }] of [...vivas]) if (clock() - usadaEn >= ociosaMs) retire(name);
      return dueToEnd.splice(0, limit).map(({ clave, sesion }) => ({ clave, sesion }));
    },
  };
}
