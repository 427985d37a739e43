import type { Limite, UsuarioAcceso } from '@acuse/db';
import { demasiados, type Falta, hashOf, limiteIp } from '@acuse/page';
import { networkOf } from '@acuse/runtime';
import type { PanelSettings } from '@acuse/settings/panel';
import type { PanelDeps } from '../deps.ts';
import type { ContextoBase, PersonContext } from '../paginas.ts';
import { MAX_PASSWORD } from './reglas.ts';
import { takeSegundoFactor } from './segundo-factor.ts';

type Deps = Pick<PanelDeps, 'usuarios' | 'passwords' | 'intentos' | 'settings'>;

/**
 * Checks an e-mail with its password. The try is counted before it is made: for the network, for the account from that
 * network, and, unless the owner came from there before, for the account from anywhere. So guesses from many networks
 * are bounded, and lock the owner out of no network that is known. An unknown e-mail costs the same work as a wrong password, and gives the same answer, `noCoincide`.
 */
export async function checkAcceso(
  deps: Deps,
  input: { readonly email: string; readonly password: string; readonly ip: string },
  noCoincide: string,
): Promise<{ readonly usuario: UsuarioAcceso } | Falta> {
  const { usuarios, passwords, intentos, settings } = deps;
  const limites = [
    limiteIp(input.ip, settings),
    limiteCuenta(input.email, input.ip, settings),
    ...((await intentos.knows(claveConocida(input.email, input.ip))) ? [] : [limiteTotal(input.email, settings)]),
  ];
  const permiso = await intentos.take(limites);
  if (!permiso.permitido) return demasiados(permiso.esperar);

  const usuario = await usuarios.findByEmail(input.email);
  const password = input.password.slice(0, MAX_PASSWORD + 1);
  const { coincide, debeRenovarse } = await passwords.check(password, usuario?.password ?? null);
  // A sign-up with another person's address must not reveal whether the address has an account.
  const isAjena = settings.correo !== null && usuario?.faltaConfirmar === true;
  if (usuario === null || !coincide || isAjena) return { status: 422, texto: noCoincide };

  await intentos.giveBack(limites);
  if (debeRenovarse && usuario.password)
    await usuarios.rehash(usuario.id, usuario.password, await passwords.hash(password));
  return { usuario };
}

/** Passwords of one account, known or not, from one network. */
function limiteCuenta(email: string, ip: string, { entradasPorCuenta }: PanelSettings): Limite {
  return { clave: `cuenta:${hashOf(email)} ${networkOf(ip)}`, ...entradasPorCuenta };
}

/** The same from all networks that the owner never came from: as many in the long run, more at once. */
function limiteTotal(email: string, { entradasPorCuenta: { rafaga, segundos } }: PanelSettings): Limite {
  return { clave: `cuenta:${hashOf(email)}`, rafaga: rafaga * REDES_A_LA_VEZ, segundos };
}

/** Networks whose tries for one account are all looked at before the account holds up others. */
const REDES_A_LA_VEZ = 20;
/** Seconds for which a network is known that the owner came from: 90 days. */
const CONOCIDA_SEGUNDOS = 90 * 86_400;

const claveConocida = (email: string, ip: string) => `conocida:${hashOf(email)} ${networkOf(ip)}`;

/** The owner of an account came in, or has shown the mail: earlier tries from this network count no more, and it is known. */
export async function noteOwner({ intentos, settings }: Deps, email: string, ip: string): Promise<void> {
  await intentos.forget(limiteCuenta(email, ip, settings).clave);
  await intentos.remember(claveConocida(email, ip), CONOCIDA_SEGUNDOS);
}

/**
 * Checks a code of the second step, from the app or a recovery code, which is good once. The try is counted before it is
 * made, for the network and for the user.
 */
export async function checkCodigo(
  { deps, ip, campos }: Pick<ContextoBase, 'deps' | 'ip' | 'campos'>,
  usuario: { readonly id: string; readonly email: string },
): Promise<{ readonly via: 'app' | 'recuperacion' } | Falta> {
  const { intentos, settings } = deps;
  const [porIp, porUsuario] = [limiteIp(ip, settings), limiteCodigos(usuario.id, settings)];
  const permiso = await intentos.take([porIp, porUsuario]);
  if (!permiso.permitido) return demasiados(permiso.esperar);
  const via = await takeSegundoFactor(deps, usuario, campos['codigo'] ?? '');
  if (via === null)
    return {
      status: 422,
      texto:
        'Ese código no sirve, o ya se usó. Escriba el que la aplicación muestra ahora, o un código de recuperación sin usar.',
    };
  await intentos.giveBack([porIp]);
  await intentos.forget(porUsuario.clave);
  return { via };
}

/** Codes of the second step of one user. */
export function limiteCodigos(usuarioId: string, { entradasPorCuenta }: PanelSettings): Limite {
  return { clave: `codigo:${usuarioId}`, ...entradasPorCuenta };
}

/** Sign-ups from one network address; without mail this also limits probes for registered e-mails. */
export function limiteRegistro(ip: string, { registrosPorIp }: PanelSettings): Limite {
  return { clave: `registro-ip:${networkOf(ip)}`, ...registrosPorIp };
}

/** Mails about sign-up attempts to one e-mail, registered or not. */
export function limiteRegistrado(email: string, { enlacesPorCorreo }: PanelSettings): Limite {
  return { clave: `registrado:${hashOf(email)}`, ...enlacesPorCorreo };
}

/** Invitations of one account, however many of its people make them. */
export const limiteInvitaciones = (cuentaId: string): Limite => ({
  clave: `invitar:${cuentaId}`,
  rafaga: 20,
  segundos: 180,
});

/** Links to choose another password that are asked for from one address, to whomever. */
export function limiteOlvido(ip: string, { registrosPorIp }: PanelSettings): Limite {
  return { clave: `olvido-ip:${networkOf(ip)}`, ...registrosPorIp };
}

/** Asks again for the password before what could lock the owner out. Null when it is right. */
export async function confirmPassword({ deps, ip, usuario }: PersonContext, password: string): Promise<Falta | null> {
  const noCoincide = 'Esa no es su contraseña actual. Escríbala de nuevo.';
  const found = await checkAcceso(deps, { email: usuario.email, password, ip }, noCoincide);
  return 'usuario' in found ? null : found;
}
