import { CfdiError } from '@acuse/contract';
import { isInRanges, parseIp, parseRange } from '@acuse/runtime';
import { accessOf, type Llamada } from '../llamada.ts';

/** The taxpayer's list of addresses that may call (specification, Authentication 9). An empty list means any. */
export async function ipPermitida(llamada: Llamada): Promise<undefined> {
  const { ips } = accessOf(llamada).access;
  if (ips.length === 0) return;
  const ip = parseIp(llamada.ip);
  const ranges = ips.map(parseRange).filter((range) => range !== null);
  if (ip === null || !isInRanges(ip, ranges)) throw new CfdiError('IP_NO_PERMITIDA', { motivo: llamada.ip });
}
