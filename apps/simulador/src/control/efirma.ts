import type { Hono } from 'hono';
import { z } from 'zod';
import { magiaDe } from '../world/magia.ts';
import { isRfc } from '../world/taxpayers/rfc.ts';
import type { World } from '../world/world.ts';
import { ControlError, parseBody } from './request-body.ts';

const FOUR_YEARS = 4 * 365.25 * 86_400_000;
const DAY = 86_400_000;

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
    const usual = new Date(now.getTime() + (magia === 'vencida' ? -DAY : FOUR_YEARS));
    const hasta = vence === undefined ? usual : new Date(vence);
    const desde = new Date(Math.min(now.getTime() - DAY, hasta.getTime() - FOUR_YEARS));
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
