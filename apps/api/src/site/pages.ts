import { readFileSync } from 'node:fs';

export const LANGUAGES = ['es', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Where the site begins. */
export const SITE = '/docs';
/** Where each language begins. */
export const START: Readonly<Record<Language, string>> = { es: SITE, en: `${SITE}/en` };

/** Where the reference of each language is: the OpenAPI document, drawn by a script. */
export const REFERENCE: Readonly<Record<Language, string>> = { es: `${SITE}/referencia`, en: `${START.en}/reference` };
/** Where each language is searched, and the index that its script searches by. */
export const SEARCH: Readonly<Record<Language, string>> = { es: `${SITE}/buscar`, en: `${START.en}/search` };
export const SEARCH_INDEX: Readonly<Record<Language, string>> = {
  es: `${SITE}/indice.json`,
  en: `${START.en}/index.json`,
};
/** Where the collection of Postman is. */
export const POSTMAN = `${SITE}/acuse.postman_collection.json`;

/** The documents stand there too when the API runs from its build. */
const ROOT = new URL('../../../../', import.meta.url);

/** A page of the site, before it is read. */
interface Entry {
  readonly slug: string;
  /** The document that it is made of, from the root of the repository. */
  readonly source: string;
  /** What the navigation calls it, where its heading is no name for a list. */
  readonly label?: string;
  /** The same in the other language. */
  readonly other?: string;
}

type Group = readonly [title: string, entries: readonly Entry[]];

const GROUPS: Readonly<Record<Language, readonly Group[]>> = {
  es: [
    [
      'Empezar',
      [
        { slug: '', source: 'docs/guias/inicio.md', label: 'Inicio', other: '' },
        {
          slug: 'primera-descarga',
          source: 'docs/guias/primera-descarga.md',
          label: 'Primera descarga',
          other: 'first-download',
        },
        { slug: 'sandbox', source: 'docs/guias/sandbox.md' },
        { slug: 'credenciales', source: 'docs/guias/credenciales.md', label: 'Credenciales', other: 'credentials' },
      ],
    ],
    [
      'Guías',
      [
        { slug: 'webhooks', source: 'docs/webhooks.md' },
        { slug: 'formatos', source: 'docs/formatos.md', label: 'Formatos' },
        { slug: 'cli', source: 'docs/cli.md', label: 'Línea de órdenes' },
        { slug: 'asistentes', source: 'docs/asistentes.md', label: 'Asistentes' },
      ],
    ],
    [
      'Clientes',
      [
        { slug: 'typescript', source: 'packages/sdk/README.md', label: 'TypeScript' },
        { slug: 'python', source: 'packages/sdk-python/README.md', label: 'Python' },
        { slug: 'php', source: 'packages/sdk-php/README.md', label: 'PHP' },
      ],
    ],
    [
      'Consulta',
      [
        { slug: 'operaciones', source: 'docs/operations.md' },
        { slug: 'errores', source: 'docs/errores.md' },
        { slug: 'codigos-sat', source: 'docs/codigos-sat.md' },
      ],
    ],
  ],
  en: [
    [
      'Start',
      [
        { slug: '', source: 'docs/guias/en/index.md', label: 'Overview', other: '' },
        {
          slug: 'first-download',
          source: 'docs/guias/en/first-download.md',
          label: 'First download',
          other: 'primera-descarga',
        },
        { slug: 'credentials', source: 'docs/guias/en/credentials.md', label: 'Credentials', other: 'credenciales' },
      ],
    ],
  ],
};

/** A page of the site, as its text. */
export interface Page {
  readonly language: Language;
  /** Its address, below the origin. */
  readonly path: string;
  /** Its address as Markdown. */
  readonly asMarkdown: string;
  /** Under which heading the navigation shows it. */
  readonly group: string;
  readonly title: string;
  /** Its name in lists. */
  readonly label: string;
  /** Its first paragraph. */
  readonly summary: string;
  readonly markdown: string;
  /** The document that it is made of, from the root of the repository. */
  readonly source: string;
  /** Address of the same page in the other language; null where there is none. */
  readonly other: string | null;
}

/** Address of a page. */
const pathOf = (language: Language, slug: string) => (slug === '' ? START[language] : `${START[language]}/${slug}`);

/** Reads every page of the site, in the order of its navigation. */
export function readPages(): readonly Page[] {
  return LANGUAGES.flatMap((language) =>
    GROUPS[language].flatMap(([group, entries]) =>
      entries.map(({ slug, source, label, other }): Page => {
        const markdown = forReaders(readFileSync(new URL(source, ROOT), 'utf8'));
        const title = /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? slug;
        return {
          language,
          path: pathOf(language, slug),
          asMarkdown: slug === '' ? `${START[language]}/index.md` : `${pathOf(language, slug)}.md`,
          group,
          title,
          label: label ?? title,
          summary: summaryOf(markdown),
          markdown,
          source,
          other: other === undefined ? null : pathOf(language === 'es' ? 'en' : 'es', other),
        };
      }),
    ),
  );
}

/** What a README says to those who change the code, at its end below a rule, is not for its readers here. */
const forReaders = (markdown: string) => markdown.replace(/\n---\n\n\*In this repository\.\*[\s\S]*$/, '\n');

/** The first paragraph in plain words, on one line. */
function summaryOf(markdown: string): string {
  const [paragraph = ''] =
    markdown
      .replace(/^# .*$/m, '')
      .split(/\n{2,}/)
      .filter((each) => /^[\p{L}¿¡*`]/u.test(each.trim()))
      .map((each) => each.trim()) ?? [];
  return paragraph
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '')
    .replace(/\s+/g, ' ');
}
