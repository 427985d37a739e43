/**
 * The most that one thing may cost at any size, beside the least that it costs at a smaller one. A cost that followed
 * the size would be a thousand times as high over three decades, and is seen at the first of them; twice leaves room for
 * one level more of an index, for rows that no longer lie on the same few pages, and for the noise of a busy machine.
 */
export const LIMIT = 2;

interface Point {
  readonly size: number;
  /** Of one thing, in the unit of its series. NaN where it could not be measured. */
  readonly cost: number;
}

export interface Series {
  readonly name: string;
  /** Such as `ms a look`. */
  readonly unit: string;
  readonly points: readonly Point[];
  /** Sizes below are shown, not judged: what fills up first, as memory does, is full from here on. */
  readonly judgedFrom?: number;
  /** Only shown in the table: it is no cost. */
  readonly isShownOnly?: boolean;
}

export interface Axis {
  readonly title: string;
  /** What the sizes count. */
  readonly of: string;
  readonly series: readonly Series[];
}

export interface Verdict {
  readonly word: 'flat' | 'growing' | 'not judged';
  /** The most that it costs at any size beside the least at those below. */
  readonly times: number | null;
}

/** What measured, and how. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  /** `yyyy-MM-dd`. */
  readonly date: string;
  readonly postgres: string;
  readonly command: string;
}

const measured = ({ points }: Series) =>
  points.filter(({ cost }) => Number.isFinite(cost) && cost > 0).toSorted((a, b) => a.size - b.size);

export function verdictOf(series: Series): Verdict {
  const judged = measured(series).filter(({ size }) => size >= (series.judgedFrom ?? 0));
  if (series.isShownOnly || judged.length < 2) return { word: 'not judged', times: null };
  const costs = judged.map(({ cost }) => cost);
  const times = Math.max(...costs.slice(1).map((cost, at) => cost / Math.min(...costs.slice(0, at + 1))));
  return { word: times <= LIMIT ? 'flat' : 'growing', times };
}

export const growing = (axes: readonly Axis[]) =>
  axes.flatMap(({ title, series }) =>
    series.filter((each) => verdictOf(each).word === 'growing').map(({ name }) => `${title}: ${name}`),
  );

const three = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const thousands = (value: number) => value.toLocaleString('en-US');
const short = (size: number) => (size >= 1e6 ? `${size / 1e6}M` : size >= 1e3 ? `${size / 1e3}k` : String(size));
const escaped = (text: string) =>
  text
    // Control characters are in no XML document; the rest would be read as markup.
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const cell = (text: string) => escaped(text).replaceAll('|', '\\|');

/** One sentence for each axis, by the rule. */
function sentenceOf({ series }: Axis): string {
  const told = series.map((each) => ({ name: each.name, ...verdictOf(each) })).filter(({ times }) => times !== null);
  if (told.length === 0) return 'Not judged: fewer than two sizes.';
  const bad = told.filter(({ word }) => word === 'growing');
  const worst = Math.max(...told.map(({ times }) => times ?? 0));
  return bad.length === 0
    ? `Flat: at most ${worst.toFixed(2)} times.`
    : `GROWING: ${bad.map(({ name, times }) => `${name} (${times?.toFixed(2)} times)`).join(', ')}.`;
}

/** One axis as a table of Markdown: a row for each series, a column for each size. */
export function tableOf(axis: Axis): string {
  const sizes = [...new Set(axis.series.flatMap(({ points }) => points.map(({ size }) => size)))].sort((a, b) => a - b);
  const head = [axis.of, ...sizes.map(thousands), 'times'];
  const rows = axis.series.map((each) => {
    const { times } = verdictOf(each);
    const costs = sizes.map((size) => measured(each).find((point) => point.size === size)?.cost);
    return [
      `${each.name}, ${each.unit}`,
      ...costs.map((cost) => (cost === undefined ? '–' : three(cost))),
      times?.toFixed(2) ?? '–',
    ];
  });
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
}

