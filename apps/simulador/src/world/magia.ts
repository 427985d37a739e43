import type { Fault } from './faults.ts';
import { MAGIAS, type Magia } from './magia/catalogo.ts';
import type { Settings } from './settings.ts';

const byRfc = new Map(MAGIAS.flatMap((magia) => [magia.moral, magia.fisica].map((rfc) => [rfc, magia])));

/** The magic of an RFC (any letter case), or null. */
export function magiaDe(rfc: string): Magia | null {
  return byRfc.get(rfc.toUpperCase()) ?? null;
}

/** The fault that an RFC brings with it to every call of a service, or null. */
export function implicitFault(
  service: string,
  rfc: string,
  settings: Pick<Settings, 'ms_lento' | 'ms_colgado'>,
): Fault | null {
  const falla = magiaDe(rfc)?.falla;
  if (!falla) return null;
  const { espera, servicios, ...fault } = falla;
  if (servicios && !servicios.includes(service)) return null;
  return { service, rfc, ...fault, ...(espera && { ms: settings[espera] }) };
}
