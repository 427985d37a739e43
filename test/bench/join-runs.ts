/** Stands in a line for each number. */
const GAP = '\0';
const NUMBER = /\d+(?:,\d{3})*(?:\.\d+)?/g;
const numberOf = (text: string) => Number(text.replaceAll(',', ''));

/** `median [least to most]` of a number that was printed several times, with its decimals; one text when all are equal. */
export function joinNumbers(texts: readonly string[]): string {
  const sorted = [...texts].sort((a, b) => numberOf(a) - numberOf(b));
  const [least = '', most = ''] = [sorted[0], sorted.at(-1)];
  return least === most ? least : `${sorted[Math.floor((sorted.length - 1) / 2)]} [${least} to ${most}]`;
}

/**
 * The lines of several runs as those of one: each number that differs becomes `median [least to most]`. A line that not
 * all runs have is joined of those that have it.
 */
export function joinRuns(runs: readonly (readonly string[])[]): string[] {
  const lines = new Map<string, string[][]>();
  for (const run of runs) {
    const seen = new Map<string, number>();
    for (const line of run) {
      const words = line.replace(NUMBER, GAP);
      const nth = (seen.get(words) ?? 0) + 1;
      seen.set(words, nth);
      const key = `${nth} ${words}`;
      lines.set(key, [...(lines.get(key) ?? []), line.match(NUMBER) ?? []]);
    }
  }
  return [...lines].map(([key, all]) => {
    const words = key.slice(key.indexOf(' ') + 1).split(GAP);
    return words
      .map((text, at) => (at === 0 ? text : joinNumbers(all.flatMap((numbers) => numbers[at - 1] ?? [])) + text))
      .join('');
  });
}
