import { Hono } from 'hono';
import { z } from 'zod';
import type { Aperturas } from '../buzon/aperturas.ts';
import { MAGIAS } from '../world/magia/catalogo.ts';
import { settingsSchema } from '../world/settings.ts';
import type { World } from '../world/world.ts';
import { mountCfdi } from './cfdi.ts';
import { mountContribuyentes } from './contribuyentes.ts';
import { mountEfirma } from './efirma.ts';
import { mountFallas } from './fallas.ts';
import { mountListas } from './listas.ts';
import { ControlError, parseBody } from './request-body.ts';

const relojSchema = z.union([
  z.strictObject({ avanzar_segundos: z.number() }),
  z.strictObject({ fijar: z.iso.datetime({ offset: true }).nullable() }),
]);

/** The control API: moves the clock, injects faults, reads calls, sets taxpayers, issues e.firmas. */
export function createControl(world: World, aperturas: Aperturas): Hono {
  const app = new Hono();
  app.onError((error, c) => {
    if (error instanceof ControlError) return c.json({ error: error.message }, error.status);
    return c.json({ error: `Falla interna del simulador: ${error.message}` }, 500);
  });

  const reloj = () => ({ ahora: world.clock.now().toISOString() });
  app.get('/reloj', (c) => c.json(reloj()));
  app.post('/reloj', async (c) => {
    const change = await parseBody(c, relojSchema);
    if ('fijar' in change) world.clock.set(change.fijar === null ? null : new Date(change.fijar));
    else world.clock.advance(change.avanzar_segundos * 1000);
    return c.json(reloj());
  });

  app.get('/ajustes', (c) => c.json(world.settings));
  app.put('/ajustes', async (c) => {
    const change = await parseBody(c, z.record(z.string(), z.unknown()));
    const result = z.strictObject(settingsSchema.shape).safeParse({ ...world.settings, ...change });
    if (!result.success) throw new ControlError(400, z.prettifyError(result.error));
    Object.assign(world.settings, result.data);
    return c.json(world.settings);
  });

  app.get('/llamadas', (c) => {
    const { servicio: service, operacion: operation, rfc } = c.req.query();
    const llamadas = world.log.list({
      ...(service && { service }),
      ...(operation && { operation }),
      ...(rfc && { rfc }),
    });
    return c.json({ total: llamadas.length, llamadas });
  });
  app.delete('/llamadas', (c) => {
    world.log.clear();
    return c.json({ total: 0, llamadas: [] });
  });

  app.get('/magia', (c) =>
    c.json(
      MAGIAS.map(({ clave, moral, fisica, efecto, respuesta }) => ({
        clave,
        moral,
        fisica,
        efecto,
        respuesta,
      })),
    ),
  );
  app.get('/ca.pem', (c) => c.text(world.pki.caPem, 200, { 'content-type': 'application/x-pem-file' }));
  mountFallas(app, world);
  mountCfdi(app, world);
  mountContribuyentes(app, world, aperturas);
  mountEfirma(app, world);
  mountListas(app, world);
  return app;
}
