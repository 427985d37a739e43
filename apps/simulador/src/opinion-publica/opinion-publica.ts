import { Hono } from 'hono';
import { attend } from '../web/http.ts';
import { isRfc } from '../world/taxpayers/persona.ts';
import { DAY, formatWallTime, wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';

/**
 * A source of public opinions, mounted at `/opinion-publica`. It stands for no known address of the SAT: an operator's
 * own source may look like this. `GET ?rfc=` answers the opinion of today's midnight in central Mexico when the
 * taxpayer publishes it, else 404; 400 for an invalid RFC.
 */
export function createOpinionPublica(world: World): Hono {
  return new Hono().get('/', (c) => {
    const rfc = (c.req.query('rfc') ?? '').trim().toUpperCase();
    return attend(world, { service: 'opinion-publica', operation: 'Consulta', rfc }, () => {
      if (!isRfc(rfc)) return c.json({ error: 'Falta "rfc", o no tiene la forma de un RFC.' }, 400);
      const { sentido, autorizaPublicacion } = world.taxpayers.profile(rfc).opinion;
      if (!autorizaPublicacion) return c.json({ rfc, publicada: false }, 404);
      const today = Math.floor(wallTimeOf(world.clock.now()) / DAY) * DAY;
      return c.json({ rfc, opinion: sentido, fecha_publicacion: `${formatWallTime(today, 'T')}-06:00` });
    });
  });
}
