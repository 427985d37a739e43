import { CON_PLAZO, PASAJEROS } from '../src/errors.ts';
import {
  type Documento,
  eventsOf,
  FALLOS_PROPIOS,
  fieldsOf,
  groupsOf,
  type JsonSchema,
  nameOf,
  namesOfErrors,
  operationsOf,
  ownErrors,
  type Publicada,
  textOf,
  type Valor,
} from './documento.ts';

const HEAD = `<?php

// Generated from docs/openapi.json by \`npm run generate\`.

declare(strict_types=1);

namespace Acuse;
`;
const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  array: 'array',
};

const quoted = (value: Valor) =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value);
const capital = (word: string) => word.replace(/^./, (letter) => letter.toUpperCase());

/** The shape of an answer in PHPDoc, whole: an editor follows no names through it. */
function shapeOf(documento: Documento, schema: JsonSchema, indent: string): string {
  const inner = (each: JsonSchema, deeper = indent) => shapeOf(documento, each, deeper);
  if (schema.$ref !== undefined) return inner(documento.components.schemas[nameOf({ $ref: schema.$ref })] ?? {});
  if (schema.const !== undefined) return quoted(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(quoted).join('|');
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => inner(each)).join('|');
  if (Array.isArray(schema.type)) return schema.type.map((type: string) => inner({ ...schema, type })).join('|');
  if (schema.type === 'array') return `list<${inner(schema.items ?? {})}>`;
  const parts = (schema.allOf ?? [schema]).map((part) =>
    part.$ref === undefined ? part : (documento.components.schemas[nameOf({ $ref: part.$ref })] ?? {}),
  );
  const fields = parts.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, field]) => {
      const mark = required.includes(name) ? '' : '?';
      return `${indent}  ${name}${mark}: ${inner(field, `${indent}  `)},\n`;
    }),
  );
  if (fields.length > 0) return `array{\n${fields.join('')}${indent}}`;
  if (schema.type === 'object') return 'array<string, mixed>';
  // An integer comes as one also where decimals may come.
  return schema.type === 'number' ? 'int|float' : (PRIMITIVES[String(schema.type)] ?? String(schema.type));
}

function methodText(documento: Documento, operations: readonly Publicada[], one: Publicada): string {
  const { path, metodo, peticion, respuesta, changes } = one;
  const fields = fieldsOf(documento, peticion).map(({ nombre, campo, esObligatorio }) => {
    const type = PRIMITIVES[String(campo.type)];
    if (type === undefined) throw new Error(`${path}: PHP has no type for ${nombre}`);
    // Kept out of the traces of errors.
    const secret = campo.format === 'password' || campo.contentEncoding ? '#[\\SensitiveParameter] ' : '';
    const shape = shapeOf(documento, campo, '     * ');
    return {
      nombre,
      esObligatorio,
      doc: `@param ${esObligatorio ? shape : `${shape}|null`} $${nombre} ${campo.description ?? ''}`,
      parameter: esObligatorio ? `${secret}${type} $${nombre}` : `${secret}?${type} $${nombre} = null`,
    };
  });
  const parameters = [...fields].sort((a, b) => Number(b.esObligatorio) - Number(a.esObligatorio));
  const errors = ownErrors(operations, one);
  const lines = [
    ...textOf(one).flatMap((paragraph) => [paragraph, '']),
    ...parameters.map(({ doc }) => doc),
    '@param string|null $claveIdempotencia La misma en varias llamadas: una respuesta y un solo cargo, 24 horas.',
    `@return ${shapeOf(documento, { $ref: `#/${respuesta}` }, '     * ')}`,
    `@throws AcuseError ${errors.length === 0 ? 'Los' : `${errors.join(', ')}, y los`} comunes a toda operación.`,
  ];
  const signature = [...parameters.map(({ parameter }) => parameter), '?string $claveIdempotencia = null'];
  return `
    /**
${lines.map((line) => `     *${line === '' ? '' : ` ${line}`}\n`).join('')}     */
    public function ${metodo}(
${signature.map((each) => `        ${each},\n`).join('')}    ): array {
        return ($this->call)(
            '${path}',
            ${changes},
            [${fields.map(({ nombre }) => `'${nombre}' => $${nombre}`).join(', ')}],
            $claveIdempotencia,
        );
    }
`;
}

