import { formatPesos } from './catalogo.ts';
import type { ProveedorPago } from './proveedor.ts';

/** Credits at once and takes no money, and says so: for trying the product, not for selling. */
export function createDemostracion(): ProveedorPago {
  return {
    id: 'demostracion',
    nombre: 'Demostración',
    descripcion: 'Abona los créditos al momento, sin cobrar nada.',
    advertencia: 'Es una compra de demostración: no se cobra dinero y los créditos se abonan al momento.',
    createCharge: async () => ({ tipo: 'PAGADO', proveedorRef: null }),
    // One that is still pending was interrupted: there is nothing to pay, only to go on.
    instrucciones: async () => null,
    // Nobody may credit an account by a message from outside.
    confirmar: async () => ({ tipo: 'FALSO' }),
    cancel: async () => 'CANCELADO',
  };
}

interface CuentaBancaria {
  readonly banco: string;
  readonly titular: string;
  /** 18 digits. */
  readonly clabe: string;
}

/** A bank transfer (SPEI). It waits until the operator sees it in the bank's statement and confirms it. */
export function createTransferencia(cuenta: CuentaBancaria): ProveedorPago {
  return {
    id: 'transferencia',
    nombre: 'Transferencia bancaria (SPEI)',
    descripcion: 'Los créditos se abonan cuando el operador confirma que llegó su transferencia.',
    createCharge: async () => ({ tipo: 'ESPERA', proveedorRef: null }),
    instrucciones: async (pago) => ({
      texto: 'Haga la transferencia por el importe exacto y escriba la referencia en el concepto del pago.',
      datos: [
        { label: 'Importe', value: formatPesos(pago.total) },
        { label: 'Referencia (concepto)', value: pago.referencia, copiable: true },
        { label: 'CLABE', value: cuenta.clabe, copiable: true },
        { label: 'Banco', value: cuenta.banco },
        { label: 'Titular', value: cuenta.titular },
      ],
    }),
    // Only the operator confirms a transfer.
    confirmar: async () => ({ tipo: 'FALSO' }),
    cancel: async () => 'CANCELADO',
  };
}
