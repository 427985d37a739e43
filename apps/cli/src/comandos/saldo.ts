import { randomUUID } from 'node:crypto';
import { Rechazo } from '@acuse/db';
import { type Command, InvalidArgumentError } from 'commander';
import { AUTOR, integerArgument, requireCuenta } from '../buscar.ts';
import type { CliDeps } from '../deps.ts';

function signedArgument(value: string): number {
  const number = Number(value);
  if (!/^[+-]?\d{1,9}$/.test(value) || number === 0 || Math.abs(number) > 100_000_000)
    throw new InvalidArgumentError('debe ser un número entero distinto de cero, hasta 100,000,000');
  return number;
}

function uuidArgument(value: string): string {
  if (!/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(value)) throw new InvalidArgumentError('debe ser un UUID');
  return value.toLowerCase();
}

export function addSaldo(program: Command, deps: () => CliDeps): void {
  const saldo = program.command('saldo').description('Créditos de una cuenta.');
  saldo
    .command('ajustar')
    .description('Corrige el saldo con un motivo, que queda en el libro y en la auditoría.')
    .requiredOption('--cuenta <email>', 'correo de la cuenta')
    .requiredOption('--creditos <n>', 'créditos que se suman, o que se quitan con signo menos', signedArgument)
    .requiredOption('--motivo <texto>', 'por qué')
    .option('--id <uuid>', 'identificador del ajuste: con el mismo se hace una sola vez', uuidArgument)
    .action(async (options: { cuenta: string; creditos: number; motivo: string; id?: string }) => {
      const { id: cuentaId } = await requireCuenta(deps(), options.cuenta);
      const { creditos, motivo, id: opId = randomUUID() } = options;
      const ajuste = await deps().libro.ajustar({ cuentaId, opId, creditos, motivo, ...AUTOR });
      if (!('saldo' in ajuste)) {
        if (ajuste.resultado === 'CUENTA_DESCONOCIDA') throw new Rechazo(ajuste.resultado);
        throw new Error('El saldo quedaría en menos de cero. Revise los créditos con: acuse cuenta ver');
      }
      deps().print(JSON.stringify({ id: opId, saldo: ajuste.saldo, ajustado: ajuste.resultado === 'AJUSTADO' }));
    });
  saldo
    .command('agregar')
    .description('Abona créditos comprados. El mismo pago se abona una sola vez, aunque la orden se repita.')
    .requiredOption('--cuenta <email>', 'correo de la cuenta')
    .requiredOption('--creditos <n>', 'créditos que se abonan', integerArgument)
    .requiredOption('--pago <id>', 'identificador del pago, único')
    .option('--detalle <texto>', 'nota para el libro', 'abono del operador')
    .action(async (options: { cuenta: string; creditos: number; pago: string; detalle: string }) => {
      const { id: cuentaId } = await requireCuenta(deps(), options.cuenta);
      const { creditos, detalle } = options;
      const abono = await deps().libro.abonar({
        ...{ cuentaId, creditos, referencia: options.pago, detalle },
        ...AUTOR,
      });
      if (!('saldo' in abono)) {
        if (abono.resultado === 'CUENTA_DESCONOCIDA') throw new Rechazo(abono.resultado);
        throw new Error(
          'Ese pago ya se abonó, a otra cuenta o por otra cantidad. Revise el pago; si es otro, dele otro identificador.',
        );
      }
      deps().print(JSON.stringify({ saldo: abono.saldo, abonado: abono.resultado === 'ABONADO' }));
    });
}
