/** Beyond this it is no slip of ours: the longest known name, of an operation, has 32 characters. */
const LONGEST = 40;
/** Names of so many letters may have two slips, shorter ones one. */
const LONG_NAME = 8;
/** Names whose lengths differ by more are not compared; separators count here. */
const MAX_APART = 5;

/**
 * Which of the known names a name is with slips: other case, accents or separators (`solicitudId`), or a letter or two
 * wrong, missing, too many or swapped. The one with the fewest; undefined when it is none.
 */
export function meantBy(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST || bare(name) === '') return undefined;
  const slips = known
    .filter((each) => Math.abs(each.length - name.length) <= MAX_APART)
    .map((each) => ({ each, slips: distance(bare(name), bare(each)) }));
  const near = slips.filter(({ each, slips }) => slips <= (bare(each).length < LONG_NAME ? 1 : 2));
  return near.sort((one, other) => one.slips - other.slips)[0]?.each;
}

const bare = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** Optimal string alignment distance: Levenshtein's, with a swap of neighbours as one step. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  const cell = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          cell(i - 1, j) + 1,
          cell(i, j - 1) + 1,
          cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwap ? cell(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return cell(a.length, b.length);
}
