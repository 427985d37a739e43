/** A number of credits that is sold together. Amounts in centavos of MXN. */
export interface PaqueteCreditos {
  readonly creditos: number;
  readonly subtotal: number;
  readonly iva: number;
  readonly total: number;
}

/** What is sold, smallest first. */
export interface Catalogo {
  readonly paquetes: readonly PaqueteCreditos[];
  /** Percent. */
  readonly iva: number;
}

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

/** Adds the IVA (percent) to each price, rounded to the centavo, halves up. */
export function createCatalogo(precios: readonly Precio[], iva: number): Catalogo {
  const paquetes = precios
    .map(({ creditos, centavos }) => {
      // Ten-thousandths of the rate, so that the product is a whole number and its half is not lost in binary
      // fractions.
      const impuesto = Math.floor((centavos * Math.round(iva * 100) + 5_000) / 10_000);
      return { creditos, subtotal: centavos, iva: impuesto, total: centavos + impuesto };
    })
    .sort((a, b) => a.creditos - b.creditos);
  return { paquetes, iva };
}

const PESOS = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });

/** `$1,032.40 MXN`, from centavos. */
export function formatPesos(centavos: number): string {
  return `${PESOS.format(centavos / 100)} MXN`;
}
