import { type Papel, Rechazo, type RolUsuario, type UsuarioVista } from '@acuse/db';
import { AUTOR, integerArgument } from '@acuse/roles/operator';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliDeps } from '../deps.ts';
import { papelOption } from './equipo.ts';

const ROLES: readonly RolUsuario[] = ['CLIENTE', 'OPERADOR'];
const MAX_HORAS = 168;

const rolOption = () => new Option('--rol <rol>', 'qué puede hacer en el panel').choices([...ROLES]);
const emailOption = ['--email <email>', 'correo con el que entra'] as const;
const horasOption = ['--horas <n>', 'horas que vale el código para elegir contraseña', horasArgument, 24] as const;

function horasArgument(value: string): number {
  const horas = integerArgument(value);
  if (horas < 1 || horas > MAX_HORAS) throw new InvalidArgumentError(`debe estar entre 1 y ${MAX_HORAS}`);
  return horas;
}

/** Users of the panel. No password passes through the command: its owner chooses it with a code, once. */
export function addUsuario(program: Command, deps: () => CliDeps): void {
  const usuario = program.command('usuario').description('Personas que entran al panel.');
  usuario
    .command('crear')
    .description('Crea a quien entra al panel, y un código con el que elige su contraseña en /restablecer.')
    .requiredOption(...emailOption)
    .option('--nombre <nombre>', 'nombre; sin él, el correo')
    .option('--cuenta <email>', 'correo de la cuenta a la que entra; sin él, la de su correo, que se crea si falta')
    .addOption(rolOption().default('CLIENTE'))
    .addOption(papelOption().default('PROPIETARIO'))
    .option(...horasOption)
    .action(async (options: CreateOptions) => {
      const { email, nombre = email, rol, papel, horas } = options;
      const cuentaId = await cuentaFor(deps(), options);
      const creado = await deps().usuarios.add({ cuentaId, email, nombre, rol, papel, ...AUTOR });
      await offer(deps(), creado, horas);
    });
  usuario
    .command('rol')
    .description('Cambia lo que alguien puede hacer, y termina sus sesiones.')
    .requiredOption(...emailOption)
    .addOption(rolOption().makeOptionMandatory())
    .action(async ({ email, rol }: { email: string; rol: RolUsuario }) => {
      const found = await requireUsuario(deps(), email);
      await deps().usuarios.setRol(found, rol, AUTOR);
      deps().show({ email: found.email, rol });
    });
  usuario
    .command('restablecer')
    .description('Da un código para elegir otra contraseña en /restablecer. El anterior deja de servir.')
    .requiredOption(...emailOption)
    .option('--sin-segundo-factor', 'quita también la verificación en dos pasos, y termina sus sesiones')
    .option(...horasOption)
    .action(async (options: { email: string; horas: number; sinSegundoFactor?: boolean }) => {
      const found = await requireUsuario(deps(), options.email);
      if (options.sinSegundoFactor) await deps().usuarios.removeSegundoFactor(found, AUTOR);
      await offer(deps(), found, options.horas);
    });
  usuario
    .command('listar')
    .description('Lista a quienes entran al panel.')
    .action(async () => {
      const { usuarios, show } = deps();
      for (const { id, email, nombre, rol, cuentaId } of await usuarios.list())
        show({ id, email, nombre, rol, cuenta_id: cuentaId });
    });
}

interface CreateOptions {
  readonly email: string;
  readonly nombre?: string;
  readonly cuenta?: string;
  readonly rol: RolUsuario;
  readonly papel: Papel;
  readonly horas: number;
}

/** The account that a new user enters. One that is named must exist. */
async function cuentaFor({ cuentas, usuarios }: CliDeps, options: CreateOptions): Promise<string> {
  const { email, nombre = email, cuenta } = options;
  const found = await cuentas.findByEmail(cuenta ?? email);
  if (found) return found.id;
  if (cuenta !== undefined) throw new Rechazo('CUENTA_DESCONOCIDA');
  if (await usuarios.findByEmail(email)) throw new Rechazo('EMAIL_REPETIDO');
  return (await cuentas.create({ nombre, email, ...AUTOR })).id;
}

async function requireUsuario({ usuarios }: CliDeps, email: string): Promise<UsuarioVista> {
  const found = await usuarios.findByEmail(email);
  if (!found) throw new Rechazo('USUARIO_DESCONOCIDO');
  return found;
}

async function offer({ usuarios, show }: CliDeps, usuario: UsuarioVista, horas: number): Promise<void> {
  const codigo = await usuarios.offerCodigo(usuario, horas * 3_600, AUTOR);
  const { id, email, rol } = usuario;
  show({ id, email, rol, codigo, ruta: `/restablecer?codigo=${codigo}`, vale_horas: horas });
}
