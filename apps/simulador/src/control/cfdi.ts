import type { Hono } from 'hono';
import { z } from 'zod';
import { totalForms } from '../consultaqr/expresion.ts';
import { selloOf } from '../world/cfdi-xml.ts';
import { DAY, parseWallTime, wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { readRfc } from './contribuyentes.ts';
import { ControlError } from './request-body.ts';

const querySchema = z.strictObject({
  tipo: z.enum(['emitidos', 'recibidos']).default('recibidos'),
  documento: z.enum(['cfdi', 'retenciones']).default('cfdi'),
  /** Days, both inside; default the thirty days up to the clock's today. */
  desde: z.iso.date().optional(),
  hasta: z.iso.date().optional(),
  limite: z.coerce.number().int().min(1).max(1000).default(10),
});

/**
 * GET /contribuyentes/:rfc/cfdi: some of a taxpayer's CFDI or retenciones, newest last, with all that a query needs to
 * name one.
 */
export function mountCfdi(app: Hono, world: World): void {
  app.get('/contribuyentes/:rfc/cfdi', (c) => {
    const rfc = readRfc(c.req.param('rfc'));
    const query = querySchema.safeParse(c.req.query());
    if (!query.success) throw new ControlError(400, z.prettifyError(query.error));
    const { tipo, documento, desde, hasta, limite } = query.data;
    const today = Math.floor(wallTimeOf(world.clock.now()) / DAY) * DAY;
    const inicio = desde === undefined ? today - 30 * DAY : dayOf(desde);
    const fin = (hasta === undefined ? today : dayOf(hasta)) + DAY - 1;
    const cfdi = [];
    for (const row of world.taxpayers.rows(rfc, tipo, inicio, fin, { documento })) {
      if (cfdi.length === limite) break;
      const { emision: _, complemento, ...shown } = row;
      const [total] = totalForms(row.monto);
      cfdi.push({
        ...shown,
        complemento,
        total: Number(row.monto),
        expresion: `?re=${amp(row.rfcEmisor)}&rr=${amp(row.rfcReceptor)}&tt=${total}&id=${row.uuid}&fe=${selloOf(row.uuid).slice(-8)}`,
      });
    }
    return c.json({ total: world.taxpayers.count(rfc, tipo, inicio, fin, { documento }), cfdi });
  });
}

function dayOf(text: string): number {
  const time = parseWallTime(text);
  if (time === null) throw new ControlError(400, `"${text}" no es un día del calendario.`);
  return time;
}

function amp(rfc: string): string {
  return rfc.replaceAll('&', '&amp;');
}
