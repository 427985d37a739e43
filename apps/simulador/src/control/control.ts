import { Hono } from 'hono';
import { z } from 'zod';
import type { Aperturas } from '../buzon/llegadas.ts';
import { putSettings } from '../web/http.ts';
import { FAULT_KINDS, type FaultRule } from '../world/faults.ts';
import { MAGIAS } from '../world/magia/catalogo.ts';
import { settingsSchema } from '../world/settings.ts';
import type { World } from '../world/world.ts';
import { mountListas } from './listas.ts';
import { ControlError, parseBody } from './request-body.ts';
import { mountCfdi, mountContribuyentes, mountEfirma } from './taxpayers.ts';

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
  app.put('/ajustes', (c) => putSettings(c, settingsSchema, world.settings));

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
    c.json(MAGIAS.map(({ clave, moral, fisica, efecto, respuesta }) => ({ clave, moral, fisica, efecto, respuesta }))),
  );
  app.get('/ca.pem', (c) => c.text(world.pki.caPem, 200, { 'content-type': 'application/x-pem-file' }));
  mountFallas(app, world);
  mountCfdi(app, world);
  mountContribuyentes(app, world, aperturas);
  mountEfirma(app, world);
  mountListas(app, world);
  return app;
}

const fallaSchema = z.strictObject({
  servicio: z.string(),
  operacion: z.string().optional(),
  rfc: z.string().optional(),
  tipo: z.enum(FAULT_KINDS),
  veces: z.int().min(1).optional(),
  despues_de: z.int().min(0).optional(),
  ms: z.int().min(0).optional(),
  status: z.int().min(400).max(599).optional(),
  codigo: z.int().optional(),
  estado: z.int().min(0).max(6).optional(),
  codigo_estado: z.int().optional(),
  mensaje: z.string().optional(),
});

/** GET, POST and DELETE /fallas, DELETE /fallas/:id. */
function mountFallas(app: Hono, world: World): void {
  const all = () => ({ fallas: world.faults.list().map(show) });
  app.get('/fallas', (c) => c.json(all()));
  app.post('/fallas', async (c) => {
    const { servicio, operacion, tipo, veces, despues_de, codigo, codigo_estado, ...same } = await parseBody(
      c,
      fallaSchema,
    );
    const rule = world.faults.add({
      ...same,
      service: servicio,
      operation: operacion,
      kind: tipo,
      times: veces,
      after: despues_de,
      code: codigo,
      codigoEstado: codigo_estado,
    });
    return c.json(show(rule), 201);
  });
  app.delete('/fallas', (c) => {
    world.faults.remove();
    return c.json(all());
  });
  app.delete('/fallas/:id', (c) => {
    if (!world.faults.remove(c.req.param('id'))) throw new ControlError(404, 'No hay una falla con ese id.');
    return c.json(all());
  });
}

function show({ service, operation, kind, times, after, code, codigoEstado, seen, taken, ...same }: FaultRule) {
  return {
    ...same,
    servicio: service,
    operacion: operation,
    tipo: kind,
    veces: times,
    despues_de: after,
    codigo: code,
    codigo_estado: codigoEstado,
    vistas: seen,
    aplicadas: taken,
  };
}
