import { DIAS_ROTACION } from '@acuse/core';
import type { Avisos } from '@acuse/db';
import type { Logger } from '@acuse/runtime';
import { startLoop } from '../loop.ts';

/** Days before an end at which it is told of. */
const DIAS_ANTES = [30, 7];
/** Notices that one statement writes, and certificates or keys that it looks at. */
const AVISOS = { limite: 100, pagina: 1_000 };

/** Tells of what is the case: balances, ends of certificates, old keys. */
export function startAvisos(deps: {
  readonly name: string;
  readonly avisos: Avisos;
  readonly log: Logger;
  readonly everyMs: number;
  readonly saldoAviso: number;
}) {
  const { name, avisos, log, everyMs, saldoAviso } = deps;
  const ajustes = { ...AVISOS, saldoAviso, diasLlave: DIAS_ROTACION, diasAntes: DIAS_ANTES };
  return startLoop({ name, everyMs, log, turn: () => avisos.look(ajustes) });
}
