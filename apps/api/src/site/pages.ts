import { readFileSync } from 'node:fs';

export const LANGUAGES = ['es', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The other one of two. */
export const OTHER: Readonly<Record<Language, Language>> = { es: 'en', en: 'es' };

/** Where the site begins. */
export const SITE = '/docs';
/** Where each language begins. */
export const START: Readonly<Record<Language, string>> = { es: SITE, en: `${SITE}/en` };

/** Address of the list of operations; a page for each operation is below it. */
export const REFERENCE: Readonly<Record<Language, string>> = {
  es: `${SITE}/operaciones`,
  en: `${START.en}/operations`,
};
/** OpenAPI document of each language. */
export const OPENAPI: Readonly<Record<Language, string>> = { es: '/openapi.json', en: `${START.en}/openapi.json` };
/** Where each language is searched, and the index that its script searches by. */
export const SEARCH: Readonly<Record<Language, string>> = { es: `${SITE}/buscar`, en: `${START.en}/search` };
export const SEARCH_INDEX: Readonly<Record<Language, string>> = {
  es: `${SITE}/indice.json`,
  en: `${START.en}/index.json`,
};
/** Public pages of the SAT's present health, in each language and for programs. */
export const STATUS: Readonly<Record<Language, string>> = { es: '/estado', en: '/estado/en' };
export const STATUS_JSON = '/estado.json';
export const LLMS = '/llms.txt';
/** Where the collection of Postman is. */
export const POSTMAN = `${SITE}/acuse.postman_collection.json`;

/** The documents stand there too when the API runs from its build. */
const ROOT = new URL('../../../../', import.meta.url);

/** A page of the site in one language, before it is read. */
interface Version {
  readonly slug: string;
  /** The document that it is made of, from the root of the repository. */
  readonly source: string;
  /** What the navigation calls it, where its heading is no name for a list. */
  readonly label?: string;
}

/** A page in the languages that it is written in. */
type Entry = Partial<Readonly<Record<Language, Version>>>;

const GROUPS: readonly { readonly title: Readonly<Record<Language, string>>; readonly entries: readonly Entry[] }[] = [
  {
    title: { es: 'Empezar', en: 'Start' },
    entries: [
      {
        es: { slug: '', source: 'docs/integrators/es/inicio.md', label: 'Inicio' },
        en: { slug: '', source: 'docs/integrators/en/index.md', label: 'Overview' },
      },
      {
        es: { slug: 'primera-descarga', source: 'docs/integrators/es/primera-descarga.md', label: 'Primera descarga' },
        en: { slug: 'first-download', source: 'docs/integrators/en/first-download.md', label: 'First download' },
      },
      {
        es: { slug: 'sandbox', source: 'docs/integrators/es/sandbox.md' },
        en: { slug: 'sandbox', source: 'docs/integrators/en/sandbox.md' },
      },
      {
        es: { slug: 'credenciales', source: 'docs/integrators/es/credenciales.md', label: 'Credenciales' },
        en: { slug: 'credentials', source: 'docs/integrators/en/credentials.md', label: 'Credentials' },
      },
    ],
  },
  {
    title: { es: 'Guías', en: 'Guides' },
    entries: [
      {
        es: { slug: 'conexion', source: 'docs/integrators/es/conexion.md', label: 'Enlace de conexión' },
        en: { slug: 'connect-link', source: 'docs/integrators/en/connect-link.md', label: 'Connect link' },
      },
      {
        es: { slug: 'al-dia', source: 'docs/integrators/es/al-dia.md', label: 'Al día' },
        en: { slug: 'up-to-date', source: 'docs/integrators/en/up-to-date.md', label: 'Up to date' },
      },
      {
        es: { slug: 'webhooks', source: 'docs/integrators/es/webhooks.md', label: 'Webhooks' },
        en: { slug: 'webhooks', source: 'docs/integrators/en/webhooks.md' },
      },
      {
        es: { slug: 'cfdi', source: 'docs/integrators/es/cfdi.md' },
        en: { slug: 'cfdi', source: 'docs/integrators/en/cfdi.md', label: 'CFDI (XML)' },
      },
      {
        es: { slug: 'formatos', source: 'docs/integrators/es/formatos.md', label: 'Formatos' },
        en: { slug: 'formats', source: 'docs/integrators/en/formats.md', label: 'Formats' },
      },
      {
        es: { slug: 'equipo', source: 'docs/integrators/es/equipo.md', label: 'Equipo y roles' },
        en: { slug: 'teams', source: 'docs/integrators/en/teams.md', label: 'Teams and roles' },
      },
      {
        es: { slug: 'cli', source: 'docs/integrators/es/cli.md', label: 'Línea de órdenes' },
        en: { slug: 'cli', source: 'docs/integrators/en/cli.md', label: 'Command line' },
      },
      {
        es: { slug: 'asistentes', source: 'docs/integrators/es/asistentes.md', label: 'Asistentes' },
        en: { slug: 'assistants', source: 'docs/integrators/en/assistants.md', label: 'Assistants' },
      },
      { en: { slug: 'simulator', source: 'apps/simulador/README.md', label: 'Simulator' } },
    ],
  },
  {
    title: { es: 'En producción', en: 'In production' },
    entries: [
      {
        es: { slug: 'creditos', source: 'docs/integrators/es/creditos.md', label: 'Créditos y precios' },
        en: { slug: 'credits', source: 'docs/integrators/en/credits.md', label: 'Credits and prices' },
      },
      {
        es: { slug: 'limites', source: 'docs/integrators/es/limites.md', label: 'Límites' },
        en: { slug: 'rate-limits', source: 'docs/integrators/en/rate-limits.md', label: 'Rate limits' },
      },
      {
        es: { slug: 'idempotencia', source: 'docs/integrators/es/idempotencia.md', label: 'Idempotencia' },
        en: { slug: 'idempotency', source: 'docs/integrators/en/idempotency.md', label: 'Idempotency' },
      },
      {
        es: { slug: 'sat-caido', source: 'docs/integrators/es/sat-caido.md', label: 'El SAT no responde' },
        en: { slug: 'sat-down', source: 'docs/integrators/en/sat-down.md', label: 'SAT is down' },
      },
      {
        es: { slug: 'rotar-llave', source: 'docs/integrators/es/rotar-llave.md', label: 'Rotar una llave' },
        en: { slug: 'rotate-key', source: 'docs/integrators/en/rotate-key.md', label: 'Rotate a key' },
      },
      {
        es: { slug: 'versiones', source: 'docs/integrators/es/versiones.md' },
        en: { slug: 'versions', source: 'docs/integrators/en/versions.md' },
      },
      {
        es: { slug: 'seguridad', source: 'docs/integrators/es/seguridad.md', label: 'Seguridad' },
        en: { slug: 'security', source: 'docs/integrators/en/security.md', label: 'Security' },
      },
    ],
  },
  {
    title: { es: 'Clientes', en: 'Clients' },
    entries: [
      {
        es: { slug: 'typescript', source: 'packages/sdk/README.md', label: 'TypeScript' },
        en: { slug: 'typescript', source: 'docs/integrators/en/typescript.md', label: 'TypeScript' },
      },
      {
        es: { slug: 'python', source: 'packages/sdk-python/README.md', label: 'Python' },
        en: { slug: 'python', source: 'docs/integrators/en/python.md', label: 'Python' },
      },
      {
        es: { slug: 'php', source: 'packages/sdk-php/README.md', label: 'PHP' },
        en: { slug: 'php', source: 'docs/integrators/en/php.md', label: 'PHP' },
      },
    ],
  },
  {
    title: { es: 'Consulta', en: 'Look up' },
    entries: [
      {
        es: { slug: 'operaciones', source: 'docs/integrators/es/operaciones.md' },
        en: { slug: 'operations', source: 'docs/integrators/en/operations.md' },
      },
      {
        es: { slug: 'errores', source: 'docs/integrators/es/errores.md' },
        en: { slug: 'errors', source: 'docs/integrators/en/errors.md' },
      },
      {
        es: { slug: 'codigos-sat', source: 'docs/integrators/es/codigos-sat.md' },
        en: { slug: 'sat-codes', source: 'docs/integrators/en/sat-codes.md' },
      },
      {
        en: { slug: 'simulator-protocols', source: 'apps/simulador/PROTOCOLS.md', label: 'Protocols of the simulator' },
      },
    ],
  },
];

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
  /** True for the page of an operation, which the navigation shows below the list of operations alone. */
  readonly isOperation?: true;
}

