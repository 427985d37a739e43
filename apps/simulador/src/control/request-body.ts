import type { Context } from 'hono';
import { z } from 'zod';
import { parseWallTime } from '../world/wall-time.ts';

/** A refusal of the control API, whose message is shown as it is. */
export class ControlError extends Error {
  readonly status: 400 | 404;
  constructor(status: 400 | 404, message: string) {
    super(message);
    this.name = 'ControlError';
    this.status = status;
  }
}

/** A day of the calendar, `yyyy-MM-dd`, as its first second. */
export const dia = z.iso.date().transform((text) => parseWallTime(text) ?? 0);

/** Reads the JSON body by a schema; throws ControlError 400 with the faults. */
export async function parseBody<T extends z.ZodType>(c: Context, schema: T): Promise<z.output<T>> {
  const body: unknown = await c.req.json().catch(() => {
    throw new ControlError(400, 'El cuerpo no es JSON: mande un objeto JSON con content-type application/json.');
  });
  const result = schema.safeParse(body);
  if (!result.success) throw new ControlError(400, z.prettifyError(result.error));
  return result.data;
}
