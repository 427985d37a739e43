import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { walk as filesUnder, isGenerated, isTest, ROOT, readSources } from './sources.ts';
import { mixedIdentifiers } from './vocabulary.ts';

export interface Figure {
  readonly name: string;
  readonly now: number;
  /** Greatest value that the tests allow. It may only fall. */
  readonly limit: number;
  /** Value to reach. */
  readonly goal: number;
}

/** Pronouns and verbs of saying in the place of a subject, as a comment or a test title has them. */
const IDIOM =
  /\b(nobody|somebody|anybody|whoever|anew|rung|is told|are told|is said|what was|what is|of which|that there (is|are))\b/i;
const COMMENT = /^\s*(\/\/|\*|\/\*)/;
const TITLE = /^\s*(describe|it|test)(\.\w+(\([^)]*\))*)*\(/;
/** Optional features, which register themselves with the core through hooks. */
export const FEATURES = /riesgo|cruce|contraparte|c[aá]psula|sincroniza|suscri|consentimiento|webhook|correo/i;
/** Names on the wire, of columns and in stored bytes. */
const STORED = [
  ...['capsula: z', 'capsula = false', 'mayPresign: capsula', "capsula: ['boolean'", "PRESIGNED = 'capsula'"],
  ...['filtros?.rfc_contraparte', 't.capsula AS "mayPresign"', 't.sincronizacion_id AS "origenId"'],
];

const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');
const wordsIn = (path: string) => read(path).split(/\s+/).filter(Boolean).length;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Files of the walk from HTTP to ZIP in docs/developers/architecture.md, in their order. */
export function readWalk(): readonly string[] {
  const section = /^## From HTTP to ZIP$([\s\S]*?)(?=^## )/m.exec(read('docs/developers/architecture.md'))?.[1] ?? '';
  return [...section.matchAll(/^\d+\. `([^`]+)`: .+$/gm)].map(([, path = '']) => path);
}

/** Lines of a file that name an optional feature otherwise than as it is stored or sent: `path: line`. */
export function featuresIn(path: string): readonly string[] {
  const lines = read(path).split('\n');
  const isNamed = (line: string) => FEATURES.test(STORED.reduce((rest, name) => rest.replace(name, ''), line));
  return lines.filter(isNamed).map((line) => `${path}: ${line.trim()}`);
}

/** SQL functions whose text stands in more than one place of prisma. */
function doubledFunctions(): readonly string[] {
  const folders = readdirSync(`${ROOT}prisma`, { recursive: true, encoding: 'utf8' });
  const names = folders
    .filter((path) => path.endsWith('.sql'))
    .flatMap((path) => [...read(`prisma/${path}`).matchAll(/^CREATE (?:OR REPLACE )?FUNCTION (\w+)/gm)])
    .map(([, name = '']) => name);
  return names.filter((name, at) => names.indexOf(name) !== at);
}

/** The figures of the house, as the tree has them now. */
export function figures(): readonly Figure[] {
  const sources = readSources();
  const production = sources.filter((source) => !isTest(source));
  const helpers = sources.filter((source) => isTest(source) && !/\.(test|bench)\.tsx?$/.test(source.path));
  const walk = readWalk();
  const documents = filesUnder(ROOT.slice(0, -1)).filter((path) => path.endsWith('.md'));
  const glossary = read('docs/developers/glossary.md');
  const idiom = sources.flatMap(({ text }) =>
    text.split('\n').filter((line) => (COMMENT.test(line) || TITLE.test(line)) && IDIOM.test(line)),
  );
  return [
    { name: 'source lines', now: sum(production.map(({ lines }) => lines)), limit: 104_459, goal: 82_000 },
    { name: 'lines of test helpers', now: sum(helpers.map(({ lines }) => lines)), limit: 18_381, goal: 15_000 },
    { name: 'files of the main path', now: walk.length, limit: 45, goal: 45 },
    {
      name: 'lines of the main path',
      now: sum(walk.map((path) => read(path).split('\n').length)),
      limit: 8_000,
      goal: 8_000,
    },
    { name: 'lines of it that name a feature', now: walk.flatMap(featuresIn).length, limit: 0, goal: 0 },
    { name: 'SQL functions defined twice', now: doubledFunctions().length, limit: 0, goal: 0 },
    { name: 'identifiers in two languages', now: mixedIdentifiers(sources).length, limit: 14, goal: 60 },
    { name: 'lines in the pronoun idiom', now: idiom.length, limit: 130, goal: 150 },
    { name: 'entries of the glossary', now: glossary.split(/;\s|\n\| /).length, limit: 226, goal: 250 },
    {
      name: 'words of Markdown',
      now: sum(documents.map((path) => wordsIn(relative(ROOT, path)))),
      limit: 84_991,
      goal: 85_000,
    },
    { name: 'words of README.md', now: wordsIn('README.md'), limit: 1_100, goal: 1_100 },
    {
      name: 'files over 400 lines',
      now: sources.filter((source) => source.lines > 401 && !isGenerated(source)).length,
      limit: 0,
      goal: 0,
    },
  ];
}
