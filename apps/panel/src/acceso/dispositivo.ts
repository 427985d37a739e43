const NAVEGADORES = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;

const SISTEMAS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'Mac'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const;

/** A User-Agent as its owner would say it: `Chrome en Linux`. */
export function dispositivoDe(agente: string): string {
  const browser = NAVEGADORES.find(([marca]) => agente.includes(marca))?.[1];
  const sistema = SISTEMAS.find(([marca]) => agente.includes(marca))?.[1];
  if (browser && sistema) return `${browser} en ${sistema}`;
  return browser ?? sistema ?? 'Otro navegador';
}
