import { execFile } from 'node:child_process';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FILL_FREED } from '@acuse/embedded';
import { formasDe, piecesOf } from '../integration/fixtures/busqueda.ts';
import type { Efirma } from '../integration/fixtures/efirma.ts';

const run = promisify(execFile);
const MIB = 1_024 * 1_024;

export interface Needle {
  readonly name: string;
  readonly forms: readonly string[];
}

/** A text with other letters than Latin 1 as its bytes in UTF-8. */
const asBytes = (form: string) => (/[^\0-\xff]/.test(form) ? Buffer.from(form).toString('latin1') : form);

/** What must be found nowhere of a caller: its API key and what it gave to be kept, in every form of each. */
export function needlesOf(of: { rfc: string; apiKey: string; ciec?: string; efirma?: Efirma }): Needle[] {
  const secret = of.apiKey.split('_').slice(3).join('_').slice(0, 43);
  const needle = (name: string, bytes: Buffer, ...texts: string[]): Needle => ({
    name: `${name} of ${of.rfc}`,
    // One pattern a line: bytes that end a line, or a text, are looked for in their other forms.
    forms: [...new Set([...texts, ...formasDe(bytes)].map(asBytes))].filter((form) => !/[\n\0]/.test(form)),
  });
  return [
    needle('API key', Buffer.from(of.apiKey)),
    needle('secret of the API key', Buffer.from(secret, 'base64url'), secret),
    ...(of.ciec === undefined ? [] : [needle('CIEC', Buffer.from(of.ciec))]),
    ...(of.efirma === undefined
      ? []
      : [
          needle('password of the key', Buffer.from(of.efirma.password), of.efirma.password),
          ...piecesOf(of.efirma).map((piece, at) => needle(`piece ${at} of the e.firma's key`, piece)),
        ]),
  ];
}

/** Looks for needles in whole folders and in processes; what it writes itself goes with `close`. */
export async function openSearch(needles: readonly Needle[]) {
  const dir = await mkdtemp(join(tmpdir(), 'acuse-agujas-'));
  const patterns = join(dir, 'patterns');
  const names = new Map(needles.flatMap(({ name, forms }) => forms.map((form) => [form, name] as const)));
  await writeFile(patterns, Buffer.from([...names.keys()].join('\n'), 'latin1'));

  /** Matches with their offset in bytes; grep searches gigabytes for a thousand texts at once. */
  const grep = async (path: string): Promise<[string, number][]> => {
    const args = ['-raohbF', '-f', patterns, path];
    const found = await run('grep', args, {
      encoding: 'latin1',
      env: { ...process.env, LC_ALL: 'C' },
      maxBuffer: 64 * MIB,
    }).then(
      ({ stdout }) => stdout,
      (error: { code?: number | string; stdout?: string }) => {
        // 1: nothing; 2: a file that went away meanwhile.
        if (error.code === 1 || (error.code === 2 && error.stdout !== undefined)) return error.stdout ?? '';
        throw error;
      },
    );
    const lines = found.split('\n').filter((line) => line !== '');
    return lines.map((line) => [line.slice(line.indexOf(':') + 1), Number.parseInt(line, 10)]);
  };

  /** Searches a file or a folder; returns matches as `place: name`. */
  const inFiles = async (path: string, place: string): Promise<string[]> => [
    ...new Set((await grep(path)).map(([form]) => `${place}: ${names.get(form) ?? form}`)),
  ];

  return {
    inFiles,

    /** What a process was told, and all of its memory that it can write to. */
    async inProcess(pid: number, name: string): Promise<string[]> {
      const found: string[] = [];
      for (const file of ['cmdline', 'environ'] as const) {
        const copy = join(dir, file);
        await writeFile(copy, await readFile(`/proc/${pid}/${file}`));
        found.push(...(await inFiles(copy, `${file} of ${name}`)));
      }
      const copy = join(dir, 'memory');
      await copyMemory(pid, copy);
      const memory = new Map((await grep(copy)).map(([form, at]) => [names.get(form) ?? form, at]));
      for (const [needle, at] of memory) found.push(`memory of ${name}: ${needle}, in “${await around(copy, at)}”`);
      await rm(copy);
      return found;
    },

    close: () => rm(dir, { recursive: true, force: true }),
  };
}

/** What stands around a place in a file, to tell whose memory it was. */
async function around(path: string, at: number): Promise<string> {
  const file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, Math.max(0, at - 128));
  await file.close();
  return buffer
    .subarray(0, bytesRead)
    .toString('latin1')
    .replace(/[^ -~]+/g, '·');
}

const NOTHING = Buffer.alloc(4 * MIB);

/** Long runs of what memory is filled with; no needle has one. */
const FILLED = [0, Number(FILL_FREED.MALLOC_PERTURB_), 0xff - Number(FILL_FREED.MALLOC_PERTURB_)].map((byte) =>
  Buffer.alloc(64, byte),
);

/** Ends a line at each byte of a long run: grep takes hours for a line of megabytes that look alike. */
function breakRuns(memory: Buffer): void {
  for (const run of FILLED) {
    for (let at = memory.indexOf(run); at >= 0; at = memory.indexOf(run, at)) {
      let end = at + run.length;
      while (memory[end] === run[0]) end += 1;
      memory.fill('\n', at, end);
      at = end;
    }
  }
}

/** Copies the private writable regions of a process (proc(5), /proc/PID/smaps and mem). */
async function copyMemory(pid: number, path: string): Promise<void> {
  const maps = await readFile(`/proc/${pid}/smaps`, 'utf8');
  const memory = await open(`/proc/${pid}/mem`, 'r');
  const copy = await open(path, 'w');
  const buffer = Buffer.allocUnsafeSlow(NOTHING.length);
  try {
    // Reserved regions, of which V8 has many gigabytes, hold nothing.
    for (const [, from = '', to = ''] of maps.matchAll(/^([\da-f]+)-([\da-f]+) rw-p .*\n(?:\w+:.*\n)*?Rss: +[1-9]/gm)) {
      const end = Number.parseInt(to, 16);
      for (let at = Number.parseInt(from, 16); at < end; ) {
        const length = Math.min(buffer.length, end - at);
        // Released or unwritten pages cannot be read.
        const { bytesRead } = await memory.read(buffer, 0, length, at).catch(() => ({ bytesRead: 0 }));
        const read = buffer.subarray(0, bytesRead);
        if (read.compare(NOTHING, 0, bytesRead) !== 0) {
          breakRuns(read);
          await copy.write(read);
        }
        at += bytesRead > 0 ? bytesRead : length;
      }
    }
  } finally {
    await Promise.all([memory.close(), copy.close()]);
  }
}
