import { randomBytes } from 'node:crypto';
import {
  type Autor,
  createCuentas,
  createUsuarios,
  type Database,
  type RolUsuario,
  type UsuarioVista,
} from '@acuse/db';
import type { PanelProcess } from '../stack.ts';

/** Somebody who can log in at the panel. */
export interface PanelUser {
  readonly usuario: UsuarioVista;
  readonly password: string;
}

const CODIGO_SECONDS = 600;
const COOKIE = /^([^=]+=[^;]+)/;
const TOKEN = /name="_csrf" value="([^"]+)"/;

/**
 * Makes an account with somebody who enters it, as the back office does: with a code, which the page of the panel takes
 * for a password whoever may sign up there. @throws when it does not.
 */
export async function openUser(
  db: Database,
  panel: Pick<PanelProcess, 'url' | 'publicUrl'>,
  who: {
    readonly alias: string;
    readonly nombre: string;
    readonly rol: RolUsuario;
    readonly autor: Autor;
  },
): Promise<PanelUser> {
  const { nombre, rol, autor } = who;
  const email = `${who.alias}-${randomBytes(4).toString('hex')}@example.com`;
  const password = randomBytes(12).toString('base64url');
  const usuarios = createUsuarios(db);
  const { id: cuentaId } = await createCuentas(db).create({ nombre, email, ...autor });
  const usuario = await usuarios.add({ cuentaId, email, nombre, rol, ...autor });
  const codigo = await usuarios.offerCodigo(usuario, CODIGO_SECONDS, autor);
  const page = await fetch(`${panel.url}/restablecer`);
  const cookie = COOKIE.exec(page.headers.getSetCookie()[0] ?? '')?.[1] ?? '';
  const [, _csrf = ''] = TOKEN.exec(await page.text()) ?? [];
  const answer = await fetch(`${panel.url}/restablecer`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: new URL(panel.publicUrl).origin, cookie },
    body: new URLSearchParams({ _csrf, codigo, password }),
  });
  if (answer.status !== 303)
    throw new Error(`El panel no aceptó la contraseña de la cuenta de prueba (HTTP ${answer.status}).`);
  return { usuario, password };
}
