import { randomUUID } from 'node:crypto';
import { Rechazo } from '@acuse/db';
import { AUTOR, CUENTA, idArgument, integerArgument, requireCuenta } from '@acuse/roles/operator';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliDeps } from '../deps.ts';

export function addCuenta(program: Command, deps: () => CliDeps): void {
  const cuenta = program.command('cuenta').description('Cuentas: quién paga.');
  cuenta
    .command('crear')
    .description('Crea una cuenta con saldo 0.')
    .requiredOption('--nombre <nombre>', 'nombre de la empresa o persona')
    .requiredOption('--email <email>', 'correo que identifica a la cuenta')
    .action(async ({ nombre, email }: { nombre: string; email: string }) => {
      const { cuentas, show } = deps();
      const creada = await cuentas.create({ nombre, email, ...AUTOR });
      show({ id: creada.id, email: creada.email, saldo: creada.saldo });
    });
  cuenta
    .command('ver')
    .description('Muestra una cuenta: saldo, si está suspendida, sus RFC y quién entra al panel.')
    .requiredOption(...CUENTA)
    .action(async (options: { cuenta: string }) => {
      const { id } = await requireCuenta(deps(), options.cuenta);
      const vista = await deps().cuentas.detail(id);
      if (vista === null) throw new Rechazo('CUENTA_DESCONOCIDA');
      const { cuenta: c, personas, rfcs, abiertas } = vista;
      deps().show({
        id: c.id,
        email: c.email,
        nombre: c.nombre,
        saldo: c.saldo,
        creada_en: c.creadaEn,
        suspendida_en: c.suspendidaEn,
        rfcs: rfcs.map(({ rfc }) => rfc),
        personas: personas.map(({ email }) => email),
        solicitudes_abiertas: abiertas.length,
      });
    });
  cuenta
    .command('suspender')
    .description('Sus API keys responden 1003 desde la siguiente llamada; lo que está en curso sigue.')
    .requiredOption(...CUENTA)
    .requiredOption('--motivo <texto>', 'por qué; su dueño lo lee en el panel')
    .action(async (options: { cuenta: string; motivo: string }) => {
      const { id: cuentaId } = await requireCuenta(deps(), options.cuenta);
      const suspendida = await deps().cuentas.suspend({ cuentaId, motivo: options.motivo, ...AUTOR });
      deps().show({ email: options.cuenta, suspendida: true, cambio: suspendida });
    });
  cuenta
    .command('reabrir')
    .description('Sus API keys vuelven a responder desde la siguiente llamada.')
    .requiredOption(...CUENTA)
    .action(async (options: { cuenta: string }) => {
      const { id: cuentaId } = await requireCuenta(deps(), options.cuenta);
      const reabierta = await deps().cuentas.reopen({ cuentaId, ...AUTOR });
      deps().show({ email: options.cuenta, suspendida: false, cambio: reabierta });
    });
  cuenta
    .command('listar')
    .description('Lista las cuentas con su saldo.')
    .action(async () => {
      const { cuentas, show } = deps();
      for (const { id, email, nombre, saldo, creadaEn } of await cuentas.list())
        show({ id, email, nombre, saldo, creada_en: creadaEn });
    });
}

function signedArgument(value: string): number {
  const number = Number(value);
  if (!/^[+-]?\d{1,9}$/.test(value) || number === 0 || Math.abs(number) > 100_000_000)
    throw new InvalidArgumentError('debe ser un número entero distinto de cero, hasta 100,000,000');
  return number;
}

export function addSaldo(program: Command, deps: () => CliDeps): void {
  const saldo = program.command('saldo').description('Créditos de una cuenta.');
  saldo
    .command('ajustar')
    .description('Corrige el saldo con un motivo, que queda en el libro y en la auditoría.')
    .requiredOption(...CUENTA)
    .requiredOption('--creditos <n>', 'créditos que se suman, o que se quitan con signo menos', signedArgument)
    .requiredOption('--motivo <texto>', 'por qué')
    .option('--id <uuid>', 'identificador del ajuste: con el mismo se hace una sola vez', idArgument('un UUID'))
    .action(async (options: { cuenta: string; creditos: number; motivo: string; id?: string }) => {
      const { id: cuentaId } = await requireCuenta(deps(), options.cuenta);
      const { creditos, motivo, id: opId = randomUUID() } = options;
      const ajuste = await deps().libro.adjust({ cuentaId, opId, creditos, motivo, ...AUTOR });
      if (!('saldo' in ajuste)) {
        if (ajuste.resultado === 'CUENTA_DESCONOCIDA') throw new Rechazo(ajuste.resultado);
        throw new Error('El saldo quedaría en menos de cero. Revise los créditos con: acuse operador cuenta ver');
      }
      deps().show({ id: opId, saldo: ajuste.saldo, ajustado: ajuste.resultado === 'AJUSTADO' });
    });
  saldo
    .command('agregar')
    .description('Abona créditos comprados. El mismo pago se abona una sola vez, aunque la orden se repita.')
    .requiredOption(...CUENTA)
    .requiredOption('--creditos <n>', 'créditos que se abonan', integerArgument)
    .requiredOption('--pago <id>', 'identificador del pago, único')
    .option('--detalle <texto>', 'nota para el libro', 'abono del operador')
    .action(async (options: { cuenta: string; creditos: number; pago: string; detalle: string }) => {
      const { id: cuentaId } = await requireCuenta(deps(), options.cuenta);
      const { creditos, detalle } = options;
      const abono = await deps().libro.credit({ cuentaId, creditos, referencia: options.pago, detalle, ...AUTOR });
      if (!('saldo' in abono)) {
        if (abono.resultado === 'CUENTA_DESCONOCIDA') throw new Rechazo(abono.resultado);
        throw new Error(
          'Ese pago ya se abonó, a otra cuenta o por otra cantidad. Revise el pago; si es otro, dele otro identificador.',
        );
      }
      deps().show({ saldo: abono.saldo, abonado: abono.resultado === 'ABONADO' });
    });
}
