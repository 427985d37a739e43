import { type Command, InvalidArgumentError } from 'commander';
import { ACTOR, requireRfc, rfcArgument } from '../buscar.ts';
import type { CliDeps } from '../deps.ts';

function operacionArgument(value: string): string {
  const operacion = value.replace(/^\/?(api\/v1\/)?/, '');
  if (!/^[a-z]+\/[a-z-]+$/.test(operacion))
    throw new InvalidArgumentError('debe ser como tax/descarga-metadata');
  return operacion;
}

export function addOperacion(program: Command, deps: () => CliDeps): void {
  const operacion = program.command('operacion').description('Operaciones por RFC.');
  for (const [name, isHabilitada] of [
    ['habilitar', true],
    ['deshabilitar', false],
  ] as const)
    operacion
      .command(name)
      .description(
        isHabilitada
          ? 'La operación vuelve a responder.'
          : 'La operación responde 1003 desde la siguiente llamada.',
      )
      .argument('<operacion>', 'ruta sin /api/v1/, como tax/facturas', operacionArgument)
      .requiredOption('--cuenta <email>', 'correo de la cuenta')
      .requiredOption('--rfc <rfc>', 'RFC de la cuenta', rfcArgument)
      .action(async (ruta: string, options: { cuenta: string; rfc: string }) => {
        const { id: contribuyenteId } = await requireRfc(deps(), options.cuenta, options.rfc);
        await deps().contribuyentes.setOperacion({
          contribuyenteId,
          operacion: ruta,
          isHabilitada,
          actor: ACTOR,
        });
        deps().print(JSON.stringify({ rfc: options.rfc, operacion: ruta, habilitada: isHabilitada }));
      });
}
