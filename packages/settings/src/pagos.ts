/** Credits and their price before IVA, in centavos. */
export interface Precio {
  readonly creditos: number;
  readonly centavos: number;
}

const MAX_CREDITOS = 10_000_000;
const MAX_CENTAVOS = 1_000_000_000;

/** Reads `100:99,1000:890.50`: credits and price in MXN before IVA. Null for anything else, or credits twice. */
export function parsePrecios(texto: string): readonly Precio[] | null {
  const precios: Precio[] = [];
  for (const parte of texto.split(',')) {
    const [, creditos = '', pesos = '', centavos = ''] =
      /^\s*(\d{1,8})\s*:\s*(\d{1,8})(?:\.(\d{1,2}))?\s*$/.exec(parte) ?? [];
    const precio = { creditos: Number(creditos), centavos: Number(pesos) * 100 + Number(centavos.padEnd(2, '0')) };
    if (creditos === '' || precio.creditos < 1 || precio.creditos > MAX_CREDITOS) return null;
    if (precio.centavos > MAX_CENTAVOS || precios.some((otro) => otro.creditos === precio.creditos)) return null;
    precios.push(precio);
  }
  return precios;
}

const PESOS_CLABE = [3, 7, 1] as const;

/** Whether a CLABE has 18 digits and its check digit: weights 3, 7, 1 modulo 10 (Banco de México, rules of SPEI). */
export function isClabe(texto: string): boolean {
  if (!/^\d{18}$/.test(texto)) return false;
  const suma = [...texto.slice(0, 17)].reduce(
    (total, cifra, lugar) => total + ((Number(cifra) * (PESOS_CLABE[lugar % 3] ?? 0)) % 10),
    0,
  );
  return (10 - (suma % 10)) % 10 === Number(texto[17]);
}
