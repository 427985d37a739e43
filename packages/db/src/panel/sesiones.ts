import type { Database } from '../database.ts';

export type RolUsuario = 'CLIENTE' | 'OPERADOR';

/** ANONIMA only carries a message; SEGUNDO_PASO knows the password but not yet the code; COMPLETA is logged in. */
export type FaseSesion = 'ANONIMA' | 'SEGUNDO_PASO' | 'COMPLETA';

export interface AvisoGuardado {
  readonly tono: 'exito' | 'error' | 'info';
  readonly texto: string;
}

/** A live session with its user, as it is read for every request. */
export interface SesionPanel {
  readonly id: string;
  readonly fase: FaseSesion;
  readonly aviso: AvisoGuardado | null;
  readonly usuario: {
    readonly id: string;
    readonly cuentaId: string;
    readonly email: string;
    readonly nombre: string;
    readonly rol: RolUsuario;
    /** Why the operator suspended the account; null while it is open. */
    readonly suspension: string | null;
  } | null;
}

/** One line of a user's list of sessions. */
export interface SesionVista {
  readonly id: string;
  /** The browser's User-Agent, shortened. */
  readonly agente: string;
  readonly ip: string;
  readonly creadaEn: Date;
  readonly ultimoUsoEn: Date;
}

export interface NuevaSesion {
  /** SHA-256 of the 256-bit id in the cookie; the id itself is stored nowhere. */
  readonly huella: Buffer;
  readonly id: string;
  readonly usuarioId: string | null;
  readonly fase: FaseSesion;
  readonly agente: string;
  readonly ip: string;
  readonly aviso?: AvisoGuardado;
  /** Seconds without use after which it is over. */
  readonly inactividad: number;
  /** Seconds after which it is over in any case. */
  readonly duracion: number;
}

const LOAD = `
SELECT s.id, s.fase, s.aviso, s.ultimo_uso_en < now() - interval '30 seconds' AS vieja,
       u.id AS usuario_id, u.cuenta_id, u.email, u.nombre, u.rol, q.suspension_motivo AS suspension
FROM sesion s LEFT JOIN usuario u ON u.id = s.usuario_id LEFT JOIN cuenta q ON q.id = u.cuenta_id
WHERE s.huella = $1 AND s.inactiva_en > now() AND s.vence_en > now()`;

const TOUCH = `
UPDATE sesion SET ultimo_uso_en = now(), inactiva_en = now() + make_interval(secs => $2), ip = $3 WHERE huella = $1`;

const INSERT = `
INSERT INTO sesion (huella, id, usuario_id, fase, agente, ip, aviso, inactiva_en, vence_en)
VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8), now() + make_interval(secs => $9))`;

interface LoadRow {
  id: string;
  fase: FaseSesion;
  aviso: AvisoGuardado | null;
  vieja: boolean;
  usuario_id: string | null;
  cuenta_id: string;
  email: string;
  nombre: string;
  rol: RolUsuario;
  suspension: string | null;
}

const LIVE = `fase = 'COMPLETA' AND inactiva_en > now() AND vence_en > now()`;

/** Sessions of the panel. All times are the database's. */
export function createSesiones({ pool }: Pick<Database, 'pool'>) {
  return {
    /** The live session with this hash, or null. Its use is noted at most every 30 seconds. */
    async load(huella: Buffer, uso: { inactividad: number; ip: string }): Promise<SesionPanel | null> {
      const { rows } = await pool.query<LoadRow>({ name: 'sesion', text: LOAD, values: [huella] });
      const row = rows[0];
      if (!row) return null;
      if (row.vieja && row.fase === 'COMPLETA')
        await pool.query({ name: 'sesion-uso', text: TOUCH, values: [huella, uso.inactividad, uso.ip] });
      const { id, fase, aviso, usuario_id, cuenta_id: cuentaId, email, nombre, rol, suspension } = row;
      return {
        id,
        fase,
        aviso,
        usuario: usuario_id ? { id: usuario_id, cuentaId, email, nombre, rol, suspension } : null,
      };
    },

    /**
     * Opens a session; `reemplaza` is the hash of the one that it takes the place of, which is over at the same moment.
     */
    async open(nueva: NuevaSesion, reemplaza: Buffer | null): Promise<void> {
      const { huella, id, usuarioId, fase, agente, ip, aviso, inactividad, duracion } = nueva;
      const values = [
        huella,
        id,
        usuarioId,
        fase,
        agente,
        ip,
        aviso ? JSON.stringify(aviso) : null,
        inactividad,
        duracion,
      ];
      const text = `WITH antes AS (DELETE FROM sesion WHERE huella = $10) ${INSERT}`;
      await pool.query({ name: 'sesion-abrir', text, values: [...values, reemplaza] });
    },

    /** Gives a live session another id (another cookie), and leaves everything else as it is. False when it is over. */
    async rotate(huella: Buffer, nueva: Buffer): Promise<boolean> {
      const { rowCount } = await pool.query(
        'UPDATE sesion SET huella = $2 WHERE huella = $1 AND inactiva_en > now() AND vence_en > now()',
        [huella, nueva],
      );
      return rowCount === 1;
    },

    /** Leaves a message for the next page, or takes it away. */
    async setAviso(huella: Buffer, aviso: AvisoGuardado | null): Promise<void> {
      const text = 'UPDATE sesion SET aviso = $2 WHERE huella = $1';
      await pool.query({
        name: 'sesion-aviso',
        text,
        values: [huella, aviso ? JSON.stringify(aviso) : null],
      });
    },

    async close(huella: Buffer): Promise<void> {
      await pool.query('DELETE FROM sesion WHERE huella = $1', [huella]);
    },

    /** Where a user is logged in, the last used first. */
    async list(usuarioId: string): Promise<SesionVista[]> {
      const { rows } = await pool.query<SesionVista>(
        `SELECT id, agente, ip, creada_en AS "creadaEn", ultimo_uso_en AS "ultimoUsoEn" FROM sesion
         WHERE usuario_id = $1 AND ${LIVE} ORDER BY ultimo_uso_en DESC, creada_en DESC LIMIT 100`,
        [usuarioId],
      );
      return rows;
    },

    /** Ends one session of a user. False when the user has none with that id. */
    async closeOne(usuarioId: string, id: string): Promise<boolean> {
      const { rowCount } = await pool.query('DELETE FROM sesion WHERE usuario_id = $1 AND id::text = $2', [
        usuarioId,
        id,
      ]);
      return rowCount === 1;
    },

    /** Ends all sessions of a user, or all but the one with this hash. Returns how many logged-in ones ended. */
    async closeAll(usuarioId: string, salvo?: Buffer): Promise<number> {
      const { rows } = await pool.query<{ fase: FaseSesion }>(
        'DELETE FROM sesion WHERE usuario_id = $1 AND huella IS DISTINCT FROM $2 RETURNING fase',
        [usuarioId, salvo ?? null],
      );
      return rows.filter(({ fase }) => fase === 'COMPLETA').length;
    },

    /** Deletes sessions that are over, a batch of them; any number of processes may do it at once. */
    async purge(): Promise<void> {
      await pool.query(`DELETE FROM sesion WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM sesion WHERE inactiva_en < now() OR vence_en < now() LIMIT 2000 FOR UPDATE SKIP LOCKED))`);
    },
  };
}

export type Sesiones = ReturnType<typeof createSesiones>;
