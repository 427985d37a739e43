import { buffer } from 'node:stream/consumers';
import { strFromU8, unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { createCfdiZip } from './packages.ts';
import type { Settings } from './settings.ts';
import { parseWallTime } from './wall-time.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
const at = (day: string) => parseWallTime(day) ?? Number.NaN;
const rows = [...world.taxpayers.rows('EKU9003173C9', 'emitidos', at('2026-05-01'), at('2026-05-15'))];
const uuids = rows.map(({ uuid }) => uuid);

/** UUID of the stamp of each member by its name. */
async function membersOf(paquetes: Settings['paquetes_xml'], basura = false): Promise<[string, string][]> {
  const content = { id: 'x', rows: () => rows, basura, fecha: new Date('2026-06-01T00:00:00Z') };
  const files = unzipSync(await buffer(createCfdiZip(content, world.cfdis.xmlOf, paquetes)));
  return Object.entries(files).map(([name, bytes]) => [
    name,
    / UUID="([^"]+)" Fecha/.exec(strFromU8(bytes))?.[1] ?? '',
  ]);
}

it('a package has one member a row, named in lower case, every 25th with the extension twice', async () => {
  const members = await membersOf('normales');
  expect(members.map(([, uuid]) => uuid)).toEqual(uuids);
  expect(members.map(([name]) => name)).toEqual(
    uuids.map((uuid, n) => `${uuid.toLowerCase()}.xml${n % 25 === 24 ? '.xml' : ''}`),
  );
});

it('a package holds junk beside its members', async () => {
  const members = await membersOf('normales', true);
  expect(members.filter(([, uuid]) => uuid === '').map(([name]) => name)).toEqual([
    '__MACOSX/._x.txt',
    'vacio.txt',
    'other.txt',
  ]);
});

it('a member is lost, doubled, renamed or in capitals when the setting says so, the same at every call', async () => {
  const [first = '', second = '', third = '', ...others] = uuids;
  const file = (uuid: string) => `${uuid.toLowerCase()}.xml`;
  const start = async (paquetes: Settings['paquetes_xml']) => (await membersOf(paquetes)).slice(0, 3);
  expect(await start('perdido')).toEqual([second, third, others[0] ?? ''].map((uuid) => [file(uuid), uuid]));
  expect(await start('doble')).toEqual([
    [file(first), first],
    [`${first.toLowerCase()}-1.xml`, first],
    [file(second), second],
  ]);
  const [[name = '', uuid] = []] = await start('renombrado');
  expect(uuid).toBe(first);
  expect(name).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.xml$/);
  expect(uuids.map(file)).not.toContain(name);
  expect((await start('mayusculas')).map(([each]) => each)).toEqual(
    [first, second, third].map((each) => `${each}.xml`),
  );
  const all = await membersOf('todo');
  expect(all.map(([, each]) => each)).toEqual([second, second, third, ...others]);
  expect(all.every(([each]) => /^[0-9A-F-]+\.xml/.test(each))).toBe(true);
  expect(await membersOf('todo')).toEqual(all);
});
