import { BlockList, isIP } from 'node:net';
import { type Command, InvalidArgumentError } from 'commander';
import { ACTOR, requireRfc, rfcArgument } from '../buscar.ts';
import type { CliDeps } from '../deps.ts';

/** `10.0.0.0/8`, `2001:db8::/32` or a single address. */
function cidrArgument(value: string, previous: string[] = []): string[] {
  const [address = '', bits] = value.split('/');
  const family = isIP(address);
  const prefix = bits ?? (family === 4 ? '32' : '128');
  const isValid = family !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
  if (!isValid) throw new InvalidArgumentError('debe ser una dirección IP o un bloque CIDR');
  new BlockList().addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  return [...previous, `${address}/${prefix}`];
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
      const { id: contribuyenteId } = await requireRfc(deps(), options.cuenta, options.rfc);
      await deps().contribuyentes.setIps({ contribuyenteId, cidrs: options.permitir, actor: ACTOR });
      deps().print(JSON.stringify({ rfc: options.rfc, ips: options.permitir }));
    });
}
