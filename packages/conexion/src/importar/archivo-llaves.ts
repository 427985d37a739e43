import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ExplainedError } from '@acuse/runtime';
import { ENCABEZADO_LLAVES, type Entrega, linesOf } from './importar.ts';

/**
 * A new file of keys that only its owner can read (mode 0600), made with the first of them. Each lot is on the disk when
 * `keep` resolves. Rejects with ExplainedError when there is a file of that name.
 */
export function createArchivoLlaves(path: string) {
  let file: FileHandle | null = null;

  async function create(): Promise<FileHandle> {
    const made = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      throw new ExplainedError(
        `${path} ya existe y no se sobrescribe: puede tener llaves. Dé otro nombre con --llaves.`,
      );
    });
    file = made;
    await made.writeFile(ENCABEZADO_LLAVES);
    // The name of a new file is in its folder.
    const folder = await open(dirname(path), 'r');
    await folder.sync().finally(() => folder.close());
    return made;
  }

  return {
    async keep(entregas: readonly Entrega[]): Promise<void> {
      const into = file ?? (await create());
      await into.writeFile(linesOf(entregas));
      await into.sync();
    },
    /** True once there is a file. */
    isMade: () => file !== null,
    close: async () => file?.close(),
  };
}
