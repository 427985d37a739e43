import { expect, it } from 'vitest';
import { serve } from '../testing/answers.ts';
import { Acuse } from './acuse.ts';
import { elementos } from './paginas.ts';

const pageOf = (items: readonly object[], siguiente: string | null) => ({
  cfdi_codigo: 1,
  cfdi_texto: 'OK',
  data: { total: 3, items, siguiente },
});

it('gives every element of a list, asking for a page when it is reached and for none behind the last', async () => {
  const pages = [pageOf([{ uuid: 'a' }, { uuid: 'b' }], 'x.2'), pageOf([{ uuid: 'c' }], null)];
  const { url, asked } = await serve((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(pages[asked.length - 1]));
  });
  const acuse = new Acuse({ url, llave: 'acuse_test_x' });
  const peticion = { rfc: 'ACU200101DB1', desde: '2026-01-01', hasta: '2026-01-31', limite: 2 };
  const seen: [string, number][] = [];
  for await (const { uuid } of elementos((pagina) => acuse.tax.facturas({ ...peticion, ...pagina })))
    seen.push([uuid, asked.length]);
  expect(seen).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 2],
  ]);
  expect(asked.map(({ body }) => JSON.parse(body))).toEqual([peticion, { ...peticion, cursor: 'x.2' }]);
});

it('ends where the next page is the one just asked for, as that of changes to come is', async () => {
  const pages = [pageOf([{ uuid: 'a' }], 'x.1'), pageOf([], 'x.1')];
  const { url, asked } = await serve((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(pages[asked.length - 1]));
  });
  const acuse = new Acuse({ url, llave: 'acuse_test_x' });
  const seen: string[] = [];
  for await (const { uuid } of elementos((pagina) => acuse.sincronizacion.cambios({ rfc: 'ACU200101DB1', ...pagina })))
    seen.push(uuid);
  expect([seen, asked.length]).toEqual([['a'], 2]);
});
