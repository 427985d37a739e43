import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { isPasswordBase, migrate, ROLES_BASE, type RolBase, type UsuariosBase } from '@acuse/db';
import { changeValues } from '@acuse/vault';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { ACCESOS } from '../config.ts';
import type { CliDeps } from '../deps.ts';

/** Names that PostgreSQL takes without quotes. */
function nameArgument(value: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(value) || value.startsWith('pg_'))
    throw new InvalidArgumentError(
      'debe tener minúsculas, dígitos y guiones bajos, y no empezar con dígito ni con pg_',
    );
  return value;
}

/** Who is made, and where his address goes. */
interface Destino {
  readonly nombre: string;
  readonly archivo?: string;
  readonly carpeta?: string;
}

const NOMBRE = ['--nombre <nombre>', 'nombre del usuario de PostgreSQL', nameArgument] as const;

/** Migrates the database to this version and sets the configured logins of the processes. */
export function addMigration(program: Command, deps: () => CliDeps): void {
  program
    .command('migrar')
    .description(
      'Lleva la base de datos al esquema más reciente y da a cada proceso sus permisos. Con DATABASE_URL_API, _PANEL o _WORKER crea los usuarios que nombran; con DATABASE_URL_COLA, la base de la cola y su usuario. Puede repetirse.',
    )
    .option('--con-anterior', 'deja también los permisos que necesita la versión anterior, para volver a ella')
    .action(async ({ conAnterior }: { conAnterior?: true }) => {
      const { databaseUrl, usuariosBase, usuariosConfigurados, colaConfigurada, show } = deps();
      const {
        aplicadas,
        faltanRoles: faltan,
        anteriores,
      } = await migrate(databaseUrl, conAnterior ? { anteriores: true } : {});
      show({
        aplicadas,
        ...(anteriores
          ? {
              permisos: 'Los procesos de la versión anterior conservan los suyos.',
              despues: 'Cuando todos los procesos sean de esta versión, repita «migrar»: se los quita.',
            }
          : {}),
        ...(faltan.length === 0
          ? {}
          : {
              faltan_roles: faltan,
              remedio: `Quien administra PostgreSQL los crea una vez, y «migrar» les da sus permisos: ${faltan.map((rol) => `CREATE ROLE ${rol} NOLOGIN;`).join(' ')} Mientras tanto los procesos entran con el usuario de las tablas.`,
            }),
      });
      const dueno = new URL(databaseUrl).username;
      for (const [rol, url] of usuariosConfigurados) {
        // An installation from before there were users: its processes go on as the owner.
        if (new URL(url).username === dueno) continue;
        const { nombre, password } = loginOf(ACCESOS[rol], url);
        await put(usuariosBase, { rol, nombre, password });
        show({ usuario: nombre, proceso: rol });
      }
      if (colaConfigurada !== undefined) {
        const { nombre, password, base } = loginOf('DATABASE_URL_COLA', colaConfigurada);
        if (!(await usuariosBase.setCola({ nombre, password, base })))
          throw new Error(
            `DATABASE_URL_COLA: PostgreSQL ya tiene un usuario «${nombre}» o una base «${base}» que no son de la cola. Elija otros nombres.`,
          );
        show({ usuario: nombre, cola: base });
      }
    });
}

/** The user, the password and the database that an address names. Throws when one of them is missing. */
function loginOf(name: string, url: string) {
  const { username, password, pathname } = new URL(url);
  const login = {
    nombre: decodeURIComponent(username),
    password: decodeURIComponent(password),
    base: decodeURIComponent(pathname.slice(1)),
  };
  if (login.nombre === '' || login.base === '' || !isPasswordBase(login.password))
    throw new Error(
      `${name}: debe nombrar una base y un usuario con una contraseña de 16 a 200 caracteres ASCII sin espacios.`,
    );
  return login;
}

/** PostgreSQL logins of the processes. Their passwords are generated and never typed. */
export function addBase(program: Command, deps: () => CliDeps): void {
  const base = program
    .command('base')
    .description('Usuarios de PostgreSQL con los que entran los procesos: cada uno puede lo que su proceso hace.');
  base
    .command('usuario')
    .description(
      'Crea un usuario para un proceso, con contraseña nueva; al que ya existe se la cambia. Para rotar sin parar: cree otro, reinicie el proceso con él y quite el primero.',
    )
    .addArgument(new Argument('<proceso>', 'qué proceso entra con él').choices(ROLES_BASE))
    .requiredOption(...NOMBRE)
    .option('--archivo <ruta>', 'escribe su DATABASE_URL ahí, para DATABASE_URL_FILE; sin él, se muestra')
    .option(
      '--carpeta <ruta>',
      'carpeta de los secretos, como la que escribió «secretos --carpeta»: la escribe ahí para cada proceso que entra con él',
    )
    .action(async (rol: RolBase, { nombre, archivo, carpeta }: Destino) => {
      const { databaseUrl, usuariosBase, show } = deps();
      const password = randomBytes(24).toString('base64url');
      const address = new URL(databaseUrl);
      address.username = nombre;
      address.password = password;
      await put(usuariosBase, { rol, nombre, password });
      if (carpeta !== undefined) {
        await changeValues(carpeta, (valores) => ({ ...valores, [ACCESOS[rol]]: address.href }));
        return show({ usuario: nombre, proceso: rol, carpeta });
      }
      if (archivo === undefined) return show({ usuario: nombre, proceso: rol, DATABASE_URL: address.href });
      await writeFile(`${archivo}.nuevo`, address.href, { mode: 0o600 });
      await rename(`${archivo}.nuevo`, archivo);
      show({ usuario: nombre, proceso: rol, DATABASE_URL_FILE: archivo });
    });
  base
    .command('listar')
    .description('Lista los usuarios de los procesos.')
    .action(async () => {
      const { usuariosBase, show } = deps();
      for (const { nombre, rol } of await usuariosBase.list()) show({ usuario: nombre, proceso: rol });
    });
  base
    .command('quitar')
    .description('Quita un usuario y corta sus conexiones: el proceso que entra con él ya no podrá.')
    .requiredOption(...NOMBRE)
    .action(async ({ nombre }: { nombre: string }) => {
      const { usuariosBase, show } = deps();
      if (!(await usuariosBase.remove(nombre)))
        throw new Error(`No hay un usuario «${nombre}» de un proceso. Vea los que hay con: base listar`);
      show({ usuario: nombre, quitado: true });
    });
}

async function put(usuariosBase: UsuariosBase, usuario: Parameters<UsuariosBase['set']>[0]): Promise<void> {
  if (await usuariosBase.set(usuario)) return;
  throw new Error(
    `PostgreSQL ya tiene un usuario «${usuario.nombre}», que no es solo del proceso ${usuario.rol}. Elija otro nombre.`,
  );
}