/** Address of a page. */
const pathOf = (language: Language, slug: string) => (slug === '' ? START[language] : `${START[language]}/${slug}`);

/** Reads every page of the site, language by language, in the order of its navigation. */
export function readPages(): readonly Page[] {
  return LANGUAGES.flatMap((language) =>
    GROUPS.flatMap(({ title: group, entries }) =>
      entries.flatMap((entry): readonly Page[] => {
        const version = entry[language];
        if (version === undefined) return [];
        const { slug, source, label } = version;
        const markdown = forReaders(readFileSync(new URL(source, ROOT), 'utf8'));
        const title = /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? slug;
        const other = entry[OTHER[language]];
        return [
          {
            language,
            path: pathOf(language, slug),
            asMarkdown: slug === '' ? `${START[language]}/index.md` : `${pathOf(language, slug)}.md`,
            group: group[language],
            title,
            label: label ?? title,
            summary: summaryOf(markdown),
            markdown,
            source,
            other: other === undefined ? null : pathOf(OTHER[language], other.slug),
          },
        ];
      }),
    ),
  );
}

/**
 * What a document says to those who change the code, at its end below a rule, is not for its readers here; nor does it
 * lead to its other language, which every page does.
 */
const forReaders = (markdown: string) =>
  markdown.replace(/\n---\n\n\*In this repository\.\*[\s\S]*$/, '\n').replace(/\n\*\[[^\]]+\]\([^)]+\.md\)\*\n/, '');

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
