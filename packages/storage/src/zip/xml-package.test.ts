import type { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { assembled, chunked, failing, memberOf, rowsOf } from '../../testing/assembled-xml.ts';
import type { SatRow } from '../../testing/sat-rows.ts';
import type { RawEntry } from '../../testing/zip-bytes.ts';
import type { ObjectStore } from '../object-store.ts';

describe('a damaged package of XML is refused', () => {
  const [a, b] = rowsOf(2) as [SatRow, SatRow];
  test.each<[string, RawEntry[], string]>([
    ['for a wrong CRC-32', [{ ...memberOf(a), crc: 1 }], 'CRC'],
    ['for a wrong CRC-32 of a stored member', [{ ...memberOf(a), crc: 1, method: 0 }], 'CRC'],
    ['for more bytes than announced', [{ ...memberOf(a), declaredBytes: 10 }], 'DEMASIADO_GRANDE'],
    ['for fewer bytes than announced', [{ ...memberOf(a), declaredBytes: 10_000 }], 'TRUNCADO'],
    [
      'for members that announce more than 4 GiB together',
      [a, b].map((row) => ({ ...memberOf(row), declaredBytes: 4_000_000_000 })),
      'DEMASIADO_GRANDE',
    ],
    ['for data that ends early', [{ ...memberOf(a), declaredCompressedBytes: 50 }, memberOf(b)], 'TRUNCADO'],
    ['for more data than there is', [{ ...memberOf(a), declaredCompressedBytes: 5_000_000 }], 'TRUNCADO'],
    ['for members that share their data', [memberOf(a), { ...memberOf(a), offset: 0 }], 'NO_ES_ZIP'],
    ['for a member elsewhere', [{ ...memberOf(a), offset: 5 }], 'NO_ES_ZIP'],
    ['for an encrypted member', [{ ...memberOf(a), flags: 1 }], 'NO_ES_ZIP'],
    ['for another compression', [{ ...memberOf(a), method: 12 }], 'NO_ES_ZIP'],
    ['for a path that leads out', [memberOf(a, '../a.xml')], 'NO_ES_ZIP'],
  ])('%s', async (_name, entries, motivo) => {
    await expect(assembled({ rows: [a, b], packages: [entries] })).rejects.toMatchObject({ motivo, objectKey: 'x0' });
  });

  test('and no stream of it stays open', async () => {
    const rows = rowsOf(300);
    const streams: Readable[] = [];
    const through = (store: ObjectStore): ObjectStore => ({
      ...store,
      read(...args) {
        const stream = chunked(store, 1_000).read(...args);
        streams.push(stream);
        return stream;
      },
    });
    const members = rows.map((row, index) => ({ ...memberOf(row), ...(index === 3 ? { crc: 1 } : {}) }));
    await expect(assembled({ rows, packages: [members], through })).rejects.toMatchObject({ motivo: 'CRC' });
    expect(streams.map(({ destroyed }) => destroyed)).not.toContain(false);
  });

  test('by the error of the storage when that fails midway, and nothing is visible', async () => {
    const rows = rowsOf(300);
    const cut = new Error('connection reset');
    const through = (store: ObjectStore): ObjectStore => ({
      ...store,
      read: (key, ...rest) =>
        key === 'x0' && rest[1].start === 0 ? failing(store.read(key, ...rest), cut) : store.read(key, ...rest),
    });
    await expect(assembled({ rows, packages: [rows.map((row) => memberOf(row))], through })).rejects.toBe(cut);
  });
});
