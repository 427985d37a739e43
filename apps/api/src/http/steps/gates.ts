import { CfdiError } from '@acuse/contract';
import { isInRanges, parseIp, parseRange } from '@acuse/runtime';
import type { ApiDeps } from '../../api-deps.ts';
import { eligibleCredenciales } from '../../credenciales/stored-credencial.ts';
import { accessOf, bodyOf, type Llamada } from '../llamada.ts';

const MAX_USER_AGENT = 512;

/**
 * Demands a User-Agent (specification, Authentication 5): not empty, at most 512 characters, not refused by the
 * operator's lists.
 */
export async function userAgent(llamada: Llamada, { settings }: Pick<ApiDeps, 'settings'>): Promise<undefined> {
  const agent = llamada.headers.get('user-agent')?.trim().toLowerCase() ?? '';
  const isListed = (prefixes: readonly string[]) => prefixes.some((prefix) => agent.startsWith(prefix));
  const { userAgentAllow, userAgentDeny } = settings;
  const isAllowed = userAgentAllow.length === 0 || isListed(userAgentAllow);
  if (agent === '' || agent.length > MAX_USER_AGENT || !isAllowed || isListed(userAgentDeny)) {
    throw new CfdiError('USER_AGENT_NO_PERMITIDO');
  }
}

/**
 * A key belongs to exactly one RFC, which has to be associated with it first (specification, Authentication 3 and 7).
 */
export async function rfcDeLaLlave(llamada: Llamada): Promise<undefined> {
  const { rfc } = llamada.operation;
  if (rfc !== 'propio' && rfc !== 'propio-sin-registrar') return;
  const { access } = accessOf(llamada);
  if (bodyOf(llamada).value['rfc'] !== access.rfc) throw new CfdiError('RFC_AJENO');
  if (rfc === 'propio' && !access.apiKey.isRegistrada) throw new CfdiError('RFC_NO_REGISTRADO');
}

/** Operations can be switched off for an RFC in the panel (specification, Authentication 8). */
export async function habilitada(llamada: Llamada): Promise<undefined> {
  const { deshabilitadas } = accessOf(llamada).access;
  if (deshabilitadas.includes(llamada.operation.path)) throw new CfdiError('OPERACION_NO_HABILITADA');
}

/** The taxpayer's list of addresses that may call (specification, Authentication 9). An empty list means any. */
export async function ipPermitida(llamada: Llamada): Promise<undefined> {
  const { ips } = accessOf(llamada).access;
  if (ips.length === 0) return;
  const ip = parseIp(llamada.ip);
  const ranges = ips.map(parseRange).filter((range) => range !== null);
  if (ip === null || !isInRanges(ip, ranges)) throw new CfdiError('IP_NO_PERMITIDA', { motivo: llamada.ip });
}

/** The stored credential that the operation needs has to be there, alive and not refused by the SAT. */
export async function credencialPresente(llamada: Llamada): Promise<undefined> {
  bodyOf(llamada);
  eligibleCredenciales(llamada.operation, accessOf(llamada).access, llamada.now);
}
