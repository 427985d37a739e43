import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { type Axis, documentOf, growing, LIMIT, type Series, svgOf, tableOf, verdictOf } from './report.ts';
import { sectionOf } from './year.ts';

const series = (costs: readonly number[], rest: Partial<Series> = {}): Series => ({
  name: 'a look',
  unit: 'ms a look',
  points: costs.map((cost, n) => ({ size: 10 ** (n + 2), cost })),
  ...rest,
});
const axis = (...all: Series[]): Axis => ({ title: 'Open requests', of: 'open requests', series: all });
const machine = { cores: 2, cpu: 'any', date: '2026-01-01', postgres: '15.1', command: 'npm run bench -- growth' };

/** The texts of an SVG that is well-formed XML, and how often each element stands in it. */
function read(svg: string) {
  const texts: string[] = [];
  const elements: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name }) => elements.push(name));
  parser.on('text', (text) => texts.push(text));
  parser.write(svg).close();
  return { texts, count: (name: string) => elements.filter((each) => each === name).length };
}

describe('the verdict', () => {
  it.each([
    ['stays the same', [2, 2, 2, 2], 'flat', 1],
    ['falls', [8, 4, 2, 1], 'flat', 0.5],
    ['is at the limit', [1, 1, LIMIT], 'flat', LIMIT],
    ['is beyond the limit', [1, 1, LIMIT + 0.01], 'growing', LIMIT + 0.01],
    ['falls, then grows: a small size hides nothing', [9, 1, 8], 'growing', 8],
    ['grows in the middle only', [1, 3, 1], 'growing', 3],
    ['was not measured at one size', [2, Number.NaN, 2], 'flat', 1],
  ] as const)('of a cost that %s', (_, costs, word, times) => {
    expect(verdictOf(series(costs))).toEqual({ word, times });
  });

  it.each([
    ['no size', series([])],
    ['one size', series([3])],
    ['sizes that could not be measured', series([Number.NaN, Number.NaN])],
    ['what is shown only', series([1, 9], { isShownOnly: true })],
    ['one size from where it is judged', series([1, 9], { judgedFrom: 1_000 })],
  ])('is not given of %s', (_, given) => {
    expect(verdictOf(given)).toEqual({ word: 'not judged', times: null });
  });

  it('goes by size, in whatever order the sizes were measured', () => {
    const { points } = series([1, 1, 4]);
    expect(verdictOf(series([], { points: [...points].reverse() })).word).toBe('growing');
  });

  it('names what grows', () => {
    expect(growing([axis(series([1, 1]), series([1, 3], { name: 'a wake-up' }))])).toEqual([
      'Open requests: a wake-up',
    ]);
  });
});

describe('the table', () => {
  it('has a row for each series and a column for each size', () => {
    expect(tableOf(axis(series([0.5, 0.51]), series([1_234], { name: 'rate', isShownOnly: true })))).toBe(
      [
        '| open requests | 100 | 1,000 | times |',
        '| --- | --- | --- | --- |',
        '| a look, ms a look | 0.500 | 0.510 | 1.02 |',
        '| rate, ms a look | 1234 | – | – |',
      ].join('\n'),
    );
  });

  it('keeps its columns whatever a name holds', () => {
    const rows = tableOf(axis(series([1, 1], { name: 'a|b\n| c <img src=x>' }))).split('\n');
    expect(rows).toHaveLength(3);
    expect(rows[2]).toBe('| a\\|b \\| c &#60;img src=x&#62;, ms a look | 1.00 | 1.00 | 1.00 |');
  });

  it('says in words what grows, and of nothing that nothing was judged', () => {
    expect(documentOf([axis(series([1, 3]))], machine)).toContain('GROWING: a look (3.00 times).');
    expect(documentOf([axis(series([1, 1.2]))], machine)).toContain('Flat: at most 1.20 times.');
    expect(documentOf([axis()], machine)).toContain('Not judged');
    expect(documentOf([], machine)).toContain('npm run bench -- growth');
  });
});

describe('the plot', () => {
  it('of nothing says so', () => {
    expect(read(svgOf([])).texts.join()).toContain('Nothing was measured.');
    expect(read(svgOf([axis()])).texts.join()).toContain('Not measured.');
  });

  it('of one size is one dot, inside the plot', () => {
    const svg = svgOf([axis(series([3]))]);
    expect(read(svg).count('circle')).toBe(1);
    expect(svg).not.toMatch(/NaN|Infinity/);
  });

  it('has a line, a dot for each size and its last cost for each series, and none for shown figures', () => {
    const { texts, count } = read(
      svgOf([axis(series([1, 2, 3]), series([5, 5], { name: 'rate', isShownOnly: true })), axis(series([7, 7]))]),
    );
    expect([count('path'), count('circle')]).toEqual([2, 5]);
    expect(texts).toEqual(expect.arrayContaining(['Open requests', 'a look', '3.00 ms a look', '7.00 ms a look']));
    expect(texts).not.toContain('rate');
  });

  it('shows a name as text, whatever it holds', () => {
    const name = '</text><script>alert("1")</script>&amp;\u0000]]>';
    const { texts, count } = read(svgOf([axis(series([1, 1], { name }))]));
    expect(count('script')).toBe(0);
    expect(texts).toContain('</text><script>alert("1")</script>&amp; ]]>');
  });

  it('leaves out what could not be measured', () => {
    const svg = svgOf([axis(series([1, Number.NaN, 0, 1]))]);
    expect(read(svg).count('circle')).toBe(2);
    expect(svg).not.toMatch(/NaN|Infinity/);
  });
});

it('computes a year from a hundredth of it, and counts traces for the days of their retention', () => {
  const text = sectionOf({
    requests: 730_000,
    sizes: [
      { name: 'solicitud', rows: 730_000, bytes: 7.3e8 },
      { name: 'evento', rows: 1_460_000, bytes: 3.65e8 },
    ],
    deleting: 1.2,
    vacuum: 36.5,
    dumping: 6,
    restoring: 60,
  });
  for (const line of [
    '| `solicitud` | all | 1.0 | 1,000 | 0.73 | 73 | 73 |',
    '| `evento` | 90 | 2.0 | 500 | 0.36 | 36 | 9 |',
    '| together |  | 3.0 | 1,500 | 1.09 | 109 | 82 |',
    '| delete the traces of a day | 1.2 | 2 |',
    '| vacuum the tables of traces | 36.5 | 15 |',
    '| restore | 60.0 | 75 |',
  ])
    expect(text).toContain(line);
});
