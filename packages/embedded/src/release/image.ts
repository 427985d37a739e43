import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compilePrograms, READ, SERVICE } from '../programs.ts';
import { licenses, ROOT } from './bundle.ts';

// Makes the content of the image of the service, in a folder of the name that it has there.
const [, , folder] = process.argv;
if (folder === undefined) throw new Error('Name the folder to fill, which is emptied first.');
await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), await licenses(await compilePrograms(folder, SERVICE)));
const filter = (path: string) => !/\.(map|[cm]?ts)$/.test(path);
for (const path of READ) await cp(join(ROOT, path), join(folder, path), { recursive: true, filter });
