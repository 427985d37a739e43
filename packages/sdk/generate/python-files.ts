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
  reachable,
  refsIn,
  textOf,
  type Valor,
} from './documento.ts';

const HEAD = '# Generated from docs/openapi.json by `npm run generate`.\n';
const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

const capital = (word: string) => word.replace(/^./, (letter) => letter.toUpperCase());
const quoted = (value: Valor) => (typeof value === 'boolean' ? capital(String(value)) : JSON.stringify(value));
const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"""', "'''");
/** A docstring of lines, the empty ones between paragraphs. */
const docstring = (lines: readonly string[], indent: string) =>
  `${indent}"""${escaped(lines.map((line) => (line === '' ? '' : indent + line)).join('\n')).trimStart()}${lines.length > 1 ? `\n${indent}` : ''}"""\n`;
const told = (text: string | undefined, indent: string) =>
  text === undefined
    ? ''
    : docstring(
        text.split(/\n+/).flatMap((line, at) => (at === 0 ? [line] : ['', line])),
        indent,
      );
const literal = (values: readonly Valor[]) => `Literal[${values.map(quoted).join(', ')}]`;

/** Classes that a schema needs beside its own: for objects that have no name in the document. */
type Nested = (name: string, schema: JsonSchema) => void;

function typeOf(schema: JsonSchema, name: string, nested: Nested): string {
  if (schema.$ref !== undefined) return nameOf({ $ref: schema.$ref });
  if (schema.const !== undefined) return literal([schema.const]);
  if (schema.enum !== undefined) return literal(schema.enum);
  const parts =
    schema.anyOf ?? (Array.isArray(schema.type) ? schema.type.map((type: string) => ({ ...schema, type })) : null);
  if (parts !== null) {
    const types = parts.map((part) => typeOf(part, name, nested));
    const [own = ''] = types.filter((type) => type !== 'None');
    return types.includes('None') ? `Optional[${own}]` : `Union[${types.join(', ')}]`;
  }
  if (schema.type === 'array') return `List[${typeOf(schema.items ?? {}, name, nested)}]`;
  if (schema.properties !== undefined) {
    nested(name, schema);
    return name;
  }
  return PRIMITIVES[String(schema.type)] ?? 'Any';
}

/** One class, or two where some of its fields are optional, before the classes of nested types. */
function classText(name: string, schema: JsonSchema): string {
  const before: string[] = [];
  const [parent, own] = schema.allOf === undefined ? [null, schema] : schema.allOf;
  const { properties = {}, required = [], description } = own ?? {};
  const fields = Object.entries(properties).map(([field, campo]) => {
    const type = typeOf(campo, `${name}${capital(field)}`, (...inner) => before.push(classText(...inner)));
    return { isRequired: required.includes(field), text: `    ${field}: ${type}\n${told(campo.description, '    ')}` };
  });
  const [sure, maybe] = [true, false].map((is) => fields.filter(({ isRequired }) => isRequired === is));
  const block = (header: string, of: typeof fields = []) =>
    `\n\nclass ${header}:\n${description === undefined ? '' : `${told(description, '    ')}\n`}${of.map(({ text }) => text).join('')}`;
  const base = parent?.$ref === undefined ? 'TypedDict' : nameOf({ $ref: parent.$ref });
  if (maybe?.length === 0) return before.join('') + block(`${name}(${base})`, sure);
  if (sure?.length === 0) return before.join('') + block(`${name}(${base}, total=False)`, maybe);
  return before.join('') + block(`_${name}(${base})`, sure) + block(`${name}(_${name}, total=False)`, maybe);
}

function typesText(documento: Documento): string {
  const { schemas } = documento.components;
  const events = eventsOf(documento).map(({ schema }) => schema);
  const answers = operationsOf(documento).map(({ respuesta }) => respuesta);
  const used = reachable(documento, ['DatosFallo', ...answers, ...events]);
  const texts = [...used].sort().map((name) => {
    const schema = schemas[name] ?? {};
    if (schema.properties !== undefined || schema.allOf !== undefined) return classText(name, schema);
    return `\n\n${name} = ${typeOf(schema, name, () => {})}\n${told(schema.description, '')}`;
  });
  return `${HEAD}from __future__ import annotations

from typing import Any, List, Literal, Optional, TypedDict, Union
${texts.join('')}

EventoWebhook = Union[
${events.map((name) => `    ${name},\n`).join('')}]
"""Event of a webhook; a check of its type narrows its data."""
`;
}

function methodText(documento: Documento, operations: readonly Publicada[], one: Publicada): string {
  const { path, accion, peticion, respuesta, changes } = one;
  const fields = fieldsOf(documento, peticion).map(({ nombre, campo, esObligatorio }) => {
    const type = typeOf(campo, nombre, () => {});
    return {
      nombre,
      esObligatorio,
      text: campo.description ?? '',
      parameter: esObligatorio ? `${nombre}: ${type}` : `${nombre}: Optional[${type}] = None`,
    };
  });
  const parameters = [...fields].sort((a, b) => Number(b.esObligatorio) - Number(a.esObligatorio));
  const errors = ownErrors(operations, one);
  const lines = [
    ...textOf(one).flatMap((paragraph, at) => (at === 0 ? [paragraph] : ['', paragraph])),
    ...(fields.length === 0 ? [] : ['', 'Args:', ...fields.map(({ nombre, text }) => `    ${nombre}: ${text}`)]),
    ...(errors.length === 0
      ? []
      : ['', 'Raises:', `    AcuseError: ${errors.join(', ')}, y los comunes a toda operación.`]),
  ];
  return `
    def ${accion.replaceAll('-', '_')}(
        self,
        *,
${[...parameters.map(({ parameter }) => parameter), 'clave_idempotencia: Optional[str] = None'].map((each) => `        ${each},\n`).join('')}    ) -> ${respuesta}:
${docstring(lines, '        ')}        answer: ${respuesta} = self._call(
            ${quoted(path)},
            ${quoted(changes)},
            {${fields.map(({ nombre }) => `${quoted(nombre)}: ${nombre}`).join(', ')}},
            clave_idempotencia,
        )
        return answer
`;
}

function operationsText(documento: Documento): string {
  const operations = operationsOf(documento);
  const groups = groupsOf(documento);
  const classes = groups.map(
    ({ name, description, own }) => `

class Operaciones${capital(name)}:
${told(description, '    ')}
    def __init__(self, call: Call) -> None:
        self._call = call
${own.map((one) => methodText(documento, operations, one)).join('')}`,
  );
  const named = operations.flatMap(({ peticion }) =>
    fieldsOf(documento, peticion).flatMap(({ campo }) => refsIn(campo)),
  );
  const names = new Set([...operations.map(({ respuesta }) => respuesta), ...named]);
  return `${HEAD}from __future__ import annotations

from typing import Any, Callable, Dict, List, Literal, Optional

from .types import (
${[...names]
  .sort()
  .map((name) => `    ${name},\n`)
  .join('')})

Call = Callable[[str, bool, Dict[str, Any], Optional[str]], Any]
${classes.join('')}

class Operaciones:
    """Every operation of the service, grouped as its paths are."""

    def __init__(self, call: Call) -> None:
${groups.map(({ name, description }) => `        self.${name} = Operaciones${capital(name)}(call)\n${told(description, '        ')}`).join('')}`;
}

function errorsText(documento: Documento): string {
  const names = [...namesOfErrors(documento), ...Object.keys(FALLOS_PROPIOS)];
  const set = (of: ReadonlySet<string>) => `frozenset({${[...of].map(quoted).join(', ')}})`;
  return `${HEAD}from typing import Literal

NombreError = Literal[
${names.map((name) => `    ${quoted(name)},\n`).join('')}]
"""Every name of an error; those of the service never change."""

FALLOS_LOCALES = {
${Object.entries(FALLOS_PROPIOS)
  .map(([name, text]) => `    ${quoted(name)}: ${quoted(text)},\n`)
  .join('')}}
"""What goes wrong on this side of the service."""

PASAJEROS = ${set(PASAJEROS)}
"""What may pass by itself: the same call, made again, can succeed."""

CON_PLAZO = ${set(CON_PLAZO)}
"""Pass by themselves only where the answer says when."""
`;
}

/** The files of packages/sdk-python/acuse/generated, by their name. */
export function pythonFiles(documento: Documento, version: string): Readonly<Record<string, string>> {
  return {
    '__init__.py': `${HEAD}VERSION = ${quoted(version)}\n`,
    'types.py': typesText(documento),
    'operations.py': operationsText(documento),
    'errors.py': errorsText(documento),
  };
}
