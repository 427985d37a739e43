import * as z from 'zod';
import type { FieldMeta } from './fields.ts';

/**
 * A field's own description and marks, found through `.default()`, `.optional()`, `.transform()` and the like around
 * it.
 */
export function fieldMeta(field: z.core.$ZodType): FieldMeta {
  for (let current: z.core.$ZodType | undefined = field; current; current = innerType(current)) {
    const meta = z.globalRegistry.get(current);
    if (meta?.description !== undefined) return { ...meta, description: meta.description };
  }
  return { description: '' };
}

/** The default of a field, or undefined when it has none. */
export function fieldDefault(field: z.core.$ZodType): unknown {
  for (let current: z.core.$ZodType | undefined = field; current; current = innerType(current)) {
    const { def } = current._zod;
    if (def.type === 'default' || def.type === 'prefault') {
      return (def as z.core.$ZodDefaultDef).defaultValue;
    }
  }
  return undefined;
}

/** True when a field accepts that its variable is not set. */
export function isOptional(field: z.core.$ZodType): boolean {
  return z.safeParse(field, undefined).success;
}

function innerType(field: z.core.$ZodType): z.core.$ZodType | undefined {
  const def = field._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  // What comes after `.transform()` is a pipe: the field as it was written is where it begins.
  return def.innerType ?? def.in;
}
