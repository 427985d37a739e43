import { PAPELES, type Papel, Rechazo } from '@acuse/db';
import { AUTOR, CUENTA, requireCuenta } from '@acuse/roles/operator';
import { type Command, Option } from 'commander';
import type { CliDeps } from '../deps.ts';

const EMAIL = ['--email <email>', 'correo con el que entra al panel'] as const;

/** Role of a member of an account. */
export const papelOption = () => new Option('--papel <papel>', 'su rol en la cuenta').choices([...PAPELES]);

interface Persona {
  readonly cuenta: string;
  readonly email: string;
}

/** The people of an account, for when none of them can change it: its only owner is gone. */
export function addTeam(program: Command, deps: () => CliDeps): void {
  const equipo = program.command('equipo').description('Quién trabaja en una cuenta, y con qué rol.');
  equipo
    .command('listar')
    .description('Lista a las personas de una cuenta.')
    .requiredOption(...CUENTA)
    .action(async ({ cuenta }: Pick<Persona, 'cuenta'>) => {
      const { id } = await requireCuenta(deps(), cuenta);
      for (const { usuarioId, email, nombre, papel, desde } of await deps().equipo.list(id))
        deps().show({ id: usuarioId, email, nombre, papel, desde });
    });
  equipo
    .command('agregar')
    .description(
      'Agrega a la cuenta a alguien que ya entra al panel, sin invitación. A quien es nuevo: usuario crear --cuenta.',
    )
    .requiredOption(...CUENTA)
    .requiredOption(...EMAIL)
    .addOption(papelOption().makeOptionMandatory())
    .action(async ({ cuenta, email, papel }: Persona & { papel: Papel }) => {
      const found = await requirePersona(deps(), { cuenta, email });
      const agregada = await deps().equipo.add({ cuentaId: found.cuentaId, ...AUTOR }, found.usuarioId, papel);
      if (!agregada) throw new Error('Ya es parte de la cuenta. Cambie su rol con: equipo papel');
      deps().show({ cuenta, email: found.email, papel });
    });
  equipo
    .command('papel')
    .description('Cambia el rol de alguien en la cuenta, y termina sus sesiones en ella.')
    .requiredOption(...CUENTA)
    .requiredOption(...EMAIL)
    .addOption(papelOption().makeOptionMandatory())
    .action(async ({ cuenta, email, papel }: Persona & { papel: Papel }) => {
      const { cuentaId, usuarioId, email: correo } = await requirePersona(deps(), { cuenta, email });
      const resultado = await deps().equipo.setPapel({ cuentaId, quien: null, ...AUTOR }, usuarioId, papel);
      if (resultado === 'SIN_PROPIETARIO') throw new Error(SIN_PROPIETARIO);
      await requireMember(deps(), cuentaId, usuarioId);
      deps().show({ cuenta, email: correo, papel, cambio: resultado === 'HECHO' });
    });
  equipo
    .command('quitar')
    .description('Quita a alguien de la cuenta: sus sesiones en ella terminan. Sus API keys siguen.')
    .requiredOption(...CUENTA)
    .requiredOption(...EMAIL)
    .action(async ({ cuenta, email }: Persona) => {
      const { cuentaId, usuarioId, email: correo } = await requirePersona(deps(), { cuenta, email });
      await requireMember(deps(), cuentaId, usuarioId);
      const resultado = await deps().equipo.remove({ cuentaId, quien: null, ...AUTOR }, usuarioId);
      if (resultado === 'SIN_PROPIETARIO') throw new Error(SIN_PROPIETARIO);
      deps().show({ cuenta, email: correo, quitada: resultado === 'HECHO' });
    });
}

const SIN_PROPIETARIO =
  'Nadie más es propietario de la cuenta. Agregue antes a otro con: equipo agregar --papel PROPIETARIO';

async function requirePersona(deps: CliDeps, { cuenta, email }: Persona) {
  const { id: cuentaId } = await requireCuenta(deps, cuenta);
  const usuario = await deps.usuarios.findByEmail(email);
  if (usuario === null) throw new Rechazo('USUARIO_DESCONOCIDO');
  return { cuentaId, usuarioId: usuario.id, email: usuario.email };
}

async function requireMember({ equipo }: CliDeps, cuentaId: string, usuarioId: string): Promise<void> {
  const cuentas = await equipo.cuentasOf(usuarioId);
  if (!cuentas.some((each) => each.cuentaId === cuentaId))
    throw new Error('No es parte de la cuenta. Agréguelo con: equipo agregar');
}
