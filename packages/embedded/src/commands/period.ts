/** The last `months` whole calendar months before `now`, as calendar days (`YYYY-MM-DD`) of central Mexico. */
export function lastMonths(months: number, now: Date): { desde: string; hasta: string } {
  const mexico = new Date(now.getTime() - 6 * 3_600_000);
  const day = (monthsBack: number, date: number) =>
    new Date(Date.UTC(mexico.getUTCFullYear(), mexico.getUTCMonth() - monthsBack, date)).toISOString().slice(0, 10);
  return { desde: day(months, 1), hasta: day(0, 0) };
}
