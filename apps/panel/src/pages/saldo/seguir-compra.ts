import { quien } from '../../http/quien.ts';
import { defineRutaCompra, hrefCompra } from './ruta-compra.ts';

/** Gives a pending purchase up. */
export const cancelarCompra = defineRutaCompra({
  metodo: 'POST',
  sub: '/cancelar',
  async handle(contexto, pago) {
    const { deps, redirigir } = contexto;
    const isDone = await deps.checkout.cancelar(pago, quien(contexto));
    return redirigir(
      hrefCompra(pago),
      isDone
        ? { tono: 'exito', texto: 'La compra se canceló. No se cobró nada.' }
        : {
            tono: 'info',
            texto:
              'La compra no se canceló: ya había terminado, o la forma de pago no lo permitió. Abajo está su estado.',
          },
    );
  },
});

/** Begins a pending purchase again, after its provider did not answer. */
export const continuarCompra = defineRutaCompra({
  metodo: 'POST',
  sub: '/continuar',
  async handle(contexto, pago) {
    await contexto.deps.checkout.continuar(pago, quien(contexto));
    return contexto.redirigir(hrefCompra(pago));
  },
});

/**
 * Where a provider sends the buyer's browser back. What it carries is only believed as far as the provider confirms it.
 */
export const regreso = defineRutaCompra({
  metodo: 'GET',
  sub: '/regreso',
  async handle({ c, deps, redirigir }, pago) {
    const aviso = {
      via: 'regreso' as const,
      headers: c.req.raw.headers,
      cuerpo: new Uint8Array(),
      consulta: new URL(c.req.url).searchParams,
    };
    await deps.checkout.recibir(pago.proveedor, aviso).catch((error: unknown) => {
      const err = error instanceof Error ? error : new Error(String(error));
      deps.log.warn({ err, pago: pago.id }, 'the provider could not be asked about a payment');
    });
    return redirigir(hrefCompra(pago));
  },
});
