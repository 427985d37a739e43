import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Acceso, type Entorno, FalloOrden } from '@acuse/roles/client';
import { z } from 'zod';

const acceso: z.ZodType<Acceso> = z.object({ url: z.string(), llave: z.string(), rfc: z.string() });

const fileOf = ({ carpeta }: Entorno) => join(carpeta, 'acceso.json');

async function readStored(entorno: Entorno): Promise<Partial<Acceso>> {
  const text = await readFile(fileOf(entorno), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return {};
  try {
    return acceso.parse(JSON.parse(text));
  } catch {
    throw new FalloOrden('SIN_ACCESO', `El archivo ${fileOf(entorno)} no se puede leer. Vuelva a dar: acuse entrar`);
  }
}

/** What `entrar` stored and the environment says. @throws FalloOrden `SIN_ACCESO` when either lacks something. */
export async function readAcceso(entorno: Entorno): Promise<Acceso> {
  const { url, llave, rfc } = entorno;
  const isWhole = url !== undefined && llave !== undefined;
  const stored: Partial<Acceso> = isWhole ? {} : await readStored(entorno);
  const found = { url: url ?? stored.url, llave: llave ?? stored.llave, rfc: rfc ?? stored.rfc };
  if (found.url === undefined || found.llave === undefined)
    throw new FalloOrden(
      'SIN_ACCESO',
      'No se sabe a qué servicio entrar ni con qué API key. Dé una vez «acuse entrar», o ponga ACUSE_URL y ACUSE_API_KEY en el ambiente.',
    );
  return { url: found.url, llave: found.llave, rfc: found.rfc ?? '' };
}

/** Stores it where only its user can read it, whole or not at all. Gives the path. */
export async function storeAcceso(entorno: Entorno, valor: Acceso): Promise<string> {
  const file = fileOf(entorno);
  await mkdir(entorno.carpeta, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(valor, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, file).catch(async (error: unknown) => {
    await rm(draft);
    throw error;
  });
  return file;
}

/** Forgets it; false when there was nothing. */
export async function removeAcceso(entorno: Entorno): Promise<boolean> {
  return rm(fileOf(entorno)).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
