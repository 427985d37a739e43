import { hrefWith } from '@acuse/page/form';
import { describe, expect, test } from 'vitest';
import { readFilter } from './filtro.ts';

const read = (query: Record<string, string>) => readFilter((name) => query[name]);
const ID = '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f';

describe('the filters of an address', () => {
  test('are read; days are those of central Mexico', () => {
    const query = {
      rfc: 'acu200101db1',
      tipo: 'emitidos',
      estado: 'VENCIDA',
      periodo_desde: '2024-02-29',
      creada_desde: '2024-01-01',
      creada_hasta: '2024-01-31',
      id: ID.toUpperCase(),
      antes: ID,
    };
    expect(read(query)).toMatchObject({
      filtro: {
        rfc: 'ACU200101DB1',
        tipo: 'emitidos',
        estado: 'VENCIDA',
        periodo: { desde: '2024-02-29', hasta: '9999-12-31' },
        creada: { desde: new Date('2024-01-01T06:00:00Z'), hasta: new Date('2024-02-01T06:00:00Z') },
        texto: ID,
      },
      cursor: { antesDe: ID },
      faltas: {},
    });
  });

  test('narrow nothing when they make no sense, and say so', () => {
    const { filtro, cursor, faltas, valores } = read({
      rfc: "x' OR 1=1",
      tipo: 'todos',
      estado: 'toString',
      periodo_hasta: '2023-02-29',
      creada_hasta: '31/12/2024',
      id: '%%%%',
      despues: 'x',
    });
    expect([filtro, cursor]).toEqual([{ isLectura: false }, null]);
    expect(Object.keys(faltas).sort()).toEqual(['creada_hasta', 'id', 'periodo_hasta', 'rfc']);
    expect(valores.periodo_hasta).toBe('2023-02-29');
  });

  test('use summer time until 2022, and refuse days before the SAT has CFDI', () => {
    const { filtro, faltas } = read({ creada_desde: '2022-07-01', creada_hasta: '1800-01-01' });
    expect(filtro).toEqual({ isLectura: false, creada: { desde: new Date('2022-07-01T05:00:00Z') } });
    expect(Object.keys(faltas)).toEqual(['creada_hasta']);
  });

  test('go on in the addresses of the neighbours', () => {
    const { valores } = read({ rfc: 'ACU200101DB1', id: 'a&b=c' });
    expect(hrefWith('/solicitudes', { ...valores, antes: ID })).toBe(
      `/solicitudes?rfc=ACU200101DB1&id=a%26b%3Dc&antes=${ID}`,
    );
    expect(hrefWith('/solicitudes', { ...valores, rfc: undefined, id: undefined })).toBe('/solicitudes');
  });
});
