import type { CampoErroneo, NombreError } from '@acuse/contract';
import type { z } from 'zod';
import type {
  Contexto,
  CredencialAceptada,
  CredencialPedida,
  Declaracion,
  DeclaracionBase,
  Resultado,
  Secreto,
} from './operation.ts';

const MARK = Symbol('operation');

/**
 * Declares one operation. Its place below `operations/` is its path; everything else that the service knows of it
 * stands here. An error that is not in `errors`, and a result that the data schema would refuse, do not compile.
 */
export function defineOperation<
  const C extends CredencialPedida,
  B extends z.ZodObject,
  D extends z.ZodType | null,
  const E extends readonly NombreError[],
  const R extends Resultado<D>,
  const A extends CredencialAceptada = C,
  const S extends Record<string, Secreto> = Record<never, Secreto>,
>(
  spec: Omit<DeclaracionBase, 'credential' | 'accepts' | 'body' | 'data' | 'errors' | 'secretos'> & {
    readonly credential: C;
    readonly accepts?: A;
    readonly body: B;
    readonly data: D;
    readonly errors: E;
    readonly secretos?: S;
    /** Rules between fields; run in the body step, before anything is charged. */
    check?(body: z.output<B>, now: Date): CampoErroneo | null;
    handle(body: z.output<B>, contexto: Contexto<A, E[number], S>): Promise<R>;
  },
): Declaracion {
  const { check, handle, ...rest } = spec;
  const declaracion: Declaracion = {
    ...rest,
    accepts: spec.accepts ?? spec.credential,
    charge: spec.charge ?? 'before',
    asks: spec.asks ?? [],
    secretos: spec.secretos ?? {},
    check: (body, now) => check?.(asParsed<z.output<B>>(body), now) ?? null,
    handle: (body, contexto) => handle(asParsed<z.output<B>>(body), asParsed<Contexto<A, E[number], S>>(contexto)),
  };
  return Object.assign(declaracion, { [MARK]: true });
}

/**
 * The pipeline hands over only what it parsed with this very declaration's schema, and a context built from its own
 * fields.
 */
function asParsed<T>(value: unknown): T {
  return value as T;
}

/** Whether a module's default export came from {@link defineOperation}. */
export function isDeclaracion(value: unknown): value is Declaracion {
  return typeof value === 'object' && value !== null && MARK in value;
}
