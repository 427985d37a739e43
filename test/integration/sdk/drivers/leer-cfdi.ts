import { AcuseError } from '@acuse/sdk';
import { PaqueteCfdi } from '@acuse/sdk/node';
import { readAll } from '../leido.ts';

/** Reads a package by the TypeScript client in a process of its own, whose memory is that of the reading. */
const [, , ruta = ''] = process.argv;
try {
  const leido = await readAll(new PaqueteCfdi(ruta));
  console.log(JSON.stringify({ ...leido, megabytes: process.resourceUsage().maxRSS / 1_024 }));
} catch (error) {
  if (!(error instanceof AcuseError)) throw error;
  console.log(JSON.stringify({ nombre: error.nombre }));
}
