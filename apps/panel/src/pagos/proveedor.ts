import type { Pago } from '@acuse/db';

/** Something a buyer has to know or copy in order to pay: a label and its value. */
interface DatoPago {
  readonly label: string;
  readonly value: string;
  /** Offered with a button that copies it. */
  readonly copiable?: boolean;
}

/** What a buyer does while a payment is pending. */
export interface Instrucciones {
  readonly texto: string;
  readonly datos: readonly DatoPago[];
  /** The provider's own page, where it has one. An absolute https address. */
  readonly enlace?: { readonly href: string; readonly texto: string };
}

/** How a payment began: paid already, or it waits for the buyer. `proveedorRef` is its id at the provider. */
type Cobro =
  | { readonly tipo: 'PAGADO'; readonly proveedorRef: string | null }
  | { readonly tipo: 'ESPERA'; readonly proveedorRef: string | null };

/** What arrived from the provider: a notification (webhook), or the buyer's browser. Nothing is trusted yet. */
export interface AvisoProveedor {
  readonly via: 'aviso' | 'regreso';
  readonly headers: Headers;
  /** The body as it came, byte for byte, since signatures are over bytes. Empty on the way back. */
  readonly cuerpo: Uint8Array;
  readonly consulta: URLSearchParams;
}

/**
 * What an authenticated notification says. `PAGADO` carries what was really paid (centavos of MXN), which is compared
 * with the payment. `NADA`: genuine, but nothing is decided by it. `FALSO`: not from the provider, or altered.
 */
export type Confirmacion =
  | { readonly tipo: 'PAGADO'; readonly pagoId: string; readonly proveedorRef: string; readonly total: number }
  | { readonly tipo: 'NO_PAGADO'; readonly pagoId: string; readonly motivo: string }
  | { readonly tipo: 'NADA' }
  | { readonly tipo: 'FALSO' };

/**
 * A way to pay. A real provider is one file that makes one of these, and one line in `checkout.ts`.
 *
 * The payment is a row (`pago`) before the provider hears of it, and only `Checkout` changes that row: a provider says
 * what happened and never credits. Therefore each method may be called again after a crash, a timeout or a second
 * click, with the same payment:
 *
 * - `crear` asks the provider for a charge with `pago.id` as its idempotency key and answers the same charge when repeated.
 * - `instrucciones` says what the buyer does now; null when `crear` has to be called (again) first.
 * - `confirmar` authenticates what arrived before it reads it: the signature of a webhook (compared in constant time, over the raw
 *   bytes, with the provider's limit for its age), or, on the way back, an answer of the provider's API. A query that a browser carries proves
 *   nothing. Providers repeat notifications and send them out of order; `Checkout` credits a payment once.
 * - `cancelar` gives the charge up at the provider. It answers `YA_PAGADO` when it was too late: the payment then stays pending until the
 *   notification arrives.
 *
 * A method that rejects (the provider does not answer) leaves the payment pending; the buyer is told, and may try
 * again. Notifications come to `POST /avisos-pago/<id>`, the buyer comes back to `GET
 * /saldo/compras/<payment>/regreso`.
 */
export interface ProveedorPago {
  /** Kept in the payment's row and in addresses: lower-case letters, digits and hyphens. Never changes. */
  readonly id: string;
  /** In the list of ways to pay. */
  readonly nombre: string;
  readonly descripcion: string;
  /** Shown as a warning wherever the way to pay is chosen or its result is shown. */
  readonly advertencia?: string;
  createCharge(pago: Pago): Promise<Cobro>;
  instrucciones(pago: Pago): Promise<Instrucciones | null>;
  confirmar(aviso: AvisoProveedor): Promise<Confirmacion>;
  cancel(pago: Pago): Promise<'CANCELADO' | 'YA_PAGADO'>;
}
