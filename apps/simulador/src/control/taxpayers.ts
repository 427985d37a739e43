import type { Hono } from 'hono';
import { z } from 'zod';
import type { Aperturas } from '../buzon/llegadas.ts';
import { totalForms } from '../consultaqr/consultaqr.ts';
import { magiaDe } from '../world/magia.ts';
import { take } from '../world/take.ts';
import { cambioPerfilSchema } from '../world/taxpayers/perfil.ts';
import { isRfc } from '../world/taxpayers/persona.ts';
import type { Filas } from '../world/taxpayers/schedule.ts';
import { DAY, formatWallTime, wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { ControlError, dia, parseBody } from './request-body.ts';

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
function readRfc(rfc: string): string {
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

const querySchema = z.strictObject({
  tipo: z.enum(['emitidos', 'recibidos']).default('recibidos'),
  documento: z.enum(['cfdi', 'retenciones']).default('cfdi'),
  /** Days, both inside; default the thirty days up to the clock's today. */
  desde: dia.optional(),
  hasta: dia.optional(),
  limite: z.coerce.number().int().min(1).max(1000).default(10),
  /** How many are left out before the first: the next page begins where the one before ended. */
  omitir: z.coerce.number().int().min(0).default(0),
});

const cancelarSchema = z.strictObject({ uuid: z.string() });

/**
 * GET /contribuyentes/:rfc/cfdi: a page of a taxpayer's CFDI or retenciones, newest last, with all that a query needs
 * to name one. POST /contribuyentes/:rfc/cfdi/cancelar cancels one, as its issuer would months later.
 */
export function mountCfdi(app: Hono, world: World): void {
  app.get('/contribuyentes/:rfc/cfdi', (c) => {
    const rfc = readRfc(c.req.param('rfc'));
    const query = querySchema.safeParse(c.req.query());
    if (!query.success) throw new ControlError(400, z.prettifyError(query.error));
    const { tipo, documento, desde, hasta, limite, omitir } = query.data;
    const today = Math.floor(wallTimeOf(world.clock.now()) / DAY) * DAY;
    const inicio = desde ?? today - 30 * DAY;
    const fin = (hasta ?? today) + DAY - 1;
    const cfdi = take(world.taxpayers.rows(rfc, tipo, inicio, fin, { documento, skip: omitir }), limite).map((row) => {
      const { emision: _, ...shown } = row;
      const [total] = totalForms(row.monto);
      const expresion = `?re=${amp(row.rfcEmisor)}&rr=${amp(row.rfcReceptor)}&tt=${total}&id=${row.uuid}&fe=${world.cfdis.selloOf(row, documento).slice(-8)}`;
      return { ...shown, total: Number(row.monto), expresion };
    });
    return c.json({ total: world.taxpayers.count(rfc, tipo, inicio, fin, { documento }), cfdi });
  });
  mountCancelar(app, world);
}

function mountCancelar(app: Hono, world: World): void {
  app.post('/contribuyentes/:rfc/cfdi/cancelar', async (c) => {
    const rfc = readRfc(c.req.param('rfc'));
    const { uuid } = await parseBody(c, cancelarSchema);
    const find = () => world.taxpayers.find(rfc, 'recibidos', uuid) ?? world.taxpayers.find(rfc, 'emitidos', uuid);
    const row = find();
    if (row === null) throw new ControlError(404, `${rfc} no tiene un CFDI con ese folio fiscal.`);
    world.taxpayers.cancel(row);
    const { estatus, fechaCancelacion } = find() ?? row;
    return c.json({ uuid: row.uuid, estatus, fechaCancelacion });
  });
}

function amp(rfc: string): string {
  return rfc.replaceAll('&', '&amp;');
}

const DAY_MS = DAY * 1000;
const FOUR_YEARS = 4 * 365.25 * DAY_MS;

const efirmaSchema = z.strictObject({
  rfc: z.string().refine(isRfc, 'no tiene la forma de un RFC'),
  nombre: z.string().optional(),
  password: z.string().min(1).default('12345678a'),
  /** Last instant of validity; default four years from the clock's now. A past one gives an expired certificate. */
  vence: z.union([z.iso.datetime({ offset: true }), z.iso.date()]).optional(),
  csd: z.boolean().default(false),
});

/** POST /efirma issues an e.firma (or a CSD); POST /efirma/revocar revokes one by its number. */
export function mountEfirma(app: Hono, world: World): void {
  app.post('/efirma', async (c) => {
    const { rfc, nombre, password, vence, csd } = await parseBody(c, efirmaSchema);
    const now = world.clock.now();
    const magia = magiaDe(rfc)?.efirma;
    const usual = new Date(now.getTime() + (magia === 'vencida' ? -DAY_MS : FOUR_YEARS));
    const hasta = vence === undefined ? usual : new Date(vence);
    const desde = new Date(Math.min(now.getTime() - DAY_MS, hasta.getTime() - FOUR_YEARS));
    const { cer, key, numero } = await world.pki.issue({
      rfc,
      nombre: nombre ?? world.taxpayers.taxpayer(rfc).nombre,
      password,
      desde,
      vence: hasta,
      csd,
      curp: world.taxpayers.profile(rfc).curp ?? undefined,
    });
    if (magia === 'revocada') world.pki.revoke(numero);
    return c.json({ cer: cer.toString('base64'), key: key.toString('base64'), password, numero }, 201);
  });
  app.post('/efirma/revocar', async (c) => {
    const { numero } = await parseBody(c, z.strictObject({ numero: z.string() }));
    if ((await world.pki.find(numero)) === null)
      throw new ControlError(404, 'El simulador no ha emitido un certificado con ese número.');
    world.pki.revoke(numero);
    return c.json({ numero, revocado: true });
  });
}
