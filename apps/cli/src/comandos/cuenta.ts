import type { Command } from 'commander';
import { ACTOR } from '../buscar.ts';
import type { CliDeps } from '../deps.ts';

export function addCuenta(program: Command, deps: () => CliDeps): void {
  const cuenta = program.command('cuenta').description('Cuentas: quién paga.');
  cuenta
    .command('crear')
    .description('Crea una cuenta con saldo 0.')
    .requiredOption('--nombre <nombre>', 'nombre de la empresa o persona')
    .requiredOption('--email <email>', 'correo que identifica a la cuenta')
    .action(async ({ nombre, email }: { nombre: string; email: string }) => {
      const { cuentas, print } = deps();
      const creada = await cuentas.create({ nombre, email, actor: ACTOR });
      print(JSON.stringify({ id: creada.id, email: creada.email, saldo: creada.saldo }));
    });
  cuenta
    .command('listar')
    .description('Lista las cuentas con su saldo.')
    .action(async () => {
      const { cuentas, print } = deps();
      for (const { id, email, nombre, saldo, creadaEn } of await cuentas.list())
        print(JSON.stringify({ id, email, nombre, saldo, creada_en: creadaEn }));
    });
}
