import { randomBytes } from 'node:crypto';
import { createUsuarios, type Database, type UsuarioVista } from '@acuse/db';

/** Somebody who can log in at the panel. */
export interface PanelUser {
  readonly usuario: UsuarioVista;
  readonly password: string;
}

const COOKIE = /^([^=]+=[^;]+)/;
const TOKEN = /name="_csrf" value="([^"]+)"/;

/** Signs somebody up by the page of the panel at `url`, so that the account is one that the panel made. @throws when it does not accept. */
export async function signUp(db: Database, url: string, alias: string, nombre: string): Promise<PanelUser> {
  const email = `${alias}-${randomBytes(4).toString('hex')}@example.com`;
  const password = randomBytes(12).toString('base64url');
  const page = await fetch(`${url}/registro`);
  const cookie = COOKIE.exec(page.headers.getSetCookie()[0] ?? '')?.[1] ?? '';
  const [, _csrf = ''] = TOKEN.exec(await page.text()) ?? [];
  const answer = await fetch(`${url}/registro`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url, cookie },
    body: new URLSearchParams({ _csrf, nombre, email, password }),
  });
  const usuario = await createUsuarios(db).findByEmail(email);
  if (answer.status !== 303 || usuario === null)
    throw new Error(`El panel no aceptó la cuenta de prueba (HTTP ${answer.status}).`);
  return { usuario, password };
}

/** Somebody with the role of the operator, given as the back office gives it. */
export async function signUpOperator(db: Database, url: string, actor: string): Promise<PanelUser> {
  const user = await signUp(db, url, 'operador', 'Operador');
  await createUsuarios(db).setRol(user.usuario, 'OPERADOR', actor);
  return user;
}
