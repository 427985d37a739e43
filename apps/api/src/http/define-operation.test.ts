import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperation } from './define-operation.ts';

const base = { summary: 's', cost: 0, rfc: 'ninguno', body: z.object({ a: z.string() }) } as const;
const data = z.object({ estado: z.enum(['EN_PROCESO', 'TERMINADA']), total: z.number() });

test('a declaration and its handler agree by type', () => {
  const good = defineOperation({
    ...base,
    credential: 'efirma',
    data,
    errors: ['SOLICITUD_NO_ENCONTRADA'],
    async handle({ a }, { error, credenciales }) {
      if (a === '') throw error('SOLICITUD_NO_ENCONTRADA');
      const only: 'efirma' | undefined = credenciales[0]?.open().tipo;
      return { estado: 'EN_PROCESO', total: only?.length ?? 0 };
    },
  });
  expect(good).toMatchObject({ accepts: 'efirma', charge: 'before', secretos: {} });
});

test('what does not fit does not compile', () => {
  const declarations = [
    () =>
      defineOperation({
        ...base,
        credential: 'api-key',
        data,
        errors: ['SOLICITUD_NO_ENCONTRADA'],
        async handle(_body, { error }) {
          // @ts-expect-error: an error that is not declared
          throw error('CFDI_NO_ENCONTRADO');
        },
      }),
    () =>
      defineOperation({
        ...base,
        credential: 'api-key',
        data,
        errors: [],
        // @ts-expect-error: a field of the data is missing
        handle: async () => ({ estado: 'EN_PROCESO' }),
      }),
    () =>
      defineOperation({
        ...base,
        credential: 'api-key',
        data,
        errors: [],
        // @ts-expect-error: a word that the schema does not know
        handle: async () => ({ estado: 'OTRA_COSA', total: 1 }),
      }),
    () =>
      defineOperation({
        ...base,
        credential: 'api-key',
        data: null,
        errors: [],
        async handle(_body, contexto) {
          // @ts-expect-error: the operation did not ask for a credential
          contexto.openCredencial();
          return undefined;
        },
      }),
    () =>
      defineOperation({
        ...base,
        credential: 'api-key',
        data: null,
        errors: [],
        async handle(body) {
          // @ts-expect-error: a field that the body does not have
          body.b;
          return undefined;
        },
      }),
  ];
  expect(declarations).toHaveLength(5);
});
