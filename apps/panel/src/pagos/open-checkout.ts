import { createPagos, type Database } from '@acuse/db';
import { type Logger, uuidV7 } from '@acuse/runtime';
import type { AjustesPagos } from './ajustes.ts';
import { createCatalogo } from './catalogo.ts';
import { type Checkout, createCheckout } from './checkout.ts';
import { createDemostracion } from './demostracion.ts';
import type { ProveedorPago } from './proveedor.ts';
import { newReferencia } from './referencia.ts';
import { createTransferencia } from './transferencia.ts';

/** The ways to pay that the settings switch on. A real provider is added here. */
function proveedoresOf(ajustes: AjustesPagos): readonly ProveedorPago[] {
  const {
    PAGOS_TRANSFERENCIA_BANCO: banco,
    PAGOS_TRANSFERENCIA_TITULAR: titular,
    PAGOS_TRANSFERENCIA_CLABE: clabe,
  } = ajustes;
  return [
    ...(ajustes.PAGOS_DEMOSTRACION ? [createDemostracion()] : []),
    ...(banco && titular && clabe ? [createTransferencia({ banco, titular, clabe })] : []),
  ];
}

/** The sale of credits as the settings want it. */
export function openCheckout(ajustes: AjustesPagos, database: Pick<Database, 'pool'>, log: Logger): Checkout {
  return createCheckout({
    pagos: createPagos(database),
    catalogo: createCatalogo(ajustes.PAGOS_PAQUETES, ajustes.PAGOS_IVA),
    proveedores: proveedoresOf(ajustes),
    newId: uuidV7,
    newReferencia,
    log,
  });
}
