import { CATALOGO } from '@acuse/contract';
import { errorsOf, type JsonSchema, type NamedSchemas, resolve } from '@acuse/operation';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../apps/api/src/openapi/document.ts';
import { operations } from '../../apps/api/test/kit.ts';
import { TABLA } from './tabla.ts';

const loaded = await operations();
const { paths: documented, components } = openApiDocument(loaded) as unknown as {
  paths: Record<string, { post: Documented }>;
  components: { schemas: NamedSchemas };
};

/** A schema with its references followed and its parts put together. */
function whole(schema: JsonSchema = {}): JsonSchema {
  const { allOf = [], ...own } = resolve(schema, components.schemas);
  const parts = [...allOf.map(whole), own];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  };
}

const answerOf = (post: Documented) => whole(post.responses['200']?.content['application/json'].schema);
const dataOf = (post: Documented) => whole(answerOf(post).properties?.['data']);
/** The type of a field, `null` beside it or not. */
function typeOf(field: JsonSchema | undefined): string | undefined {
  const [schema = field] = field?.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return schema?.format === 'date' ? 'date' : whole(schema).type;
}

interface Documented {
  readonly 'x-costo': number;
  readonly 'x-efecto': string;
  readonly 'x-credencial': string;
  readonly requestBody: { content: { 'application/json': { schema: JsonSchema } } };
  readonly responses: Record<string, { content: { 'application/json': { schema: JsonSchema } } }>;
}

describe('the loaded operations', () => {
  it('are those of the specification and no others', () => {
    const sorted = (paths: readonly string[]) => [...paths].sort();
    expect(sorted(loaded.map(({ path }) => path))).toEqual(sorted(TABLA.map(({ path }) => path)));
  });

  describe.each(TABLA)('$path', (fila) => {
    const { path, cost, credencial, campos, data, ours = [], elementos, errores, rfc } = fila;
    const operation = loaded.find((candidate) => candidate.path === path);
    const post = documented[`/api/v1/${path}`]?.post;
    if (!operation || !post) throw new Error(`${path} is missing`);

    it('costs and needs what the specification says', () => {
      expect([operation.cost, post['x-costo'], post['x-credencial']]).toEqual([cost, cost, credencial]);
      if (cost === 1) expect([operation.effect, post['x-efecto']]).toEqual(['asks', 'pregunta']);
      expect(operation.rfc).toBe(rfc === 'propio, sin registrar' ? 'propio-sin-registrar' : rfc);
    });

    it('takes exactly these fields', () => {
      const { properties = {}, required = [] } = whole(post.requestBody.content['application/json'].schema);
      const found = Object.entries(properties).map(([name, schema]) => [
        name,
        { tipo: whole(schema).type, requerido: required.includes(name) },
      ]);
      expect(Object.fromEntries(found)).toEqual(campos);
    });

    it('answers exactly these data fields', () => {
      const { properties = {} } = answerOf(post);
      expect(data === null ? properties['data'] : Object.keys(dataOf(post).properties ?? {}).sort()).toEqual(
        data === null ? undefined : [...data, ...ours].sort(),
      );
    });

    if (elementos !== undefined)
      it('lists elements with the specified fields and types', () => {
        const { total, items } = dataOf(post).properties ?? {};
        expect([total?.type, items?.type]).toEqual(['integer', 'array']);
        const { properties: fields = {}, required } = whole(items?.items);
        const found = Object.keys(elementos).map((name) => [name, typeOf(fields[name])]);
        expect(Object.fromEntries(found)).toEqual(elementos);
        expect(required).toEqual(expect.arrayContaining(Object.keys(elementos)));
      });

    it('can answer every error that the specification lists for it', () => {
      const possible = errorsOf(operation).map((nombre) => `${CATALOGO[nombre].http}/${CATALOGO[nombre].codigo}`);
      expect(possible).toEqual(expect.arrayContaining([...errores]));
      expect(possible.includes('402/1004')).toBe(cost === 1);
    });
  });

  it('only datos-fiscales carries cfdi_descripcion and the balance beside data', () => {
    expect(loaded.filter(({ envelope }) => envelope).map(({ path }) => path)).toEqual(['usuario/datos-fiscales']);
  });
});
