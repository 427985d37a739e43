import { DIAS_ROTACION } from '@acuse/core';
import { durationMs, type Logger } from '@acuse/runtime';
import type * as z from 'zod';
import { type Loop, startLoop } from './loop.ts';

/** Days before an end with a notice; events for a statement; certificates or keys for a turn. */
const AJUSTES = { diasAntes: [30, 7], diasLlave: DIAS_ROTACION, limite: 100, pagina: 1_000 };

/** Looks in a loop for states that need a notice: low balances, lapsing certificates, old keys. */
export function startAvisos(deps: {
  readonly name: string;
  readonly log: Logger;
  readonly everyMs: number;
  readonly look: (ajustes: typeof AJUSTES) => Promise<boolean>;
}): Loop {
  const { look, ...loop } = deps;
  return startLoop({ ...loop, turn: () => look(AJUSTES) });
}

/** For a process with a role that looks for such states. */
export const avisosFields = {
  AVISOS_INTERVAL_MS: durationMs(
    'Milisegundos entre dos revisiones de lo que nadie hace y los webhooks y los correos avisan: poco saldo, certificados por vencer, llaves por cambiar.',
    { min: 100 },
  ).default(30_000),
};

export type AvisosSettings = Readonly<z.output<z.ZodObject<typeof avisosFields>>>;
