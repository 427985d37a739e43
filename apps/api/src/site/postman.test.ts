import { Collection, type CollectionDefinition, Variable } from 'postman-collection';
import { describe, expect, it } from 'vitest';
import { createKit, operations } from '../../test/kit.ts';

const kit = await createKit();
const answer = await kit.api.app.request('/docs/acuse.postman_collection.json');
const collection = new Collection((await answer.json()) as CollectionDefinition);

describe('the collection of Postman', () => {
  it('has every operation once, under its group, with the answer that it gives', async () => {
    const paths: string[] = [];
    collection.forEachItem((item) => {
      paths.push(item.request.url.getPath());
      expect(item.request.method).toBe('POST');
      const [saved] = item.responses.all();
      expect(JSON.parse(saved?.body ?? '')).toMatchObject({ cfdi_codigo: 1 });
    });
    expect(paths.sort()).toEqual((await operations()).map(({ path }) => `/api/v1/${path}`).sort());
  });

  it('makes calls that the service takes, with the variables filled in', async () => {
    const id = '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f';
    const values: Record<string, string> = {
      url: '',
      rfc: 'ACU200101DB1',
      solicitud_id: id,
      webhook_id: id,
      entrega_id: id,
    };
    for (const name of Object.keys(values)) expect(collection.variables.has(name), name).toBe(true);
    collection.variables.assimilate(
      Object.entries(values).map(([key, value]) => new Variable({ key, value })),
      false,
    );
    const calls: { path: string; body: unknown }[] = [];
    collection.forEachItem(({ request }) => {
      const body = collection.variables.replace(request.body?.toString() ?? '');
      expect(body).not.toContain('{{');
      calls.push({ path: request.url.getPath().replace('/api/v1/', ''), body: JSON.parse(body) });
    });
    const known = new Map((await operations()).map((operation) => [operation.path, operation]));
    for (const { path, body } of calls) {
      const operation = known.get(path);
      const { secretos = {} } = operation ?? {};
      const plain = Object.fromEntries(
        Object.entries(body as object).filter(([name]) => !Object.hasOwn(secretos, name)),
      );
      expect([path, operation?.body.safeParse(plain).error?.issues]).toEqual([path, undefined]);
    }
  });

  it('remembers ids of answers for the calls after them', () => {
    const [event] = collection.events.all();
    const script = event?.script.exec?.join('\n') ?? '';
    const kept: Record<string, string> = {};
    const pm = {
      response: { json: () => ({ data: { solicitud_id: 's-1', estado: 'EN_PROCESO' } }) },
      collectionVariables: { set: (name: string, value: string) => Object.assign(kept, { [name]: value }) },
    };
    new Function('pm', script)(pm);
    expect(kept).toEqual({ solicitud_id: 's-1' });
  });
});
