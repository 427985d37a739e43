import { z } from 'zod';

/** The parts of JSON Schema 2020-12 that are read here. */
export interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly [keyword: string]: unknown;
}

/** JSON Schema of a Zod schema, as the caller sends (`input`) or gets (`output`) it. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return withoutLimits(rest) as JsonSchema;
}

/** Leaves out the bounds of JavaScript's safe integers, which say nothing about the interface. */
function withoutLimits(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLimits);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== Number.MAX_SAFE_INTEGER && item !== Number.MIN_SAFE_INTEGER)
      .map(([name, item]) => [name, withoutLimits(item)]),
  );
}

/** An example made of the examples of its parts. */
export function exampleOf(schema: JsonSchema): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return exampleOf(schema.anyOf[0] ?? {});
  if (schema.type === 'array') return schema.items === undefined ? [] : [exampleOf(schema.items)];
  if (schema.type !== 'object') return null;
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, part]) => [name, exampleOf(part)]),
  );
}
