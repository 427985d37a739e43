import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { openApiDocument } from './document.ts';

const operation = (path: string, body: z.ZodObject, data: z.ZodObject | null = null) => ({
  path,
  ...defineOperation({
    summary: 's',
    credential: 'api-key',
    effect: 'reads',
    cost: 0,
    rfc: 'ninguno',
    errors: [],
    body,
    data,
    handle: () => Promise.reject(new Error('not called')),
  }),
});
const peticion = (field: z.ZodType) => z.object({ a: field }).meta({ id: 'PeticionA' });

test('two operations that mean different schemas by one name are both named, and nothing is published', () => {
  const one = operation('a/uno', peticion(z.string()));
  expect(() => openApiDocument([one, operation('a/dos', peticion(z.int()))])).toThrow(
    'the body of a/dos and the body of a/uno both call a schema PeticionA, but not the same one',
  );
  const dos = operation('a/dos', z.object({}), z.object({ a: z.int() }).meta({ id: 'Fallo' }));
  expect(() => openApiDocument([one, dos])).toThrow('every answer and the answer of a/dos both call a schema Fallo,');
});

test('a schema that two operations share stands once', () => {
  const shared = z.object({ a: z.string() }).meta({ id: 'PeticionA' });
  const { components } = openApiDocument([operation('a/uno', shared), operation('a/dos', shared)]);
  expect(components).toMatchObject({ schemas: { PeticionA: { properties: { a: { type: 'string' } } } } });
});
