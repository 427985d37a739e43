import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import {
  openRelease,
  packApp,
  packChart,
  packImages,
  packPhp,
  packPython,
  packSdk,
  type Release,
  writeSbom,
} from './artifacts.ts';
import { ROOT } from './bundle.ts';

const ARTIFACTS: Readonly<Record<string, (release: Release) => Promise<string | readonly string[] | null>>> = {
  'cliente de TypeScript': packSdk,
  acuse: (release) => packApp('cli', release),
  simulador: (release) => packApp('simulador', release),
  'cliente de Python': packPython,
  'cliente de PHP': packPhp,
  'chart de Helm': packChart,
  'lista de bibliotecas (CycloneDX)': writeSbom,
  imágenes: packImages,
};

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, carpeta: { type: 'string', default: join(ROOT, '.acuse/publicacion') } },
});
if (values['dry-run'] !== true) {
  console.error(
    'Esta orden no publica: hacerlo exige las cuentas y la licencia del dueño (package.json). Con --dry-run hace los archivos y sus sumas; después se publican con npm publish, twine upload, docker push y helm push.',
  );
  process.exit(2);
}

await rm(values.carpeta, { recursive: true, force: true });
const release = await openRelease(values.carpeta);
for (const [name, make] of Object.entries(ARTIFACTS)) {
  const made = await make(release).catch((error: unknown) => {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  });
  console.log(made === null ? `${name}: omitidas, no hay un motor de Docker` : `${name}: ${[made].flat().join(', ')}`);
}
const sums = await Promise.all(
  (await readdir(release.to)).sort().map(async (name) => {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(release.to, name)), hash);
    return `${hash.digest('hex')}  ${name}\n`;
  }),
);
await writeFile(join(release.to, 'SHA256SUMS'), sums.join(''));
console.log(`Listo en ${release.to}, con sus sumas en SHA256SUMS (sha256sum -c).`);
