/** What a migration does to a table or a column that the version before it may still use. */
export interface Taken {
  readonly what: 'drop' | 'rename' | 'retype' | 'demand';
  readonly table: string;
  /** Undefined: the whole table. */
  readonly column: string | undefined;
}

const NAME = '(?:IF EXISTS )?(?:ONLY )?"?(\\w+)"?';
const withoutComments = (sql: string) => sql.replace(/--.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '');
/** What stands in a function's body is not done by the migration, and quoted texts are no orders. */
const withoutTexts = (sql: string) => sql.replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''").replace(/'(?:[^']|'')*'/g, "''");
const none = /^(?:CONSTRAINT|NOT|DEFAULT|EXPRESSION|IDENTITY)$/i;

/**
 * Parts of a migration that break processes of the previous version, which run during and after it: removals, renames,
 * changed types, and new mandatory values.
 */
export function takenBy(sql: string): Taken[] {
  return withoutTexts(withoutComments(sql))
    .split(';')
    .flatMap((statement): Taken[] => {
      const text = statement.replace(/\s+/g, ' ').trim();
      const dropped = new RegExp(`^DROP (?:TABLE|VIEW) ${NAME}`, 'i').exec(text);
      if (dropped) return [{ what: 'drop', table: dropped[1] ?? '', column: undefined }];
      const [, table, actions = ''] = new RegExp(`^ALTER TABLE ${NAME} (.*)$`, 'i').exec(text) ?? [];
      if (table === undefined) return [];
      const all = (what: Taken['what'], pattern: string) =>
        [...actions.matchAll(new RegExp(pattern, 'gi'))]
          .map(([, column = '']) => column)
          .filter((column) => !none.test(column))
          .map((column): Taken => ({ what, table, column }));
      const added = new Set(
        [...actions.matchAll(/\bADD (?:COLUMN )?(?:IF NOT EXISTS )?"?(\w+)"? /gi)].map(([, c]) => c),
      );
      return [
        ...(/^RENAME TO /i.test(actions) ? [{ what: 'rename' as const, table, column: undefined }] : []),
        ...all('rename', '^RENAME (?:COLUMN )?"?(?!TO\\b|CONSTRAINT\\b)(\\w+)"? TO '),
        ...all('drop', '\\bDROP (?:COLUMN )?(?:IF EXISTS )?"?(\\w+)"?'),
        ...all('retype', '\\bALTER (?:COLUMN )?"?(\\w+)"? (?:SET DATA )?TYPE '),
        ...all('demand', '\\bALTER (?:COLUMN )?"?(\\w+)"? SET NOT NULL').filter(({ column }) => !added.has(column)),
        ...all(
          'demand',
          '\\bADD COLUMN (?:IF NOT EXISTS )?"?(\\w+)"? (?:(?!\\bADD\\b|\\bDEFAULT\\b|\\bGENERATED\\b).)*NOT NULL(?!(?:(?!\\bADD\\b).)*\\b(?:DEFAULT|GENERATED)\\b)',
        ),
      ];
    });
}
