import type { Hono } from 'hono';
import { z } from 'zod';
import type { Aperturas } from '../buzon/aperturas.ts';
import { cambioPerfilSchema } from '../world/taxpayers/perfil.ts';
import { isRfc } from '../world/taxpayers/rfc.ts';
import type { Filas } from '../world/taxpayers/schedule.ts';
import { formatWallTime, parseWallTime } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { ControlError, parseBody } from './request-body.ts';

const dia = z.iso.date().transform((text, context) => {
  const time = parseWallTime(text);
  if (time !== null) return time;
  context.addIssue({ code: 'custom', message: 'no es un día del calendario' });
  return z.NEVER;
});

const filasSchema = z
  .strictObject({
    documento: z.enum(['cfdi', 'retenciones']).default('cfdi'),
    tipo: z.enum(['emitidos', 'recibidos']),
    desde: dia,
    hasta: dia,
    cantidad: z.int().min(0).max(50_000_000),
  })
  .refine(({ desde, hasta }) => desde <= hasta, 'desde es posterior a hasta');

const cambioSchema = z.strictObject({
  nombre: z.string().optional(),
  ciec: z.string().min(1).optional(),
  filas: z.array(filasSchema).nullable().optional(),
  basura: z.boolean().nullable().optional(),
  perfil: cambioPerfilSchema.optional(),
});

/** GET and PUT /contribuyentes/:rfc. */
export function mountContribuyentes(app: Hono, world: World, aperturas: Aperturas): void {
  app.get('/contribuyentes/:rfc', (c) => c.json(show(world, aperturas, readRfc(c.req.param('rfc')))));
  app.put('/contribuyentes/:rfc', async (c) => {
    const rfc = readRfc(c.req.param('rfc'));
    const { nombre, ciec, filas, basura, perfil } = await parseBody(c, cambioSchema);
    if (filas) refuseOverlaps(filas);
    world.taxpayers.change(rfc, {
      ...(nombre !== undefined && { nombre }),
      ...(ciec !== undefined && { ciec }),
      ...(filas !== undefined && { filas }),
      ...(basura !== undefined && { basura }),
      ...(perfil !== undefined && { perfil }),
    });
    return c.json(show(world, aperturas, rfc));
  });
}

/** The RFC of an address; refuses what has not its form. */
export function readRfc(rfc: string): string {
  if (!isRfc(rfc)) throw new ControlError(400, `"${rfc}" no tiene la forma de un RFC.`);
  return rfc;
}

function refuseOverlaps(filas: readonly Filas[]): void {
  const overlaps = (a: Filas, b: Filas) =>
    a !== b && a.tipo === b.tipo && a.documento === b.documento && a.desde <= b.hasta && b.desde <= a.hasta;
  if (filas.some((a) => filas.some((b) => overlaps(a, b))))
    throw new ControlError(400, 'Los periodos de filas del mismo tipo no deben traslaparse.');
}

function show(world: World, aperturas: Aperturas, rfc: string) {
  const { tipoPersona, filas, ...same } = world.taxpayers.taxpayer(rfc);
  return {
    ...same,
    tipo_persona: tipoPersona,
    filas:
      filas?.map(({ desde, hasta, ...some }) => ({
        ...some,
        desde: formatWallTime(desde).slice(0, 10),
        hasta: formatWallTime(hasta).slice(0, 10),
      })) ?? null,
    perfil: world.taxpayers.profile(rfc),
    notificaciones_abiertas: aperturas.notificaciones(rfc),
    comunicados_leidos: aperturas.comunicados(rfc),
  };
}
