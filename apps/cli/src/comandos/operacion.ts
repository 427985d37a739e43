import { OPERACIONES, type PathOperacion } from '@acuse/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { AUTOR, requireRfc, rfcArgument } from '../buscar.ts';
import type { CliDeps } from '../deps.ts';

function operacionArgument(value: string): PathOperacion {
  const path = value.replace(/^\/?(api\/v1\/)?/, '');
  const found = OPERACIONES.find((operacion) => operacion.path === path);
  if (!found) throw new InvalidArgumentError('no existe esa operación. Vea todas con: acuse operacion listar');
  return found.path;
}

export function addOperacion(program: Command, deps: () => CliDeps): void {
  const operacion = program.command('operacion').description('Operaciones por RFC.');
  operacion
    .command('listar')
    .description('Lista las operaciones con su costo; con --cuenta y --rfc, también si están habilitadas.')
    .option('--cuenta <email>', 'correo de la cuenta')
    .option('--rfc <rfc>', 'RFC de la cuenta', rfcArgument)
    .action(async ({ cuenta, rfc }: { cuenta?: string; rfc?: string }) => {
      if ((cuenta === undefined) !== (rfc === undefined)) throw new Error('--cuenta y --rfc van juntas');
      const off =
        cuenta === undefined || rfc === undefined
          ? null
          : new Set((await requireRfc(deps(), cuenta, rfc)).deshabilitadas);
      for (const { path, costo, credencial, resumen } of OPERACIONES)
        deps().print(
          JSON.stringify({
            operacion: path,
            costo,
            credencial,
            resumen,
            ...(off === null ? {} : { habilitada: !off.has(path) }),
          }),
        );
    });
  for (const [name, isHabilitada] of [
    ['habilitar', true],
    ['deshabilitar', false],
  ] as const)
    operacion
      .command(name)
      .description(
        isHabilitada ? 'La operación vuelve a responder.' : 'La operación responde 1003 desde la siguiente llamada.',
      )
      .argument('<operacion>', 'ruta sin /api/v1/, como tax/facturas', operacionArgument)
      .requiredOption('--cuenta <email>', 'correo de la cuenta')
      .requiredOption('--rfc <rfc>', 'RFC de la cuenta', rfcArgument)
      .action(async (ruta: PathOperacion, options: { cuenta: string; rfc: string }) => {
        const { cuentaId, rfc } = await requireRfc(deps(), options.cuenta, options.rfc);
        await deps().contribuyentes.setOperaciones({
          ...{ cuentaId, rfc, operaciones: [ruta], isHabilitada },
          ...AUTOR,
        });
        deps().print(JSON.stringify({ rfc, operacion: ruta, habilitada: isHabilitada }));
      });
}
