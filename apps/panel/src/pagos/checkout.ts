import { randomInt } from 'node:crypto';
import type { Autor } from '@acuse/core';
import { createPagos, isUuid, type Pago, type Pagos, type Records } from '@acuse/db';
import { type Logger, uuidV7 } from '@acuse/runtime';
import type { PanelConfig } from '@acuse/settings/panel';
import { type Catalogo, createCatalogo } from './catalogo.ts';
import type { AvisoProveedor, Confirmacion, Instrucciones, ProveedorPago } from './proveedor.ts';
import { createDemostracion, createTransferencia } from './transferencia.ts';

/** Payments of one account that may wait at once. */
const MAX_PENDIENTES = 10;

export interface Compra extends Autor {
  readonly cuentaId: string;
  readonly usuarioId: string;
  /** Of the form (a UUID): sent twice, it is one purchase. */
  readonly clave: string;
  readonly creditos: number;
  readonly proveedor: string;
  /** The total that the buyer saw, centavos. */
  readonly total: number;
}

export type MotivoCompra = 'PAQUETE_DESCONOCIDO' | 'PROVEEDOR_DESCONOCIDO' | 'PRECIO_CAMBIADO' | 'MUCHOS_PENDIENTES';

/** What a notification did. `DIFERENTE`: genuine, but another amount or payment, or too late: audited, not credited. */
type EfectoAviso = 'ACREDITADO' | 'CERRADO' | 'NADA' | 'DIFERENTE' | 'FALSO';

interface CheckoutDeps {
  readonly pagos: Pagos;
  readonly catalogo: Catalogo;
  readonly proveedores: readonly ProveedorPago[];
  readonly log: Logger;
}

