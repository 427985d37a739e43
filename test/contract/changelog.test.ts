import { DOMParser } from '@xmldom/xmldom';
import { describe, expect, it } from 'vitest';
import { changelogOf, forbiddenChanges, readPublicada, release } from '../../apps/api/src/openapi/changelog.ts';
import { changesBetween, superficieOf } from '../../apps/api/src/openapi/changes.ts';
import { openApiDocument } from '../../apps/api/src/openapi/document.ts';
import { createKit, createKitWithAlta, operations } from '../../apps/api/test/kit.ts';

const document = openApiDocument(await operations());
type Schema = Record<string, unknown>;

const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });
const failure = (...names: string[]) => ({
  content: { 'application/json': { examples: Object.fromEntries(names.map((name) => [name, {}])) } },
});

/** A document of one operation. */
const documentOf = ({
  pide = {},
  requerido = [],
  contesta = {},
  always = [],
  errores = { 400: failure('UNO') },
}: {
  readonly pide?: Schema;
  readonly requerido?: readonly string[];
  readonly contesta?: Schema;
  readonly always?: readonly string[];
  readonly errores?: Schema;
}) => ({
  info: { version: '1.0.0' },
  paths: {
    '/api/v1/a/b': {
      post: {
        requestBody: json({ type: 'object', properties: pide, required: requerido }),
        responses: { 200: json({ $ref: '#/components/schemas/R' }), ...errores },
      },
    },
  },
  components: { schemas: { R: { type: 'object', properties: contesta, required: always } } },
});

const TEXT = { type: 'string' };
type Case = readonly [string, Parameters<typeof documentOf>[0], Parameters<typeof documentOf>[0], readonly string[]];

const BREAKING: readonly Case[] = [
  ['a field that requests lose', { pide: { x: TEXT } }, {}, ['PETICION_CAMPO_RETIRADO x']],
  [
    'a new field that requests must have',
    {},
    { pide: { x: TEXT }, requerido: ['x'] },
    ['PETICION_CAMPO_OBLIGATORIO x'],
  ],
  [
    'a field that becomes required',
    { pide: { x: TEXT } },
    { pide: { x: TEXT }, requerido: ['x'] },
    ['PETICION_CAMPO_OBLIGATORIO x'],
  ],
  [
    'a value that requests lose',
    { pide: { x: { enum: ['A', 'B'] } } },
    { pide: { x: { enum: ['A'] } } },
    ['PETICION_VALOR_RETIRADO x: B'],
  ],
  [
    'a type that requests lose',
    { pide: { x: { type: ['string', 'null'] } } },
    { pide: { x: TEXT } },
    ['PETICION_TIPO x: null'],
  ],
  [
    'a tighter limit',
    { pide: { x: { ...TEXT, maxLength: 9 } } },
    { pide: { x: { ...TEXT, maxLength: 8 } } },
    ['PETICION_LIMITE x: maxLength'],
  ],
  [
    'a field that answers lose, once with those below it',
    { contesta: { x: { type: 'array', items: { type: 'object', properties: { y: TEXT } } } } },
    {},
    ['RESPUESTA_CAMPO_RETIRADO x'],
  ],
  [
    'a field that answers may lack',
    { contesta: { x: TEXT }, always: ['x'] },
    { contesta: { x: TEXT } },
    ['RESPUESTA_CAMPO_INCIERTO x'],
  ],
  [
    'a type that answers gain',
    { contesta: { x: TEXT } },
    { contesta: { x: { type: ['string', 'null'] } } },
    ['RESPUESTA_TIPO x: null'],
  ],
  ['an error with another status', {}, { errores: { 409: failure('UNO') } }, ['ERROR_CAMBIADO UNO: 409']],
];

const COMPATIBLE: readonly Case[] = [
  ['an optional field of requests', {}, { pide: { x: TEXT } }, ['PETICION_CAMPO_NUEVO x']],
  ['a field of answers', {}, { contesta: { x: TEXT }, always: ['x'] }, ['RESPUESTA_CAMPO_NUEVO x']],
  ['values', { pide: { x: { enum: ['A'] } } }, { pide: { x: { enum: ['A', 'B'] } } }, ['PETICION_VALOR_NUEVO x: B']],
  ['a wider limit', { pide: { x: { ...TEXT, maxLength: 8 } } }, { pide: { x: { ...TEXT, maxLength: 9 } } }, []],
  ['an error', {}, { errores: { 400: failure('UNO', 'DOS') } }, ['ERROR_NUEVO DOS']],
];

