import { AcuseError } from '@acuse/sdk';
import { PaqueteCfdi } from '@acuse/sdk/node';
import { readAll } from '../leido.ts';

/** Reads packages by the TypeScript client in a process of its own, for the memory of it; writes a line of JSON each. */
for (const ruta of process.argv.slice(2))
  try {
    const leido = await readAll(new PaqueteCfdi(ruta));
    console.log(JSON.stringify({ ...leido, megabytes: process.resourceUsage().maxRSS / 1_024 }));
  } catch (error) {
    console.log(JSON.stringify({ nombre: error instanceof AcuseError ? error.nombre : String(error) }));
  }
