import { expect, test } from 'vitest';
import * as z from 'zod';
import { describeConfig, envExample } from './describe.ts';
import { list, port, secret, text } from './fields.ts';

const schema = z.object({
  PORT: port('Puerto HTTP.').default(8080),
  ROLES: list('Tareas.').default(['a', 'b']),
  NAME: text('Nombre.').optional(),
  PEPPER: secret('Pimienta.'),
});

test('describes each variable: description, default as text, required, secret', () => {
  expect(describeConfig(schema)).toEqual([
    { name: 'PORT', description: 'Puerto HTTP.', required: false, secret: false, default: '8080' },
    { name: 'ROLES', description: 'Tareas.', required: false, secret: false, default: 'a,b' },
    { name: 'NAME', description: 'Nombre.', required: false, secret: false, default: null },
    { name: 'PEPPER', description: 'Pimienta.', required: true, secret: true, default: null },
  ]);
});

test('a description given by .describe() after the builder counts too', () => {
  const [entry] = describeConfig(z.object({ PORT: port('viejo').default(1).describe('nuevo') }));
  expect(entry).toMatchObject({ description: 'nuevo', default: '1' });
});

test('what a field becomes after it was described takes nothing of its description away', () => {
  const doubled = list('Números.').transform((values) => values.map((value) => 2 * Number(value)));
  const entries = describeConfig(
    z.object({ WITH: doubled.prefault('1,2'), WITHOUT: doubled.optional(), AGAIN: doubled.refine(Boolean) }),
  );
  expect(entries.map((entry) => [entry.description, entry.default])).toEqual([
    ['Números.', '1,2'],
    ['Números.', null],
    ['Números.', null],
  ]);
});

test('a default that cannot be written as it is read is a mistake of the schema', () => {
  const schema = z.object({ PRICES: list('x').default([{ price: 1 }] as never) });
  expect(() => describeConfig(schema)).toThrow(/PRICES.*prefault/);
});

test('writes the lines of an .env.example', () => {
  expect(envExample(describeConfig(schema))).toBe(`# Puerto HTTP.
# Opcional.
#PORT=8080

# Tareas.
# Opcional.
#ROLES=a,b

# Nombre.
# Opcional.
#NAME=

# Pimienta.
# Obligatoria. Secreta: también se lee del archivo que indique PEPPER_FILE.
PEPPER=
`);
});