function errorsText(documento: Documento): string {
  const { examples } = documento.components;
  const names = namesOfErrors(documento).map((name) => {
    const { value } = examples[name] ?? {};
    const text = value === undefined ? '' : `    /** ${value.cfdi_codigo}: ${value.cfdi_texto} */\n`;
    return `${text}    public const ${name} = '${name}';\n`;
  });
  const locals = Object.entries(FALLOS_PROPIOS).map(
    ([name, text]) => `    /** ${text} */\n    public const ${name} = '${name}';\n`,
  );
  const list = (of: Iterable<string>) => [...of].map((name) => `        self::${name},\n`).join('');
  return `${HEAD}
/** Every name of an error; those of the service never change. */
final class Errores
{
${[...names, ...locals].join('')}
    /** What goes wrong on this side of the service. */
    public const TEXTOS_LOCALES = [
${Object.entries(FALLOS_PROPIOS)
  .map(([name, text]) => `        self::${name} => ${quoted(text)},\n`)
  .join('')}    ];

    /** What may pass by itself: the same call, made again, can succeed. */
    public const PASAJEROS = [
${list(PASAJEROS)}    ];

    /** Pass by themselves only where the answer says when. */
    public const CON_PLAZO = [
${list(CON_PLAZO)}    ];
}
`;
}

/** Constants for the types of events, and their shapes in one union that narrows by `type`. */
function eventsText(documento: Documento): string {
  const events = eventsOf(documento);
  const shapes = events.map(({ schema }) => shapeOf(documento, { $ref: `#/${schema}` }, ' * '));
  const constants = events.map(({ type, schema }) => {
    const { description = '' } = documento.components.schemas[schema] ?? {};
    return `    /** ${description} */\n    public const ${type.replaceAll('.', '_').toUpperCase()} = ${quoted(type)};\n`;
  });
  return `${HEAD}
/**
 * Types of events of a webhook. A comparison of \`type\` with one of them narrows \`data\`.
 *
 * @phpstan-type EventoWebhook ${shapes.join('|')}
 */
final class Eventos
{
${constants.join('')}}
`;
}

/** The files of packages/sdk-php/src/generated, by their name. */
export function phpFiles(documento: Documento, version: string): Readonly<Record<string, string>> {
  const operations = operationsOf(documento);
  const groups = groupsOf(documento).map(({ name, description, own }) => ({
    name,
    description,
    type: `Operaciones${capital(name)}`,
    methods: own.map((one) => methodText(documento, operations, one)).join(''),
  }));
  const classes = groups.map(({ type, description, methods }) => [
    `${type}.php`,
    `${HEAD}
/** ${description} */
final class ${type}
{
    /** @internal */
    public function __construct(private readonly \\Closure $call)
    {
    }
${methods}}
`,
  ]);
  const shape = (name: string) => shapeOf(documento, { $ref: `#/${name}` }, '     * ');
  return {
    ...Object.fromEntries(classes),
    'Operaciones.php': `${HEAD}
/** Every operation of the service, grouped as its paths are. */
abstract class Operaciones
{
    public const VERSION = ${quoted(version)};
${groups.map(({ name, description, type }) => `\n    /** ${description} */\n    public readonly ${type} $${name};\n`).join('')}
    protected function __construct(\\Closure $call)
    {
${groups.map(({ name, type }) => `        $this->${name} = new ${type}($call);\n`).join('')}    }
}
`,
    'Descarga.php': `${HEAD}
/** A request that ended with a package. */
final class Descarga
{
    /**
     * @param ${shape('Solicitud')} $solicitud
     * @param ${shape('DatosDescargaPaquete')} $paquete
     */
    public function __construct(public readonly array $solicitud, public readonly array $paquete)
    {
    }
}
`,
    'Errores.php': errorsText(documento),
    'Eventos.php': eventsText(documento),
  };
}
