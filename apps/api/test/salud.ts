import { CUBETAS, cubetaDe, type SumaEsperas, type TramoCanal } from '@acuse/core';

const histogram = (values: readonly number[]) => {
  const cubetas = new Array<number>(CUBETAS).fill(0);
  for (const each of values) cubetas[cubetaDe(each)] = (cubetas[cubetaDe(each)] ?? 0) + 1;
  return cubetas;
};

/** Downloads of five accounts that took from 30 to 89 minutes, asked for at noon. */
export function esperas(change: Partial<SumaEsperas> = {}): SumaEsperas[] {
  const cubetas = histogram(Array.from({ length: 60 }, (_, n) => (30 + n) * 60));
  const quien = { modo: 'live', canal: 'soap', tipo: 'recibidos' } as const;
  return [{ ...quien, hora: 12, isReciente: true, descargas: 60, grupos: 0b11111n, cubetas, ...change }];
}

/** A hundred requests by the web services in the ten minutes from `desde`; `fallos` of them failed. */
export const tramo = (desde: string, fallos: number): TramoCanal => ({
  ...{ canal: 'soap', desde: new Date(desde), exitos: 100 - fallos, rechazos: 0, fallos, evitadas: 0 },
  cubetas: histogram(new Array<number>(100).fill(400)),
});
