import { readFileSync } from 'node:fs';
import { ROOT } from './sources.ts';

interface Column {
  readonly name: string;
  /** As PostgreSQL calls it. */
  readonly dbType: string;
  readonly isOptional: boolean;
  readonly isUnique: boolean;
}

interface Table {
  readonly name: string;
  /** First sentence of its comment. */
  readonly about: string;
  /** Feature whose heading it stands under; empty for the core. */
  readonly feature: string;
  readonly columns: ReadonlyMap<string, Column>;
  /** Columns of the primary key. */
  readonly key: readonly string[];
  /** Fields that no two rows have alike, beside the primary key. */
  readonly uniques: readonly (readonly string[])[];
}

const HEAD = `# Data model

For maintainers: the tables by feature. Columns and relations: \`prisma/schema.prisma\`, from which \`npm run generate\` writes this page. Checks and
partial indexes: \`prisma/migrations\`; functions and triggers: \`prisma/functions\`. A column that names a row without a relation has no foreign key: its
row may outlive the other.
`;

const listOf = (text = '') => text.split(',').map((name) => name.trim());

/** What Prisma makes of its types where no `@db.` says another. */
const DB_TYPES: Readonly<Record<string, string>> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Boolean: 'boolean',
  Json: 'jsonb',
  Bytes: 'bytea',
  Timestamp: 'timestamp without time zone',
  Char: 'character',
  Decimal: 'numeric',
  Timestamptz: 'timestamp with time zone',
  Uuid: 'uuid',
  Date: 'date',
  SmallInt: 'smallint',
};

function readTable(model: string, comment: string, feature: string, body: string): [model: string, table: Table] {
  const lines = body.split('\n').map((line) => line.trim());
  const columns = new Map<string, Column>();
  for (const line of lines) {
    const [, field, type = '', list = '', isOptional] =
      /^(\w+)\s+(String|Int|BigInt|Boolean|DateTime|Json|Bytes|Float|Decimal)(\[\])?(\?)?/.exec(line) ?? [];
    if (field === undefined) continue;
    const [, db = type, precision = ''] = /@db\.(\w+)(\(\d\))?/.exec(line) ?? [];
    columns.set(field, {
      name: /@map\("(\w+)"\)/.exec(line)?.[1] ?? field,
      dbType: (DB_TYPES[db] ?? db).replace(/ |$/, (end) => precision + end) + list,
      isOptional: isOptional === '?',
      isUnique: /\s@(?:id|unique)\b/.test(line),
    });
  }
  const single = lines.find((line) => /\s@id\b/.test(line))?.split(/\s/)[0];
  return [
    model,
    {
      name: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? model,
      about:
        comment
          .replace(/^\/\/\/ ?/gm, '')
          .trim()
          .replaceAll('\n', ' ')
          .split(/(?<=\.) /)[0] ?? '',
      feature,
      columns,
      key: single === undefined ? listOf(/@@id\(\[([^\]]+)\]/.exec(body)?.[1]) : [single],
      uniques: [
        ...[...columns].filter(([field, { isUnique }]) => isUnique && field !== single).map(([field]) => [field]),
        ...[...body.matchAll(/@@unique\(\[([^\]]+)\]/g)].map(([, fields]) => listOf(fields)),
      ],
    },
  ];
}

/** The models of a Prisma schema by name: of prisma/schema.prisma as it is, unless another one is given. */
export function readModels(schema = readFileSync(`${ROOT}prisma/schema.prisma`, 'utf8')): ReadonlyMap<string, Table> {
  const [core = '', ...features] = schema.split('// Tables of the feature ');
  const sections = [['', core] as const, ...features.map((text) => [/^\w+/.exec(text)?.[0] ?? '', text] as const)];
  return new Map(
    sections.flatMap(([feature, text]) =>
      [...text.matchAll(/((?:^\/\/\/.*\n)*)^model (\w+) \{\n([\s\S]*?)^\}/gm)].map(
        ([, comment = '', model = '', body = '']) => readTable(model, comment, feature, body),
      ),
    ),
  );
}

/** The text of docs/developers/data-model.md: each table with its purpose, those of a feature together. */
export function dataModelText(): string {
  const tables = [...readModels().values()];
  const sections = [...new Set(tables.map(({ feature }) => feature))].map((feature) => {
    const rows = tables
      .filter((table) => table.feature === feature)
      .map(({ name, about }) => `- \`${name}\`: ${about}`);
    return [`## ${feature || 'core'}`, '', ...rows, ''].join('\n');
  });
  return [HEAD, ...sections].join('\n');
}
