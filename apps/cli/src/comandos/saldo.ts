import type { Command } from 'commander';
import { integerArgument, requireCuenta } from '../buscar.ts';
import type { CliDeps } from '../deps.ts';

export function addSaldo(program: Command, deps: () => CliDeps): void {
  program
    .command('saldo')
    .description('Créditos de una cuenta.')
    .command('agregar')
    .description('Abona créditos comprados. El mismo pago se abona una sola vez, aunque la orden se repita.')
    .requiredOption('--cuenta <email>', 'correo de la cuenta')
    .requiredOption('--creditos <n>', 'créditos que se abonan', integerArgument)
    .requiredOption('--pago <id>', 'identificador del pago, único')
    .option('--detalle <texto>', 'nota para el libro', 'abono del operador')
    .action(async (options: { cuenta: string; creditos: number; pago: string; detalle: string }) => {
      const { id: cuentaId } = await requireCuenta(deps(), options.cuenta);
      const { creditos, detalle } = options;
      const { saldo, isNuevo } = await deps().cuentas.addSaldo({
        cuentaId,
        creditos,
        pagoId: options.pago,
        detalle,
      });
      deps().print(JSON.stringify({ saldo, abonado: isNuevo }));
    });
}
