/** Amounts are whole cents, so that sums are exact. */
export type Cents = number;

/** A tax of an item: 001 is ISR, 002 is IVA. */
export type Tax = {
  isWithheld: boolean;
  code: '001' | '002';
  /** Millionths of the base; null: exempt. */
  rate: number | null;
};

/** One item of a CFDI: price before the discount, the discount, and the taxes of the rest. */
export type Item = { price: Cents; discount: Cents; base: Cents; taxes: readonly Tax[] };

const IVA16: Tax = { isWithheld: false, code: '002', rate: 160_000 };
const IVA8: Tax = { ...IVA16, rate: 80_000 };
const IVA0: Tax = { ...IVA16, rate: 0 };
const EXEMPT: Tax = { ...IVA16, rate: null };
const incomeTax = (rate: number): Tax => ({ isWithheld: true, code: '001', rate });
const TWO_THIRDS: Tax = { isWithheld: true, code: '002', rate: 106_667 };

/** Taxes of the first item, of the second, and again from the first. */
const TAXES: readonly (readonly (readonly Tax[])[])[] = [
  ...Array.from({ length: 9 }, () => [[IVA16]]),
  [[IVA8]],
  [[IVA0]],
  [[EXEMPT]],
  [[IVA16, incomeTax(100_000), TWO_THIRDS]],
  [[IVA16, incomeTax(12_500)]],
  [[IVA16], [IVA0]],
  [[IVA16], [EXEMPT], []],
];
const SMALLEST_ITEM = 1000;
const TRIES = 10;

/** The tax of a base, rounded half up; 0 for an exempt one. */
export function taxOf(base: Cents, { rate }: Tax): Cents {
  return Math.floor((base * (rate ?? 0) + 500_000) / 1_000_000);
}

function netOf(base: Cents, taxes: readonly Tax[]): Cents {
  return taxes.reduce((net, tax) => net + (tax.isWithheld ? -1 : 1) * taxOf(base, tax), base);
}

/** The base that gives this net amount with its taxes, or null: rounding leaves some amounts out. */
function baseOf(net: Cents, taxes: readonly Tax[]): Cents | null {
  const near = nearBase(net, taxes);
  return [0, 1, -1, 2, -2].map((step) => near + step).find((base) => base > 0 && netOf(base, taxes) === net) ?? null;
}

function nearBase(net: Cents, taxes: readonly Tax[]): Cents {
  const factor = taxes.reduce((sum, { isWithheld, rate }) => sum + ((isWithheld ? -1 : 1) * (rate ?? 0)) / 1e6, 1);
  return Math.round(net / factor);
}

/** One to five items that add up to a total with their taxes; `random(slot)` is any whole number from 0. */
export function itemsOf(total: Cents, random: (slot: number) => number): Item[] {
  if (total === 0) return [{ price: 100, discount: 100, base: 0, taxes: [] }];
  const palette = TAXES[random(0) % TAXES.length] ?? [];
  const count = Math.max(1, Math.min(1 + (random(1) % 5), Math.floor(total / SMALLEST_ITEM)));
  const [first, ...rest] = split(total, count, palette, random) ?? split(total, count + 1, palette, random) ?? [];
  if (!first) return [{ price: total, discount: 0, base: total, taxes: [] }];
  const discount = random(2) % 6 === 0 ? Math.ceil(first.base / 10) : 0;
  return [{ ...first, price: first.base + discount, discount }, ...rest];
}

function split(
  total: Cents,
  count: number,
  palette: readonly (readonly Tax[])[],
  random: (slot: number) => number,
): Item[] | null {
  const taxesAt = (i: number) => palette[i % palette.length] ?? [];
  const bases = Array.from({ length: count - 1 }, (_, i) => {
    const share = Math.floor((total / count) * (0.5 + (random(10 + i) % 100) / 200));
    return nearBase(share, taxesAt(i));
  });
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const left = bases.reduce((sum, base, i) => sum - netOf(base, taxesAt(i)), total);
    const last = baseOf(left, taxesAt(count - 1));
    if (last !== null && bases.every((base) => base > 0)) {
      return [...bases, last].map((base, i) => ({ price: base, discount: 0, base, taxes: taxesAt(i) }));
    }
    bases[0] = (bases[0] ?? 0) + 1;
    if (count === 1) return null;
  }
  return null;
}

/** Taxes with equal code and rate of several items, added up in the order in which they first appear. */
export function addUp(items: readonly Pick<Item, 'base' | 'taxes'>[]): { tax: Tax; base: Cents; amount: Cents }[] {
  const sums: { tax: Tax; base: Cents; amount: Cents }[] = [];
  for (const { base, taxes } of items) {
    for (const tax of taxes) {
      const amount = taxOf(base, tax);
      const known = sums.find((sum) => isSame(sum.tax, tax));
      if (known) Object.assign(known, { base: known.base + base, amount: known.amount + amount });
      else sums.push({ tax, base, amount });
    }
  }
  return sums;
}

/** Withheld taxes are added up by code alone, as the summary of a CFDI shows them. */
const isSame = (a: Tax, b: Tax) =>
  a.isWithheld === b.isWithheld && a.code === b.code && (a.isWithheld || a.rate === b.rate);

/** The part of a payment that is its base when it pays IVA of 16 % too; null when rounding leaves the amount out. */
export function paidWithIva(amount: Cents): { base: Cents; taxes: readonly Tax[] } | null {
  const base = baseOf(amount, [IVA16]);
  return base === null ? null : { base, taxes: [IVA16] };
}

/** `1160.5` as cents. */
export function centsOf(amount: string): Cents {
  return Math.round(Number(amount) * 100);
}

/** Cents as `1160.50`. */
export function money(cents: Cents): string {
  return (cents / 100).toFixed(2);
}

/** A rate as `0.160000`; undefined for an exempt one. */
export function rateText({ rate }: Tax): string | undefined {
  return rate === null ? undefined : (rate / 1_000_000).toFixed(6);
}
