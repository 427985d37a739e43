import type { Command } from 'commander';
import { AUTOR, requireCuenta, rfcArgument } from '../buscar.ts';
import type { CliDeps } from '../deps.ts';

export function addRfc(program: Command, deps: () => CliDeps): void {
  const rfc = program.command('rfc').description('RFCs de una cuenta.');
  rfc
    .command('agregar')
    .description('Agrega un RFC a una cuenta.')
    .requiredOption('--cuenta <email>', 'correo de la cuenta')
    .requiredOption('--rfc <rfc>', 'RFC de 12 o 13 caracteres', rfcArgument)
    .option('--id-cif <idCIF>', 'número de la cédula de identificación fiscal')
    .action(async (options: { cuenta: string; rfc: string; idCif?: string }) => {
      const { id: cuentaId } = await requireCuenta(deps(), options.cuenta);
      const { rfc, idCif } = options;
      const nuevo = await deps().contribuyentes.add({
        cuentaId,
        rfc,
        ...AUTOR,
        ...(idCif ? { idCif } : {}),
      });
      deps().print(JSON.stringify({ id: nuevo.id, rfc }));
    });
  rfc
    .command('listar')
    .description('Lista los RFCs de una cuenta.')
    .requiredOption('--cuenta <email>', 'correo de la cuenta')
    .action(async (options: { cuenta: string }) => {
      const { id } = await requireCuenta(deps(), options.cuenta);
      for (const { rfc, idCif } of await deps().contribuyentes.names(id))
        deps().print(JSON.stringify({ rfc, id_cif: idCif }));
    });
}
