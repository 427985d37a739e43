import { DIAS_ROTACION } from '@acuse/core';
import type { Logger } from '@acuse/runtime';
import { startLoop } from '../loop.ts';

/** Days before an end at which it is told of; events that one statement writes; certificates or keys that it looks at. */
const AJUSTES = { diasAntes: [30, 7], diasLlave: DIAS_ROTACION, limite: 100, pagina: 1_000 };

/** Tells again and again of what is the case: balances, ends of certificates, old keys. */
export function startAvisos(deps: {
  readonly name: string;
  readonly log: Logger;
  readonly everyMs: number;
  readonly look: (ajustes: typeof AJUSTES) => Promise<boolean>;
}) {
  const { look, ...loop } = deps;
  return startLoop({ ...loop, turn: () => look(AJUSTES) });
}
