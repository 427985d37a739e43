import { Hono } from 'hono';
import { z } from 'zod';
import { portalSettingsSchema } from './portal-settings.ts';
import type { PortalState } from './portal-state.ts';

const captchaBody = z.object({ imagen: z.string().min(1) });

/**
 * What tests and the development resolver may ask for beside the SAT's own pages: the answer to a captcha that was
 * shown, the portal's settings, and how many sessions are open.
 */
export function createPortalControl(state: PortalState): Hono {
  return new Hono()
    .post('/captcha', async (c) => {
      const body = captchaBody.safeParse(await c.req.json().catch(() => null));
      if (!body.success) return c.json({ error: 'Falta "imagen": la imagen del captcha en base64.' }, 400);
      const base64 = body.data.imagen.replace(/^data:[^,]*,/, '');
      const respuesta = state.captchas.solve(Buffer.from(base64, 'base64'));
      return respuesta === null
        ? c.json({ error: 'Esa imagen no salió de este simulador o ya se olvidó; pida otra página.' }, 404)
        : c.json({ respuesta });
    })
    .get('/ajustes', (c) => c.json(state.settings))
    .put('/ajustes', async (c) => {
      const change = z.record(z.string(), z.unknown()).safeParse(await c.req.json().catch(() => null));
      if (!change.success)
        return c.json({ error: 'El cuerpo debe ser un objeto JSON con los ajustes a cambiar.' }, 400);
      const merged = { ...state.settings, ...change.data };
      const body = portalSettingsSchema.strict().safeParse(merged);
      if (!body.success) return c.json({ error: z.prettifyError(body.error) }, 400);
      return c.json(Object.assign(state.settings, body.data));
    })
    .get('/sesiones', (c) => c.json({ cfdiau: state.idpSessions.count(), portalcfdi: state.portalSessions.count() }));
}
