import { CfdiError } from '@acuse/contract';
import type { ApiDeps } from '../../api-deps.ts';
import type { Llamada } from '../llamada.ts';

const MAX_LENGTH = 512;

/** Demands a User-Agent (specification, Authentication 5): not empty, at most 512 characters, not refused by the operator's lists. */
export async function userAgent(
  llamada: Llamada,
  { settings }: Pick<ApiDeps, 'settings'>,
): Promise<undefined> {
  const agent = llamada.headers.get('user-agent')?.trim().toLowerCase() ?? '';
  const isListed = (prefixes: readonly string[]) => prefixes.some((prefix) => agent.startsWith(prefix));
  const { userAgentAllow, userAgentDeny } = settings;
  const isAllowed = userAgentAllow.length === 0 || isListed(userAgentAllow);
  if (agent === '' || agent.length > MAX_LENGTH || !isAllowed || isListed(userAgentDeny)) {
    throw new CfdiError('USER_AGENT_NO_PERMITIDO');
  }
}
