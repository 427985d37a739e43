import { readFileSync } from 'node:fs';
import { ROOT } from './sources.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  /** As PostgreSQL calls it. */
  readonly dbType: string;
  readonly isOptional: boolean;
  readonly isUnique: boolean;
}

interface Table {
  readonly name: string;
  readonly about: string;
  readonly columns: ReadonlyMap<string, Column>;
  /** Columns of the primary key. */
  readonly key: readonly string[];
  /** Fields that no two rows have alike, beside the primary key. */
  readonly uniques: readonly (readonly string[])[];
  /** Fields that lead to a row of another model. */
  readonly references: readonly { readonly model: string; readonly fields: readonly string[] }[];
}

const HEAD = `# Data model

Generated from \`prisma/schema.prisma\` by \`npm run generate\`; a test compares the two. Checks, partial indexes and triggers stand in the
migrations only (\`prisma/migrations\`). A column that names a row without a line in the picture has no foreign key: the row may outlive
what it names.
`;

const listOf = (text = '') => text.split(',').map((name) => name.trim());

/** What Prisma makes of its types where no `@db.` says another. */
const DB_TYPES: Readonly<Record<string, string>> = {
  ...{ String: 'text', Int: 'integer', BigInt: 'bigint', Boolean: 'boolean', Json: 'jsonb', Bytes: 'bytea' },
  ...{ Timestamp: 'timestamp without time zone', Char: 'character', Decimal: 'numeric' },
  ...{ Timestamptz: 'timestamp with time zone', Uuid: 'uuid', Date: 'date', SmallInt: 'smallint' },
};

function readTable(model: string, about: string, body: string): [model: string, table: Table] {
  const lines = body.split('\n').map((line) => line.trim());
  const columns = new Map<string, Column>();
  for (const line of lines) {
    const [, field, type = '', list = '', isOptional] =
      /^(\w+)\s+(String|Int|BigInt|Boolean|DateTime|Json|Bytes|Float|Decimal)(\[\])?(\?)?/.exec(line) ?? [];
    if (field === undefined) continue;
    const [, db = type, precision = ''] = /@db\.(\w+)(\(\d\))?/.exec(line) ?? [];
    columns.set(field, {
      name: /@map\("(\w+)"\)/.exec(line)?.[1] ?? field,
      type: type.toLowerCase(),
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
      about,
      columns,
      key: single === undefined ? listOf(/@@id\(\[([^\]]+)\]/.exec(body)?.[1]) : [single],
      uniques: [
        ...[...columns].filter(([field, { isUnique }]) => isUnique && field !== single).map(([field]) => [field]),
        ...[...body.matchAll(/@@unique\(\[([^\]]+)\]/g)].map(([, fields]) => listOf(fields)),
      ],
      references: lines.flatMap((line) => {
        const [, to, fields] = /^\w+\s+(\w+)\??\s+@relation\(fields: \[([^\]]+)\]/.exec(line) ?? [];
        return to === undefined ? [] : [{ model: to, fields: listOf(fields) }];
      }),
    },
  ];
}

/** The models of a Prisma schema by name: of prisma/schema.prisma as it is, unless another one is given. */
export function readModels(schema = readFileSync(`${ROOT}prisma/schema.prisma`, 'utf8')): ReadonlyMap<string, Table> {
  return new Map(
    [...schema.matchAll(/((?:^\/\/\/.*\n)*)^model (\w+) \{\n([\s\S]*?)^\}/gm)].map(
      ([, comment = '', model = '', body = '']) =>
        readTable(
          model,
          comment
            .replace(/^\/\/\/ ?/gm, '')
            .trim()
            .replaceAll('\n', ' '),
          body,
        ),
    ),
  );
}

/**
 * The text of docs/data-model.md: the tables that refer to each other as a Mermaid ER diagram, then what each table
 * holds.
 */
export function dataModelText(): string {
  const models = readModels();
  const lines = [...models.values()].flatMap(({ name, columns, key, references }) =>
    references.map(({ model, fields }) => {
      const [field = ''] = fields;
      const isOne = columns.get(field)?.isUnique || fields.join() === key.join();
      const ends = `${columns.get(field)?.isOptional ? '|o' : '||'}--${isOne ? 'o|' : 'o{'}`;
      const names = fields.map((one) => columns.get(one)?.name);
      return { from: models.get(model)?.name ?? model, ends, to: name, label: names.join(', ') };
    }),
  );
  const isDrawn = ({ name }: Table) => lines.some(({ from, to }) => from === name || to === name);
  const boxes = [...models.values()].filter(isDrawn).map(({ name, columns, key, references }) => {
    const rows = [...columns].map(([field, column]) => {
      const isForeign = references.some(({ fields }) => fields.includes(field));
      const isKey = key.includes(field);
      const marks = [isKey && 'PK', isForeign && 'FK', !isKey && column.isUnique && 'UK'];
      return `    ${column.type} ${column.name} ${marks.filter(Boolean).join(', ')}`.trimEnd();
    });
    return [`  ${name} {`, ...rows, '  }'].join('\n');
  });
  const relations = lines.map(({ from, ends, to, label }) => `  ${from} ${ends} ${to} : "${label}"`);
  const held = [...models.values()].map(({ name, about }) => `| \`${name}\` | ${about} |`);
  return [
    HEAD,
    ...['```mermaid', 'erDiagram', ...relations, ...boxes, '```', ''],
    ...['| table | holds |', '| --- | --- |', ...held, ''],
  ].join('\n');
}
