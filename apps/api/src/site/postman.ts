/** What a collection is made of: the parts of the OpenAPI document that Postman shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string; readonly 'x-displayName': string }[];
  readonly paths: Readonly<Record<string, { readonly post: ApiOperation }>>;
}

interface ApiOperation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly requestBody: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** A body of a call, with its example. */
export interface Content {
  readonly content: { readonly 'application/json': { readonly example: unknown } };
}

/** Fields that are the same from call to call: variables of the collection. */
const VARIABLES = ['rfc', 'solicitud_id', 'webhook_id', 'entrega_id'] as const;
/** Has an answer fill the variables of the calls after it. */
const REMEMBER = [
  'const { data } = pm.response.json();',
  `for (const name of ${JSON.stringify(VARIABLES.slice(1))}) if (data?.[name]) pm.collectionVariables.set(name, data[name]);`,
];

/** A collection of Postman (format 2.1) with every operation, its example and its answer, by the OpenAPI document. */
export function postmanText({ info, tags, paths }: ApiDocument): string {
  const operations = Object.entries(paths).map(([path, { post }]) => ({ path, post }));
  const collection = {
    info: {
      name: info.title,
      description: info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: REMEMBER } }],
    variable: [
      { key: 'url', value: 'http://127.0.0.1:8080', description: 'Dirección de la API, sin diagonal al final.' },
      { key: 'api_key', value: '', description: 'acuse_test_… o acuse_live_…' },
      ...VARIABLES.map((key) => ({ key, value: '' })),
    ],
    item: tags.map(({ name, description, 'x-displayName': title }) => ({
      name: title,
      description,
      item: operations.filter(({ post }) => post.tags.includes(name)).map(({ path, post }) => itemOf(path, post)),
    })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

function itemOf(path: string, { summary, description, requestBody, responses }: ApiOperation) {
  const request = {
    method: 'POST',
    header: [{ key: 'Content-Type', value: 'application/json' }],
    url: { raw: `{{url}}${path}`, host: ['{{url}}'], path: path.split('/').slice(1) },
    body: { mode: 'raw', raw: bodyText(exampleOf(requestBody)), options: { raw: { language: 'json' } } },
    description,
  };
  const answer = {
    name: 'Éxito',
    originalRequest: request,
    status: 'OK',
    code: 200,
    header: [{ key: 'Content-Type', value: 'application/json' }],
    body: JSON.stringify(exampleOf(responses['200']), null, 2),
  };
  return { name: summary, request, response: [answer] };
}

const exampleOf = (content: Content | undefined) => content?.content['application/json'].example;

/** The example with Postman variables in place of each reader's own values. */
function bodyText(example: unknown): string {
  const isVariable = (name: string) => VARIABLES.some((one) => one === name);
  return JSON.stringify(example, (name, value) => (isVariable(name) ? `{{${name}}}` : value), 2);
}
