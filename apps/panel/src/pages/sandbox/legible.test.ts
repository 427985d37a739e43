import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { Legible } from './legible.tsx';

const shown = (json: unknown) => load(String(Legible({ json })));

describe('an answer of the API, for people', () => {
  it('is a table for a list, with a row an item, and its single values by name', () => {
    const items = [
      { uuid: 'a', total: 1_160.5, cancelado: false },
      { uuid: '<b>', total: 2, cancelado: true },
    ];
    const $ = shown({ cfdi_codigo: 1, cfdi_texto: 'OK', data: { total: 2, items } });
    expect($('dt').text()).toBe('Total');
    expect($('caption').text()).toBe('Items: 2');
    expect(
      $('thead th')
        .toArray()
        .map((each) => $(each).text()),
    ).toEqual(['Uuid', 'Total', 'Cancelado']);
    expect($('tbody tr').last().text()).toBe('<b>2Sí');
    expect($('tbody b')).toHaveLength(0);
  });

  it('breaks a long word where a column is narrow, and neither a day, an hour nor an RFC', () => {
    const items = [{ id: 'ACE9856D-0543-4D7F', rfc: 'ÑU&O850412H73', dia: '2026-10-01', a: '2026-10-01T12:33:21' }];
    const $ = shown({ data: { items } });
    const cells = $('tbody div').toArray();
    expect(cells.map((each) => $(each).html())).toEqual([
      'ACE985<wbr>6D-054<wbr>3-4D7F<wbr>',
      'ÑU&amp;O850412H73',
      '<time>2026-10-01</time> ',
      '<time>2026-10-01</time> <time>12:33:21</time>',
    ]);
  });

  it('says how many of a long list are shown, and what an error says', () => {
    const items = Array.from({ length: 120 }, (_, at) => at);
    const $ = shown({ data: { items } });
    expect($('caption').text()).toBe('Items: los primeros 50 de 120');
    expect($('tbody tr')).toHaveLength(50);
    expect(shown({ cfdi_texto: 'El rfc falta.' })('p').text()).toBe('El rfc falta.');
    for (const json of [undefined, null, 'x', [], { data: null }]) expect(shown(json).text()).toBe('');
  });
});