/** docs/developers/growth.md. */
export function documentOf(axes: readonly Axis[], { cores, cpu, date, postgres, command }: Machine): string {
  return `# What size costs

Written by \`${command}\` (\`-- growth --to 1e5\` for smaller sizes, without this page) on ${date}: ${cores} cores (${cell(cpu)}), PostgreSQL ${cell(postgres)}.

Milliseconds are of all processors. A cost may be at most ${LIMIT} times the least at a smaller size; else the command exits with 1. Rates are not judged.

![Cost against size](growth.svg)

${axes.map((axis) => `## ${cell(axis.title)}\n\n${cell(sentenceOf(axis))}\n\n${tableOf(axis)}`).join('\n\n')}
`;
}

const [COLUMN, ROW] = [440, 270];
/** Of a panel: its lines are drawn between these. */
const PLOT = { left: 40, right: 236, top: 46, bottom: 222 };
const COLORS = [
  ['#0b57d0', '#7cb2ff'],
  ['#a04100', '#ffab66'],
  ['#146c2e', '#6dd58c'],
  ['#7b2d9e', '#dda6ff'],
] as const;
const style = (side: 0 | 1) =>
  `svg{background:${['#fff', '#16181c'][side]}}text{fill:${['#1c1e21', '#e4e6ea'][side]}}.grid{stroke:${['#d5d9df', '#3a3f47'][side]}}.limit{stroke:${['#c5221f', '#ff8a80'][side]}}${COLORS.map((pair, n) => `.s${n}{stroke:${pair[side]}}.d${n}{fill:${pair[side]}}`).join('')}`;

/**
 * docs/developers/growth.svg: a panel for each axis, both of its scales logarithmic: how many times the least each series costs at
 * each size, and at the end of its line what that is. Text stays text; colors follow the reader's light or dark.
 */
export function svgOf(axes: readonly Axis[]): string {
  const width = 2 * COLUMN;
  const height = Math.max(1, Math.ceil(axes.length / 2)) * ROW;
  const panels = axes.map(
    (axis, n) => `<g transform="translate(${(n % 2) * COLUMN} ${Math.floor(n / 2) * ROW})">${panelOf(axis)}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui,sans-serif" font-size="11" role="img">
<title>Cost of one thing against size</title>
<style>${style(0)}path{fill:none;stroke-width:2}.limit{stroke-dasharray:4 3}@media(prefers-color-scheme:dark){${style(1)}}</style>
${panels.length === 0 ? '<text x="20" y="30">Nothing was measured.</text>' : panels.join('\n')}
</svg>
`;
}

function panelOf({ title, of, series }: Axis): string {
  const lines = series
    .filter(({ isShownOnly }) => !isShownOnly)
    .map((each) => ({ each, points: measured(each) }))
    .filter(({ points }) => points.length > 0)
    .map(({ each, points }) => {
      const least = Math.min(...points.map(({ cost }) => cost));
      return { each, points: points.map(({ size, cost }) => ({ size, cost, times: cost / least })) };
    });
  const heading = `<text x="${PLOT.left}" y="20" font-size="14" font-weight="600">${escaped(title)}</text>`;
  if (lines.length === 0) return `${heading}<text x="${PLOT.left}" y="60">Not measured.</text>`;
  const all = lines.flatMap(({ points }) => points);
  const sizes = [...new Set(all.map(({ size }) => size))].sort((a, b) => a - b);
  const x = scale([sizes[0] ?? 1, sizes.at(-1) ?? 1], [PLOT.left, PLOT.right]);
  const top = Math.max(10, ...all.map(({ times }) => times));
  const y = scale([0.8, top * 1.2], [PLOT.bottom, PLOT.top]);
  const ticks = [1, 2, 5, 10, 100, 1_000, 10_000].filter((times) => times <= top);
  const grid = ticks.map(
    (times) =>
      `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(times)}" y2="${y(times)}"/><text x="${PLOT.left - 6}" y="${y(times) + 4}" text-anchor="end">${short(times)}×</text>`,
  );
  const under = sizes.map(
    (size) => `<text x="${x(size)}" y="${PLOT.bottom + 16}" text-anchor="middle">${short(size)}</text>`,
  );
  const limit = `<line class="limit" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(LIMIT)}" y2="${y(LIMIT)}"/>`;
  const drawn = lines.map(({ points }, n) => {
    const kind = n % COLORS.length;
    const path = points.map(({ size, times }, at) => `${at === 0 ? 'M' : 'L'}${x(size)} ${y(times)}`).join('');
    const dots = points.map(({ size, times }) => `<circle class="d${kind}" cx="${x(size)}" cy="${y(times)}" r="3"/>`);
    return `<path class="s${kind}" d="${path}"/>${dots.join('')}`;
  });
  const ends = lines
    .map(({ each, points }, n) => ({ each, last: points.at(-1), n }))
    .toSorted((a, b) => y(a.last?.times ?? 1) - y(b.last?.times ?? 1));
  let free = PLOT.top;
  // From the highest down, none on top of another; those that would leave the panel move up together.
  const places = ends.map(({ last }) => {
    const at = Math.max(free, y(last?.times ?? 1) + 4);
    free = at + 28;
    return at;
  });
  const over = Math.max(0, free - 14 - PLOT.bottom);
  const labels = ends.map(({ each, last, n }, at) => {
    const place = round((places[at] ?? 0) - over);
    return `<text class="d${n % COLORS.length}" x="${PLOT.right + 10}" y="${place}">${escaped(each.name)}</text><text x="${PLOT.right + 10}" y="${place + 12}">${three(last?.cost ?? 0)} ${escaped(each.unit)}</text>`;
  });
  const sizeLabel = `<text x="${(PLOT.left + PLOT.right) / 2}" y="${PLOT.bottom + 34}" text-anchor="middle">${escaped(of)}</text>`;
  const costLabel = `<text x="${PLOT.left}" y="36">times the least, ${LIMIT}× dashed</text>`;
  return [heading, costLabel, ...grid, ...under, sizeLabel, limit, ...drawn, ...labels].join('');
}

const round = (value: number) => Math.round(value * 10) / 10;

/** Logarithmic; of one value only, it gives the middle. */
function scale([from, to]: readonly [number, number], [start, end]: readonly [number, number]) {
  const span = Math.log(to / from);
  return (value: number) =>
    round(span === 0 ? (start + end) / 2 : start + ((end - start) * Math.log(value / from)) / span);
}
