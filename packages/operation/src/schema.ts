import { z } from 'zod';

/** The parts of JSON Schema 2020-12 that are read here. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly [keyword: string]: unknown;
}

/** Schemas by the name under which a document's components hold them. */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

/** A schema, and the named ones that it refers to. */
export interface Described {
  readonly schema: JsonSchema;
  readonly named: NamedSchemas;
}

const COMPONENTS = '#/components/schemas/';

/** A reference to a named schema. */
export const refTo = (name: string) => ({ $ref: `${COMPONENTS}${name}` });

/**
 * JSON Schema of a Zod schema, as the caller sends (`input`) or gets (`output`) it. What has an `id` in its metadata
 * becomes a named one.
 */
export function describe(schema: z.ZodType, io: 'input' | 'output'): Described {
  const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return { schema: published(rest) as JsonSchema, named: published($defs ?? {}) as NamedSchemas };
}

/** The same under a name of its own, unless it has one. */
export function named(name: string, { schema, named }: Described): Described {
  return schema.$ref === undefined ? { schema: refTo(name), named: { ...named, [name]: schema } } : { schema, named };
}

/**
 * The named schemas of several places together. Throws when two places mean different schemas by one name: readers
 * would find the one and be answered as the other says.
 */
export function joined(parts: readonly (readonly [place: string, named: NamedSchemas])[]): NamedSchemas {
  const all = new Map<string, { readonly place: string; readonly schema: JsonSchema }>();
  for (const [place, named] of parts)
    for (const [name, schema] of Object.entries(named)) {
      const first = all.get(name) ?? { place, schema };
      if (JSON.stringify(first.schema) !== JSON.stringify(schema))
        throw new Error(
          `${first.place} and ${place} both call a schema ${name}, but not the same one: rename one of them`,
        );
      all.set(name, first);
    }
  return Object.fromEntries([...all].map(([name, { schema }]) => [name, schema]));
}

/** `tax/facturas-fiel` as `TaxFacturasFiel`, `saldo.bajo` as `SaldoBajo`. */
export const pascal = (words: string) =>
  words
    .split(/[^a-z0-9]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** What a reference leads to; any other schema as it is. */
export function resolve(schema: JsonSchema, named: NamedSchemas): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const found = named[schema.$ref.slice(COMPONENTS.length)];
  if (found === undefined) throw new Error(`${schema.$ref} leads nowhere`);
  const { $ref: _, ...siblings } = schema;
  return { ...found, ...siblings };
}

/**
 * Points references at the document's components, and leaves out the bounds of JavaScript's safe integers and the ban
 * on further fields: neither is a promise of the interface.
 */
function published(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(published);
  if (typeof value === 'string') return value.replace(/^#\/\$defs\//, COMPONENTS);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(describedOutside(value as JsonSchema))
      .filter(([, item]) => item !== Number.MAX_SAFE_INTEGER && item !== Number.MIN_SAFE_INTEGER)
      .filter(([name, item]) => name !== 'additionalProperties' || item !== false)
      .map(([name, item]) => [name, published(item)]),
  );
}

/** Moves the description of a nullable field's value to the field, where readers look for it. */
function describedOutside(schema: JsonSchema): JsonSchema {
  const [inner, nothing, ...more] = schema.anyOf ?? [];
  if (inner?.description === undefined || nothing?.type !== 'null' || more.length > 0) return schema;
  const { description, example, ...form } = inner;
  return { description, ...(example === undefined ? {} : { example }), ...schema, anyOf: [form, nothing] };
}

/** An example made of the examples of its parts. */
export function exampleOf(schema: JsonSchema, named: NamedSchemas): unknown {
  const part = (inner: JsonSchema) => exampleOf(inner, named);
  if (schema.example !== undefined) return schema.example;
  if (schema.$ref !== undefined) return part(resolve(schema, named));
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return part(schema.anyOf[0] ?? {});
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map(part));
  if (schema.type === 'array') return schema.items === undefined ? [] : [part(schema.items)];
  if (schema.type !== 'object') return null;
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, part(inner)]));
}