const changes = (before: object, after: object) =>
  changesBetween(superficieOf({ ...before }), superficieOf({ ...after }));
const told = (all: ReturnType<typeof changes>) => all.map(({ cambio, que }) => `${cambio} ${que}`);

describe('differences of the API', () => {
  it.each(BREAKING)('break callers: %s', (_, before, after, expected) => {
    const all = changes(documentOf(before), documentOf(after));
    expect([told(all), all.every(({ incompatible }) => incompatible)]).toEqual([expected, true]);
  });

  it.each(COMPATIBLE)('break no caller: %s', (_, before, after, expected) => {
    const all = changes(documentOf(before), documentOf(after));
    expect([told(all), all.some(({ incompatible }) => incompatible)]).toEqual([expected, false]);
  });

  it('break callers where an operation is gone, and not where one is new', () => {
    const { paths, ...rest } = documentOf({});
    const empty = { ...rest, paths: {} };
    expect(changes({ ...rest, paths }, empty)).toMatchObject([{ cambio: 'OPERACION_RETIRADA', incompatible: true }]);
    expect(changes(empty, { ...rest, paths })).toMatchObject([{ cambio: 'OPERACION_NUEVA', incompatible: false }]);
  });
});

describe('the changelog', () => {
  it('has no breaking difference from the released API without a new major version', () => {
    expect(forbiddenChanges(readPublicada(), document)).toEqual([]);
  });

  it('takes breaking differences with a new major version, and keeps them as a release', () => {
    const first = release({ entradas: [], superficie: {} }, documentOf({ pide: { x: TEXT } }), '2026-11-29');
    const broken = documentOf({});
    expect(forbiddenChanges(first, broken)).toHaveLength(1);
    const second = { ...broken, info: { version: '2.0.0' } };
    expect(forbiddenChanges(first, second)).toEqual([]);
    const { entradas } = release(first, second, '2027-01-01');
    expect(entradas).toMatchObject([
      {
        version: '2.0.0',
        fecha: '2027-01-01',
        cambios: [{ cambio: 'PETICION_CAMPO_RETIRADO', que: 'x', incompatible: true }],
      },
      { version: '1.0.0', fecha: '2026-11-29' },
    ]);
    expect(changelogOf(first, broken).rss).toContain('API 1.0.0, sin publicar');
  });

  it('is served as JSON and as RSS', async () => {
    const { api } = await createKit();
    const ask = (path: string) => api.app.request(path);
    const answer = await ask('/changelog.json');
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null]);
    const { version, entradas } = (await answer.json()) as { version: string; entradas: { version: string }[] };
    expect([version, entradas.at(-1)?.version]).toEqual(['1.0.0', '1.0.0']);
    const rss = await ask('/changelog.rss');
    expect(rss.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8');
    const xml = new DOMParser().parseFromString(await rss.text(), 'text/xml');
    expect(xml.getElementsByTagName('item').length).toBe(entradas.length);
  });
});

it('says on every answer of a deprecated operation since and until when, and in the document', async () => {
  const deprecated = { since: '2026-12-01', sunset: '2027-12-01' };
  const all = (await operations()).map((one) => (one.path === 'uso/consultar' ? { ...one, deprecated } : one));
  const { kit, a } = await createKitWithAlta({ operations: all });
  const told = async (path: string, key: string | null) => {
    const { headers } = await kit.call(path, { rfc: a.rfc }, { key });
    return ['deprecation', 'sunset', 'link'].map((name) => headers.get(name));
  };
  const wanted = ['@1796083200', 'Wed, 01 Dec 2027 00:00:00 GMT', '</changelog.json>; rel="deprecation"'];
  expect([await told('uso/consultar', a.key), await told('uso/consultar', null)]).toEqual([wanted, wanted]);
  expect(await told('vault/estado', a.key)).toEqual([null, null, null]);
  const next = openApiDocument(all);
  expect(changes(document, next)).toMatchObject([
    { operacion: 'uso/consultar', cambio: 'OPERACION_POR_RETIRAR', incompatible: false },
  ]);
  expect(JSON.stringify(next)).toContain('"#/components/headers/Sunset"');
});
