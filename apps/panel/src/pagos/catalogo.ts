import type { Precio } from '@acuse/settings/panel';
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
