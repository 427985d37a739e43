import { readFileSync } from 'node:fs';
import { OPERACIONES } from '@acuse/contract';
import { describe, expect, it } from 'vitest';
import { readCatalogue } from './catalogo.ts';

const text = readFileSync(new URL('../../../../../docs/openapi.json', import.meta.url), 'utf8');

describe('readCatalogue', () => {
  it("finds every operation's fields in the published document, through its references", () => {
    const catalogo = readCatalogue(JSON.parse(text));
    expect(catalogo.map(({ nombre }) => nombre).sort()).toEqual(OPERACIONES.map(({ path }) => path).sort());
    for (const { nombre, campos } of catalogo) expect([nombre, campos.length > 0]).toEqual([nombre, true]);
    expect(catalogo.find(({ nombre }) => nombre === 'tax/descarga-metadata')?.campos).toMatchObject([
      { nombre: 'rfc', tipo: 'texto' },
      { nombre: 'tipo', tipo: 'lista', opciones: ['emitidos', 'recibidos'] },
      { nombre: 'desde', tipo: 'fecha' },
      { nombre: 'hasta', tipo: 'fecha' },
      { nombre: 'formato', tipo: 'lista', opciones: ['csv', 'xlsx', 'ndjson', 'parquet'], requerido: false },
      { nombre: 'contenido', tipo: 'lista', opciones: ['metadata', 'xml'], requerido: false },
      { nombre: 'tablas', tipo: 'booleano', opciones: ['false', 'true'], requerido: false },
      { nombre: 'estado_comprobante', tipo: 'lista', opciones: ['todos', 'vigente', 'cancelado'], requerido: false },
      { nombre: 'tipo_comprobante', tipo: 'lista', opciones: ['I', 'E', 'T', 'N', 'P'], requerido: false },
      { nombre: 'rfc_contraparte', requerido: false },
      { nombre: 'complemento', tipo: 'lista', requerido: false },
      { nombre: 'capsula', tipo: 'booleano', opciones: ['false', 'true'], requerido: false },
    ]);
    expect(catalogo.every(({ esIdempotente }) => esIdempotente)).toBe(true);
  });

  it.each([
    ['nothing', null],
    ['a reference to nowhere', { paths: { '/api/v1/x': { post: { requestBody: { $ref: '#/components/no' } } } } }],
  ])('refuses %s', (_name, json) => {
    expect(() => readCatalogue(json)).toThrow();
  });

  it('does not follow references in a circle for ever', () => {
    const circle = { components: { a: { $ref: '#/components/a' } }, paths: {} };
    const post = { summary: 's', 'x-costo': 0, 'x-credencial': 'c', requestBody: { $ref: '#/components/a' } };
    expect(() => readCatalogue({ ...circle, paths: { '/api/v1/x': { post } } })).toThrow();
  });
});
