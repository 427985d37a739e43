import { CUBETAS, cubetaDe } from '@acuse/core';
import { onTestFinished } from 'vitest';
import type { Kit } from './kit.ts';

const histogram = (values: readonly number[]) => {
  const cubetas = new Array<number>(CUBETAS).fill(0);
  for (const each of values) cubetas[cubetaDe(each)] = (cubetas[cubetaDe(each)] ?? 0) + 1;
  return cubetas;
};

/** Deletes the figures after the test: every test of the process reads the same. */
function forgetAtTheEnd({ pool }: Pick<Kit, 'pool'>): void {
  onTestFinished(async () => void (await pool.query('TRUNCATE salud_sat, espera_sat, latido')));
}

/** Notes downloads by test keys of five accounts, asked for at noon, that took from 30 to 89 minutes. */
export async function noteEsperas(kit: Kit, canal: 'soap' | 'portal', tipo: 'emitidos' | 'recibidos'): Promise<void> {
  forgetAtTheEnd(kit);
  const cubetas = histogram(Array.from({ length: 60 }, (_, n) => (30 + n) * 60));
  await kit.sql`INSERT INTO espera_sat (dia, hora, modo, canal, tipo, descargas, grupos, cubetas)
    VALUES ('2026-11-20', 12, 'test', ${canal}, ${tipo}, 60, ${0b11111}, ${cubetas})`;
}

/** Notes a hundred requests by the web services in the ten minutes from `desde`; `fallos` of them failed. */
export async function noteTramo(kit: Kit, desde: string, fallos: number): Promise<void> {
  forgetAtTheEnd(kit);
  await kit.sql`INSERT INTO salud_sat (minuto, host, canal, exitos, fallos, cubetas)
    VALUES (${desde}, 'sat', 'soap', ${100 - fallos}, ${fallos}, ${histogram(new Array<number>(100).fill(400))})`;
}

/** Notes that a worker with this role is alive at noon. */
export async function noteLatido(kit: Kit, rol: string): Promise<void> {
  forgetAtTheEnd(kit);
  await kit.sql`INSERT INTO latido (proceso, rol, visto_en, slots) VALUES (${rol}, ${rol}, now(), 1)`;
}
