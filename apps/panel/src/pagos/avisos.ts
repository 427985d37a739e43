import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { PanelDeps } from '../deps.ts';

const MAX_AVISO = 262_144;

const text = (c: Context, status: 200 | 400 | 413 | 503, body: string) =>
  c.text(body, status, { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });

/**
 * `POST /avisos-pago/:proveedor`: notifications of payment providers. To be mounted before the panel's sessions and its
 * check of forms: here the provider's signature is the only proof. 200 for whatever need not come again, 400 for what
 * is not the provider's, 503 for "again, later".
 */
export function createAvisosPago({ checkout, log }: Pick<PanelDeps, 'checkout' | 'log'>): Hono {
  const app = new Hono();
  const limit = bodyLimit({ maxSize: MAX_AVISO, onError: (c) => text(c, 413, 'demasiado largo') });
  app.post('/avisos-pago/:proveedor', limit, async (c) => {
    try {
      const efecto = await checkout.receive(c.req.param('proveedor'), {
        via: 'aviso',
        headers: c.req.raw.headers,
        cuerpo: new Uint8Array(await c.req.arrayBuffer()),
        consulta: new URL(c.req.url).searchParams,
      });
      return efecto === 'FALSO' ? text(c, 400, 'aviso sin validez') : text(c, 200, 'recibido');
    } catch (err) {
      log.warn({ err }, 'payment_notification_failed');
      return text(c, 503, 'intente más tarde');
    }
  });
  return app;
}
