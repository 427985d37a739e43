import { access, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OPERADOR, PROCESOS } from './procesos.ts';

export type Valores = Readonly<Record<string, string>>;

const LOCK = '.rotando';
/** Our processes run under the owner; servers of other images read under users of their own what only they mount. */
const DE_OTROS: readonly string[] = ['postgres', 'redis', 's3'];

/**
 * Writes each secret to a file of its name, once for each process that needs it, in a folder of the process, and all of
 * them in the operator's. A folder whose operator already has any is left alone, since half of the pairs would no
 * longer fit. Returns the names written.
 */
export async function writeInstalacion(folder: string, valores: Valores): Promise<string[]> {
  const own = join(folder, OPERADOR);
  const isThere = await access(own).then(
    async () => (await readdir(own)).length > 0,
    () => false,
  );
  if (isThere) return [];
  await writeValores(folder, valores);
  return Object.keys(valores);
}

/** The values that the operator has. Throws what reading throws. */
export async function readValores(folder: string): Promise<Valores> {
  const own = join(folder, OPERADOR);
  const names = (await readdir(own)).filter((name) => !name.startsWith('.'));
  const entries = names.map(async (name) => [name, (await readFile(join(own, name), 'utf8')).trim()] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Changes the values of an installation, one change at a time: `change` gets the present ones and returns those that
 * are new. Each file is replaced whole, the operator's last: what was interrupted is written again by the same order.
 */
export async function changeValores(folder: string, change: (valores: Valores) => Valores): Promise<Valores> {
  const lock = join(folder, OPERADOR, LOCK);
  const held = await open(lock, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Error(`Otra orden está cambiando los secretos de ${folder}. Si no es así, borre ${lock} y repita.`);
  });
  try {
    const nuevos = change(await readValores(folder));
    await writeValores(folder, nuevos);
    return nuevos;
  } finally {
    await held.close();
    await rm(lock, { force: true });
  }
}

async function writeValores(folder: string, valores: Valores): Promise<void> {
  for (const [proceso, nombres] of Object.entries(PROCESOS)) {
    const names: readonly string[] = nombres;
    const own = Object.entries(valores).filter(([name]) => names.includes(name));
    if (own.length > 0) await writeAll(join(folder, proceso), own, DE_OTROS.includes(proceso) ? 0o644 : 0o600);
  }
  await writeAll(join(folder, OPERADOR), Object.entries(valores), 0o600);
}

async function writeAll(folder: string, valores: readonly (readonly [string, string])[], mode: number): Promise<void> {
  await mkdir(folder, { recursive: true, mode: mode === 0o600 ? 0o700 : 0o755 });
  for (const [name, value] of valores) {
    const path = join(folder, name);
    await writeFile(`${path}.nuevo`, value, { mode });
    await rename(`${path}.nuevo`, path);
  }
}
