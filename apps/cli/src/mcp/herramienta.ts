import type { Tool } from '@modelcontextprotocol/sdk/types.js';

/** What a tool was called with. */
export type Args = Readonly<Record<string, unknown>>;

/** A call of a tool that is under way. */
export interface Llamada {
  /** Aborted when the assistant no longer wants the answer, or is gone. */
  readonly signal: AbortSignal;
  /** Tells how far it is; `parte` of `total`. */
  readonly avisar: (parte: number, total: number, texto: string) => void;
}

/** A tool of an assistant. */
export interface Herramienta {
  /** As the protocol lists it. */
  readonly tool: Tool;
  /** What it answers, as its output schema says. @throws what `datosOf` tells. */
  run(args: Args, llamada: Llamada): Promise<Readonly<Record<string, unknown>>>;
}
