import type { Hono } from 'hono';
import { z } from 'zod';
import { FAULT_KINDS, type FaultRule } from '../world/faults/faults.ts';
import type { World } from '../world/world.ts';
import { ControlError, parseBody } from './request-body.ts';

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
export function mountFallas(app: Hono, world: World): void {
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
