import { randomBytes } from 'node:crypto';
import { createUsuariosBase, openDatabase, ROLES_BASE, type RolBase } from '@acuse/db';
import { databaseUrl as addressOf } from './databases.ts';

/** What the processes of a stack log in to its PostgreSQL with. */
export interface Logins {
  readonly usuarios: Readonly<Record<RolBase, string>>;
  /** A database of its own, where the queue makes its tables. */
  readonly queueUrl: string;
}

const COLA = 'acuse_cola';

/**
 * Creates a login for each process on the migrated database of `url`, and a database with its own owner for the queue.
 * Each call sets new passwords. @throws when a name belongs to another user.
 */
export async function makeLogins(url: string): Promise<Logins> {
  const db = openDatabase({ url, poolSize: 1, timeoutMs: 30_000, applicationName: 'acuse-preparacion' });
  const as = (nombre: string, password: string, base?: string) => {
    const address = new URL(base === undefined ? url : addressOf(url, base));
    address.username = nombre;
    address.password = password;
    return address.href;
  };
  const made = (nombre: string, isMade: boolean) => {
    if (!isMade) throw new Error(`PostgreSQL ya tiene un «${nombre}» que no es de esta instalación.`);
  };
  try {
    const usuarios = createUsuariosBase(db);
    const of = async (rol: RolBase) => {
      const [nombre, password] = [`acuse_entra_${rol}`, newPassword()];
      made(nombre, await usuarios.set({ nombre, rol, password }));
      return [rol, as(nombre, password)] as const;
    };
    const logins: (readonly [RolBase, string])[] = [];
    for (const rol of ROLES_BASE) logins.push(await of(rol));
    const password = newPassword();
    made(COLA, await usuarios.setCola({ base: COLA, nombre: COLA, password }));
    return { usuarios: Object.fromEntries(logins) as Logins['usuarios'], queueUrl: as(COLA, password, COLA) };
  } finally {
    await db.close();
  }
}

const newPassword = () => randomBytes(24).toString('base64url');
