import { inEnglish } from '../openapi/english.ts';
import { LANGUAGES, type Language, OTHER, type Page, REFERENCE, readPages } from './pages.ts';

/** Parts of a JSON Schema that a page shows. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly contentEncoding?: string;
}
interface Content {
  readonly content: { readonly 'application/json': { readonly schema: Schema; readonly example: unknown } };
}
interface Answer extends Content {
  readonly $ref?: string;
  readonly description: string;
}
interface Call {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly 'x-costo': number;
  readonly requestBody: Content;
  readonly responses: Readonly<Record<string, Answer>>;
}

/** Parts of the OpenAPI document that the site shows. */
export interface ReferenceDocument {
  readonly tags: readonly { readonly name: string; readonly description: string; readonly 'x-displayName': string }[];
  readonly paths: Readonly<Record<string, { readonly post: Call }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const WORDS = {
  es: {
    fields: '## Campos\n\n| campo | tipo | descripción |\n| --- | --- | --- |',
    answer: '## Respuesta\n\n| campo | tipo | descripción |\n| --- | --- | --- |',
    none: '## Respuesta\n\nSolo el sobre, sin `data`.',
    errors: '## Errores\n\nAdemás de los que [puede contestar cualquier operación](/docs/errores):',
    onlyCommon: '## Errores\n\nLos que [puede contestar cualquier operación](/docs/errores).',
    errorsPage: '/docs/errores',
    required: 'obligatorio',
    types: { string: 'texto', integer: 'entero', number: 'número', boolean: 'booleano', object: 'objeto' },
    formats: { date: 'fecha', 'date-time': 'fecha y hora', uuid: 'UUID', password: 'contraseña' },
    list: (of: string) => `lista de ${of}`,
  },
  en: {
    fields: '## Fields\n\n| field | type | description |\n| --- | --- | --- |',
    answer: '## Answer\n\n| field | type | description |\n| --- | --- | --- |',
    none: '## Answer\n\nThe envelope alone, without `data`.',
    errors: '## Errors\n\nBeside those that [any operation may answer](/docs/en/errors):',
    onlyCommon: '## Errors\n\nThose that [any operation may answer](/docs/en/errors).',
    errorsPage: '/docs/en/errors',
    required: 'required',
    types: { string: 'text', integer: 'integer', number: 'number', boolean: 'boolean', object: 'object' },
    formats: { date: 'date', 'date-time': 'date and time', uuid: 'UUID', password: 'password' },
    list: (of: string) => `list of ${of}`,
  },
} as const satisfies Record<Language, unknown>;

const PREFIX = '/api/v1/';

/** Address of the page of an operation, such as `tax/facturas`. */
export const operationPath = (language: Language, operation: string) => `${REFERENCE[language]}/${operation}`;

/** Every page of the site, language by language: documents, then a page for each operation. */
export function sitePages(document: ReferenceDocument): readonly Page[] {
  const documents = readPages();
  return LANGUAGES.flatMap((language) => [
    ...documents.filter((page) => page.language === language),
    ...operationPages(language === 'en' ? inEnglish(document) : document, language),
  ]);
}

function operationPages(document: ReferenceDocument, language: Language): readonly Page[] {
  const calls = Object.entries(document.paths).map(([path, { post }]) => ({ path, post, errors: errorsIn(post) }));
  const isCommon = (error: string) => calls.every(({ errors }) => errors.includes(error));
  return calls.map(({ path, post, errors }) => {
    const operation = path.slice(PREFIX.length);
    const address = operationPath(language, operation);
    const [summary = ''] = post.description.split('\n\n');
    return {
      language,
      path: address,
      asMarkdown: `${address}.md`,
      group: document.tags.find(({ name }) => post.tags.includes(name))?.['x-displayName'] ?? '',
      title: post.summary,
      label: post.summary,
      summary,
      markdown: markdownOf(path, post, document, {
        language,
        errors: errors.filter((error) => !isCommon(error)),
      }),
      source: 'docs/openapi.json',
      other: operationPath(OTHER[language], operation),
      isOperation: true,
    };
  });
}

/** `HTTP code NAME` of each error that is particular to the responses of an operation. */
function errorsIn({ responses }: Call): readonly string[] {
  return Object.entries(responses).flatMap(([status, { $ref, description }]) =>
    status === '200' || $ref !== undefined ? [] : description.split(', ').map((error) => `${status} ${error}`),
  );
}

function markdownOf(
  path: string,
  { summary, description, requestBody, responses }: Call,
  { components }: ReferenceDocument,
  { language, errors }: { readonly language: Language; readonly errors: readonly string[] },
): string {
  const words = WORDS[language];
  const { schema, example } = requestBody.content['application/json'];
  const sent = JSON.stringify(example).replaceAll("'", "'\\''");
  const json = responses['200']?.content['application/json'];
  const rows = rowsOf(json?.schema ?? {}, components, language).filter(([name]) => name.startsWith('data.'));
  const links = errors.map((error) => {
    const [status, code, name] = error.split(' ');
    return `- [${name}](${words.errorsPage}#${name}): ${status}/${code}`;
  });
  return [
    `# ${summary}`,
    description,
    `\`\`\`sh\ncurl -sS "$API${path}" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '${sent}'\n\`\`\``,
    [words.fields, ...rowsOf(schema, components, language).map(line)].join('\n'),
    rows.length === 0
      ? words.none
      : [words.answer, ...rows.map(([name, ...rest]) => line([name.slice(5), ...rest]))].join('\n'),
    `\`\`\`json\n${JSON.stringify(json?.example, null, 2)}\n\`\`\``,
    links.length === 0 ? words.onlyCommon : `${words.errors}\n\n${links.join('\n')}`,
    '',
  ].join('\n\n');
}

type Row = readonly [name: string, type: string, text: string];

const line = ([name, type, text]: Row) =>
  `| \`${name}\` | ${type} | ${text.replaceAll('|', '\\|').replaceAll('\n', ' ')} |`;

/** A row for each field, fields of objects and lists below theirs: `items[].uuid`. */
function rowsOf(schema: Schema, components: ReferenceDocument['components'], language: Language): readonly Row[] {
  const words = WORDS[language];
  const whole = (part: Schema): Schema => {
    const target = part.$ref && components.schemas[part.$ref.slice(part.$ref.lastIndexOf('/') + 1)];
    const { description } = part;
    if (target) return { ...whole(target), ...(description === undefined ? {} : { description }) };
    const [other] = (part.anyOf ?? []).filter(({ type }) => type !== 'null');
    if (other) return { ...whole(other), ...(description === undefined ? {} : { description }) };
    const all = part.allOf?.map(whole) ?? [];
    if (all.length === 0) return part;
    const required = all.flatMap((each) => each.required ?? []);
    return { ...part, type: 'object', properties: Object.assign({}, ...all.map((each) => each.properties)), required };
  };
  const typeOf = (part: Schema): string => {
    if (part.enum) return part.enum.map((value) => `\`${value}\``).join(', ');
    if (part.type === 'array') return words.list(typeOf(whole(part.items ?? {})));
    if (part.contentEncoding) return part.contentEncoding;
    const { formats, types }: { formats: Record<string, string>; types: Record<string, string> } = words;
    return formats[part.format ?? ''] ?? types[part.type ?? ''] ?? '';
  };
  const walk = (part: Schema, prefix: string, isAnswer: boolean): readonly Row[] =>
    Object.entries(part.properties ?? {}).flatMap(([name, field]) => {
      const found = whole(field);
      const isList = found.type === 'array';
      const inner = isList ? whole(found.items ?? {}) : found;
      const isRequired = !isAnswer && part.required?.includes(name);
      const type = `${typeOf(found)}${isRequired ? `, ${words.required}` : ''}`;
      const path = `${prefix}${name}`;
      return [
        [path, type, found.description ?? ''] as const,
        ...walk(inner, `${path}${isList ? '[]' : ''}.`, isAnswer),
      ];
    });
  const root = whole(schema);
  return walk(root, '', root.properties?.['cfdi_codigo'] !== undefined);
}
