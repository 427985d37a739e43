import { deflateRawSync } from 'node:zlib';
import type { Formato } from '@acuse/contract';
import { readZip } from '../../packages/storage/testing/zip-bytes.ts';
import { type Servers, startCpus } from './cpu.ts';
import { askFor, download, openService, peakBytes, waitForEnd } from './stack.ts';

/** RFC of the simulator and its rows in May 2026 (docs of the simulator, magic RFCs); of a usual one they are not fixed. */
const [MILLION, USUAL] = [
  { rfc: 'MIL900215SI3', rows: 1_000_000 },
  { rfc: 'ACU200101DB1', rows: null },
];
const AIM = { seconds: 10, bytes: 230e6 };

/**
 * A million rows from their request to their ZIP in this format, through the API and a worker with every role, and the
 * most memory that the worker had; beside one deflate of the same rows as text, their CSV where there is one, else what
 * the SAT gave.
 */
export async function benchMillion(servers: Servers, formato: Formato, share: number): Promise<void> {
  const { rfc, rows } = share === 1 ? MILLION : USUAL;
  const service = await openService(servers);
  try {
    const call = await service.newCaller(rfc);
    const before = await peakBytes(service.worker.pid);
    const spent = await startCpus(service.processes);
    const started = performance.now();
    const id = await askFor(call, rfc, '2026-05-01', '2026-05-31', formato);
    const { registros } = await waitForEnd(call, id);
    const seconds = (performance.now() - started) / 1_000;
    if (registros === 0 || registros !== (rows ?? registros)) throw new Error(`${registros} rows instead of ${rows}`);
    const peak = await peakBytes(service.worker.pid);
    const cpu = (await spent()).map(({ name, ms }) => `${name} ${(ms / 1_000).toFixed(1)}`);
    const zip = await readZip(await download(call, id));
    const csv = zip.get('metadata.csv');
    const originales = [...zip].filter(([name]) => name.startsWith('originales/')).map(([, content]) => content);
    const text = csv ?? Buffer.concat(originales);
    const from = performance.now();
    deflateRawSync(text, { level: 6 });
    const floor = (performance.now() - from) / 1_000;
    const files = [...zip].flatMap(([name, content]) =>
      name.startsWith('metadata') ? [`${name} ${(content.length / 1e6).toFixed(0)} MB`] : [],
    );
    console.log(
      `million: ${registros} rows as ${files.join(', ')} from request to ZIP in ${seconds.toFixed(1)} s (aim ${AIM.seconds}) | floor, one deflate of ${csv ? 'its CSV' : 'the SAT’s text'} of ${(text.length / 1e6).toFixed(0)} MB: ${floor.toFixed(1)} s | ratio ${(floor / seconds).toFixed(2)}`,
    );
    console.log(`million: seconds of processor: ${cpu.join(', ')}`);
    console.log(
      `million: worker with every role: ${(peak / 1e6).toFixed(0)} MB resident at most (aim ${AIM.bytes / 1e6}), ${(before / 1e6).toFixed(0)} MB before`,
    );
  } finally {
    await service.close();
  }
}
