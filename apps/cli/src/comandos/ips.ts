import { formatRange, parseRange } from '@acuse/runtime';
import { type Command, InvalidArgumentError } from 'commander';
import { AUTOR, requireRfc, rfcArgument } from '../buscar.ts';
import type { CliDeps } from '../deps.ts';

/** `10.0.0.0/8`, `2001:db8::/32` or a single address, in canonical form and once. */
function cidrArgument(value: string, previous: string[] = []): string[] {
  const range = parseRange(value);
  if (range === null) throw new InvalidArgumentError('debe ser una dirección IP o un bloque CIDR');
  return [...new Set([...previous, formatRange(range)])];
}

export function addIps(program: Command, deps: () => CliDeps): void {
  program
    .command('ips')
    .description('Direcciones desde las que se puede llamar.')
    .command('fijar')
    .description('Sustituye la lista del RFC; sin --permitir queda abierta a cualquier dirección.')
    .requiredOption('--cuenta <email>', 'correo de la cuenta')
    .requiredOption('--rfc <rfc>', 'RFC de la cuenta', rfcArgument)
    .option('--permitir <cidr>', 'dirección o bloque; puede repetirse', cidrArgument, [])
    .action(async (options: { cuenta: string; rfc: string; permitir: string[] }) => {
      const { cuentaId, rfc } = await requireRfc(deps(), options.cuenta, options.rfc);
      await deps().contribuyentes.setIps({ cuentaId, rfc, cidrs: options.permitir, ...AUTOR });
      deps().print(JSON.stringify({ rfc: options.rfc, ips: options.permitir }));
    });
}