/** The sale of credits: the only place where payments change, whichever way they are paid. */
export function createCheckout({ pagos, catalogo, proveedores, log }: CheckoutDeps) {
  const byId = new Map(proveedores.map((proveedor) => [proveedor.id, proveedor]));

  /** Asks the provider to begin, or begin again. What it does not answer stays pending. */
  async function begin(pago: Pago, { actor, ip }: Autor): Promise<Pago> {
    const proveedor = byId.get(pago.proveedor);
    if (!proveedor || pago.estado !== 'PENDIENTE') return pago;
    try {
      const { tipo, proveedorRef } = await proveedor.createCharge(pago);
      if (tipo === 'PAGADO')
        await pagos.confirmar({ id: pago.id, actor, ip, ...(proveedorRef === null ? {} : { proveedorRef }) });
      else if (proveedorRef !== null) await pagos.setProveedorRef(pago.id, proveedorRef);
    } catch (err) {
      log.warn({ err, pago: pago.id }, 'payment_not_begun');
    }
    return (await pagos.findAny(pago.id)) ?? pago;
  }

  async function apply(proveedor: ProveedorPago, confirmacion: Confirmacion): Promise<EfectoAviso> {
    if (confirmacion.tipo === 'FALSO' || confirmacion.tipo === 'NADA') return confirmacion.tipo;
    const pago = isUuid(confirmacion.pagoId) ? await pagos.findAny(confirmacion.pagoId) : null;
    if (pago?.proveedor !== proveedor.id) return 'NADA';
    // Its notification comes from whatever machine it has, and says nothing of who it is.
    const autor = { actor: `proveedor:${proveedor.id}`, ip: null };
    if (confirmacion.tipo === 'NO_PAGADO') {
      const { resultado } = await pagos.refuse({ id: pago.id, ...autor, motivo: confirmacion.motivo });
      return resultado === 'HECHO' || resultado === 'REPETIDO' ? 'CERRADO' : 'NADA';
    }
    const { total, proveedorRef } = confirmacion;
    if (total !== pago.total) return differ(pago, autor, `se pagaron ${total} centavos`);
    const resolucion = await pagos.confirmar({ id: pago.id, ...autor, proveedorRef });
    switch (resolucion.resultado) {
      case 'HECHO':
        return 'ACREDITADO';
      case 'REPETIDO':
        if (resolucion.pago.proveedorRef === proveedorRef) return 'ACREDITADO';
        return differ(pago, autor, 'otro cobro de un pago que ya se acreditó');
      case 'REFERENCIA_USADA':
        return differ(pago, autor, 'cobro de otro pago');
      default:
        return differ(pago, autor, 'el pago ya había terminado');
    }
  }

  async function differ(pago: Pago, autor: Autor, motivo: string): Promise<EfectoAviso> {
    log.warn({ pago: pago.id, motivo }, 'payment_not_credited');
    await pagos.noteUncredited(pago, autor, motivo);
    return 'DIFERENTE';
  }

  return {
    catalogo,
    proveedores,

    /** Makes the payment of a confirmed form and begins it. The same form again continues what it made. */
    async buy(compra: Compra): Promise<Pago | MotivoCompra> {
      const paquete = catalogo.paquetes.find(({ creditos }) => creditos === compra.creditos);
      if (!paquete) return 'PAQUETE_DESCONOCIDO';
      if (!byId.has(compra.proveedor)) return 'PROVEEDOR_DESCONOCIDO';
      if (paquete.total !== compra.total) return 'PRECIO_CAMBIADO';
      const pago = await pagos.create(
        { ...paquete, ...compra, id: uuidV7(), referencia: newReferencia() },
        MAX_PENDIENTES,
      );
      return pago === null ? 'MUCHOS_PENDIENTES' : begin(pago, compra);
    },

    /** Begins a pending payment again, after its provider did not answer. */
    continuar: (pago: Pago, autor: Autor) => begin(pago, autor),

    /** Gives a pending payment up, at its provider first. False: it was too late, or the provider does not answer. */
    async cancel(pago: Pago, { actor, ip }: Autor): Promise<boolean> {
      if (pago.estado !== 'PENDIENTE') return false;
      try {
        if ((await byId.get(pago.proveedor)?.cancel(pago)) === 'YA_PAGADO') return false;
      } catch (err) {
        log.warn({ err, pago: pago.id }, 'payment_not_cancelled');
        return false;
      }
      const { cuentaId, id } = pago;
      return (await pagos.cancel({ cuentaId, id, actor, ip })).resultado === 'HECHO';
    },

    /** What to do for a pending payment. `SIN_EMPEZAR`: continue it; `SIN_RESPUESTA`: its provider is off or silent. */
    async instrucciones(pago: Pago): Promise<Instrucciones | 'SIN_EMPEZAR' | 'SIN_RESPUESTA'> {
      const proveedor = byId.get(pago.proveedor);
      if (!proveedor) return 'SIN_RESPUESTA';
      try {
        return (await proveedor.instrucciones(pago)) ?? 'SIN_EMPEZAR';
      } catch (err) {
        log.warn({ err, pago: pago.id }, 'payment_instructions_missing');
        return 'SIN_RESPUESTA';
      }
    },

    /** Takes a notification or a return. Rejects when the provider could not be asked: it has to come again. */
    async receive(proveedorId: string, aviso: AvisoProveedor): Promise<EfectoAviso> {
      const proveedor = byId.get(proveedorId);
      return proveedor ? apply(proveedor, await proveedor.confirmar(aviso)) : 'FALSO';
    },
  };
}

export type Checkout = ReturnType<typeof createCheckout>;

/** The ways to pay that the settings switch on. A real provider is added here. */
function proveedoresOf(ajustes: PanelConfig): readonly ProveedorPago[] {
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
export function openCheckout(ajustes: PanelConfig, database: Records, log: Logger): Checkout {
  return createCheckout({
    pagos: createPagos(database),
    catalogo: createCatalogo(ajustes.PAGOS_PAQUETES, ajustes.PAGOS_IVA),
    proveedores: proveedoresOf(ajustes),
    log,
  });
}

/** No 0, 1, I, L, O, U: read aloud or typed from a bank's statement, none is taken for another. */
const LETRAS = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const LARGO = 10;

/** A new reference, `AC` and ten letters or digits: it fits into the concept of a SPEI and is found in a statement. */
export function newReferencia(): string {
  return `AC${Array.from({ length: LARGO }, () => LETRAS[randomInt(LETRAS.length)]).join('')}`;
}
