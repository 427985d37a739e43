import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { FORMATOS } from '@acuse/contract';
import { findSystemPostgres, startPostgres, startRedis } from '@acuse/embedded';
import { silentLogger } from '@acuse/runtime';
import { joinRuns } from './join-runs.ts';
import { NAMED, USUAL } from './measures.ts';

/**
 * Each figure beside its floor in the same run: compare the ratios, not the seconds of a machine. `--runs 5` repeats each
 * measure and prints the median and range of each number.
 */
const { positionals: asked, values } = parseArgs({
  allowPositionals: true,
  options: {
    share: { type: 'string', default: '1' },
    to: { type: 'string' },
    minutes: { type: 'string', default: '30' },
    formato: { type: 'string', default: 'csv' },
    runs: { type: 'string', default: '1' },
  },
});
const share = Number(values.share);
if (!(share > 0 && share <= 1)) throw new Error(`--share ${values.share}: a part of the usual sizes, such as 0.01`);
const most = Number(values.to ?? Number.POSITIVE_INFINITY);
if (!(most > 0)) throw new Error(`--to ${values.to}: a number of things, such as 1e5`);
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: a number of minutes, such as 30`);
const formato = FORMATOS.find((each) => each === values.formato);
if (formato === undefined) throw new Error(`--formato ${values.formato}: one of ${FORMATOS.join(', ')}`);
const all = { ...USUAL, ...NAMED };
const unknown = asked.find((name) => !Object.hasOwn(all, name));
if (unknown !== undefined) throw new Error(`${unknown}: no measure; there are ${Object.keys(all).join(', ')}`);
const { runs, ...each } = values;
if (!(Number(runs) >= 1)) throw new Error(`--runs ${runs}: how often each measure runs, such as 5`);
const names = asked.length === 0 ? Object.keys(USUAL) : asked;
if (Number(runs) > 1) {
  const options = Object.entries(each).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  for (const name of names) {
    const printed: string[][] = [];
    while (printed.length < Number(runs)) {
      const again = [...process.execArgv, process.argv[1] ?? '', name, ...options];
      const { stdout } = await promisify(execFile)(process.execPath, again, { maxBuffer: 2 ** 26 });
      printed.push(stdout.trimEnd().split('\n'));
    }
    console.log(joinRuns(printed).join('\n'));
  }
  process.exit();
}
const dir = await mkdtemp(join(tmpdir(), 'acuse-bench-'));
const log = silentLogger;
// A real server where the machine has one: installations run that.
const system = await findSystemPostgres();
const postgres = await startPostgres({
  dataDir: join(dir, 'postgres'),
  log,
  ...(system === null ? {} : { binaries: system }),
});
const redis = await startRedis({ dir: join(dir, 'redis'), log });
try {
  for (const name of names)
    if ((await all[name]?.({ postgres, redis }, { share, most, minutes, formato })) === false && share === 1)
      process.exitCode = 1;
} finally {
  await redis?.stop();
  await postgres.stop();
  await rm(dir, { recursive: true, force: true });
}
