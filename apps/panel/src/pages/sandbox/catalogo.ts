import { z } from 'zod';

/** What the person types for one field of an operation's body. */
export interface CampoOperacion {
  readonly nombre: string;
  readonly tipo: 'texto' | 'numero' | 'entero' | 'fecha' | 'archivo' | 'lista' | 'booleano' | 'varios';
  readonly requerido: boolean;
  /** Never shown again once typed, neither by the panel nor in the command that it shows. */
  readonly secreto: boolean;
  readonly descripcion: string;
  readonly ejemplo: string;
  readonly opciones: readonly string[];
  readonly patron: string | undefined;
  readonly maxLargo: number | undefined;
}

export interface SandboxOperation {
  /** Path without /api/v1/, such as `tax/descarga-metadata`. */
  readonly nombre: string;
  readonly grupo: string;
  readonly resumen: string;
  readonly descripcion: string;
  /** Credits. */
  readonly costo: number;
  readonly credencial: string;
  readonly campos: readonly CampoOperacion[];
  /** Takes an Idempotency-Key, so that the same form sent twice is charged once. */
  readonly esIdempotente: boolean;
}

const campoSchema = z.object({
  type: z.string().default('string'),
  description: z.string().default(''),
  example: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  enum: z.array(z.string()).optional(),
  format: z.string().optional(),
  contentEncoding: z.string().optional(),
  pattern: z.string().optional(),
  maxLength: z.number().optional(),
});

const documento = z.object({
  paths: z.record(
    z.string(),
    z.object({
      post: z.object({
        summary: z.string(),
        description: z.string().default(''),
        'x-costo': z.number(),
        'x-credencial': z.string(),
        parameters: z.array(z.object({ name: z.string() })).default([]),
        requestBody: z.object({
          content: z.object({
            'application/json': z.object({
              schema: z.object({
                properties: z.record(z.string(), campoSchema),
                required: z.array(z.string()).default([]),
              }),
            }),
          }),
        }),
      }),
    }),
  ),
});

const PREFIJO = '/api/v1/';
/** Body fields that hold secrets (specification, Vault). */
const SECRETOS = new Set(['ciec', 'key', 'password']);

const MAX_DEPTH = 32;

/** A part of a document with its references (`#/components/…`) followed. What stands beside one wins. */
function dereference(node: unknown, root: unknown, depth = 0): unknown {
  if (typeof node !== 'object' || node === null || depth > MAX_DEPTH) return node;
  if (Array.isArray(node)) return node.map((each) => dereference(each, root, depth + 1));
  const { $ref, ...own } = node as Record<string, unknown>;
  const target =
    typeof $ref === 'string' && $ref.startsWith('#/')
      ? $ref
          .slice(2)
          .split('/')
          .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], root)
      : {};
  return Object.fromEntries(
    Object.entries({ ...(target as object), ...own }).map(([key, value]) => [key, dereference(value, root, depth + 1)]),
  );
}

/** The same document with the references of its requests followed; its answers are not read. */
function withoutReferences(json: unknown): unknown {
  const { paths } = (json ?? {}) as { paths?: Record<string, { post?: Record<string, unknown> }> };
  if (paths === undefined) return json;
  return {
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, { post }]) => [
        path,
        {
          post: {
            ...post,
            parameters: dereference(post?.['parameters'], json),
            requestBody: dereference(post?.['requestBody'], json),
          },
        },
      ]),
    ),
  };
}

/** Reads the API's own description of itself (OpenAPI 3.1). Throws a ZodError for a document of another shape. */
export function readCatalogue(json: unknown): readonly SandboxOperation[] {
  const { paths } = documento.parse(withoutReferences(json));
  return Object.entries(paths)
    .filter(([path]) => path.startsWith(PREFIJO))
    .map(([path, { post }]) => {
      const nombre = path.slice(PREFIJO.length);
      const { properties, required } = post.requestBody.content['application/json'].schema;
      return {
        nombre,
        grupo: nombre.split('/')[0] ?? nombre,
        resumen: post.summary,
        // The last paragraph repeats cost and credential, which the page shows apart.
        descripcion: post.description.replace(/\n\n(Costo:|Sin costo\.) [^\n]*$/, ''),
        costo: post['x-costo'],
        credencial: post['x-credencial'],
        esIdempotente: post.parameters.some(({ name }) => name === 'Idempotency-Key'),
        campos: Object.entries(properties).map(([name, field]) => readCampo(name, field, required.includes(name))),
      };
    });
}

function readCampo(nombre: string, field: z.output<typeof campoSchema>, requerido: boolean): CampoOperacion {
  return {
    nombre,
    tipo: tipoOf(field),
    requerido,
    secreto: SECRETOS.has(nombre),
    descripcion: field.description,
    ejemplo: [field.example ?? []].flat().join(', '),
    opciones: field.enum ?? (field.type === 'boolean' ? ['false', 'true'] : []),
    patron: field.pattern,
    maxLargo: field.maxLength,
  };
}

function tipoOf({ type, format, contentEncoding, enum: opciones }: z.output<typeof campoSchema>) {
  if (type === 'array') return 'varios';
  if (type === 'boolean') return 'booleano';
  if (opciones) return 'lista';
  if (contentEncoding === 'base64') return 'archivo';
  if (type === 'integer') return 'entero';
  if (type === 'number') return 'numero';
  return format === 'date' ? 'fecha' : 'texto';
}
