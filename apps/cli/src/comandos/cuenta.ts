import { Rechazo } from '@acuse/db';
import type { Command } from 'commander';
import { AUTOR, requireCuenta } from '../buscar.ts';
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
      const creada = await cuentas.create({ nombre, email, ...AUTOR });
      print(JSON.stringify({ id: creada.id, email: creada.email, saldo: creada.saldo }));
    });
  cuenta
    .command('ver')
    .description('Muestra una cuenta: saldo, si está suspendida, sus RFC y quién entra al panel.')
    .requiredOption('--cuenta <email>', 'correo de la cuenta')
    .action(async (options: { cuenta: string }) => {
      const { id } = await requireCuenta(deps(), options.cuenta);
      const vista = await deps().cuentas.detail(id);
      if (vista === null) throw new Rechazo('CUENTA_DESCONOCIDA');
      const { cuenta: c, personas, rfcs, abiertas } = vista;
      deps().print(
        JSON.stringify({
          id: c.id,
          email: c.email,
          nombre: c.nombre,
          saldo: c.saldo,
          creada_en: c.creadaEn,
          suspendida_en: c.suspendidaEn,
          rfcs: rfcs.map(({ rfc }) => rfc),
          personas: personas.map(({ email }) => email),
          solicitudes_abiertas: abiertas.length,
        }),
      );
    });
  cuenta
    .command('suspender')
    .description('Sus API keys responden 1003 desde la siguiente llamada; lo que está en curso sigue.')
    .requiredOption('--cuenta <email>', 'correo de la cuenta')
    .requiredOption('--motivo <texto>', 'por qué; su dueño lo lee en el panel')
    .action(async (options: { cuenta: string; motivo: string }) => {
      const { id: cuentaId } = await requireCuenta(deps(), options.cuenta);
      const suspendida = await deps().cuentas.suspend({ cuentaId, motivo: options.motivo, ...AUTOR });
      deps().print(JSON.stringify({ email: options.cuenta, suspendida: true, cambio: suspendida }));
    });
  cuenta
    .command('reabrir')
    .description('Sus API keys vuelven a responder desde la siguiente llamada.')
    .requiredOption('--cuenta <email>', 'correo de la cuenta')
    .action(async (options: { cuenta: string }) => {
      const { id: cuentaId } = await requireCuenta(deps(), options.cuenta);
      const reabierta = await deps().cuentas.reopen({ cuentaId, ...AUTOR });
      deps().print(JSON.stringify({ email: options.cuenta, suspendida: false, cambio: reabierta }));
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
