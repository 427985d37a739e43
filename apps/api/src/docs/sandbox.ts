const HEAD = '| RFC | what it forces | what Acuse answers |\n| --- | --- | --- |\n';

/**
 * The sandbox page in English: what stands above its table in `page` by hand, and a row for each magic RFC of the table
 * in `magia`, the simulator's own document. @throws an Error when one of them has no table.
 */
export function sandboxText(page: string, magia: string): string {
  const [byHand, table] = page.split(HEAD);
  const rows = [...magia.matchAll(/^\| [^|]+ \| (`\w+`, `\w+`) \| (.+) \| (.+) \|$/gm)].map(
    ([, rfcs, simulator, acuse]) => `| ${rfcs} | ${simulator} | ${acuse} |\n`,
  );
  if (byHand === undefined || table === undefined || rows.length === 0) throw new Error('there is no table of RFCs');
  return `${byHand}${HEAD}${rows.join('')}`;
}
