import type { ProveedorPago } from './proveedor.ts';

/**
 * Credits at once and takes no money, and says so. For trying the product; an installation that sells switches it off.
 */
export function createDemostracion(): ProveedorPago {
  return {
    id: 'demostracion',
    nombre: 'Demostración',
    descripcion: 'Abona los créditos al momento, sin cobrar nada.',
    advertencia: 'Es una compra de demostración: no se cobra dinero y los créditos se abonan al momento.',
    crear: async () => ({ tipo: 'PAGADO', proveedorRef: null }),
    // One that is still pending was interrupted: there is nothing to pay, only to go on.
    instrucciones: async () => null,
    // Nobody may credit an account by a message from outside.
    confirmar: async () => ({ tipo: 'FALSO' }),
    cancelar: async () => 'CANCELADO',
  };
}
