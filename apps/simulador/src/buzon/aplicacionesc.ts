import { Hono } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { createSeal } from '../portal/seal.ts';
import { formOf } from '../portal/web/form-body.ts';
import { htmlResponse } from '../portal/web/html.ts';
import type { ProviderSession } from '../sp/provider-session.ts';
import { isBuzonVacioFalso } from '../world/asked.ts';
import type { World } from '../world/world.ts';
import type { Aperturas } from './aperturas.ts';
import { comunicadosDe } from './comunicados.ts';
import { COMUNICADOS, comunicadosPage, UNFOLD } from './comunicados-page.ts';
import { createGateway } from './gateway.ts';

/**
 * The application of messages (`/aplicacionesc`) and the log-in host of its gateway (`/loginc`). Unfolding a message
 * makes it read; listing does not.
 */
export function createAplicacionesc(
  world: World,
  nidp: Nidp,
  aperturas: Aperturas,
): { aplicacionesc: Hono; loginc: Hono } {
  const { host, plogin, loginc } = createGateway(world, nidp, COMUNICADOS);
  const seal = createSeal();

  const show = (session: ProviderSession) => {
    const isEmpty = isBuzonVacioFalso(world, session, 'aplicacionesc');
    const comunicados = isEmpty ? [] : comunicadosDe(world, session.rfc, aperturas);
    return htmlResponse(comunicadosPage(comunicados, seal.close({ id: session.id })));
  };
  const read = ({ rfc }: ProviderSession, id: string) => {
    if (!comunicadosDe(world, rfc, aperturas).some((comunicado) => comunicado.id === id)) return;
    aperturas.leerComunicado(rfc, id);
    const at = world.clock.now();
    world.log.add({ service: 'aplicacionesc', operation: 'LeerComunicado', rfc, at, detail: { id } });
  };

  const aplicacionesc = new Hono()
    .get('/nesp/app/plogin', plogin)
    .get(COMUNICADOS, (c) => host.guard(c, { operation: 'Comunicados' }, show))
    .post(COMUNICADOS, async (c) => {
      const form = await formOf(c);
      return host.guard(c, { operation: 'PostComunicados' }, (session) => {
        if (form['__EVENTTARGET'] === UNFOLD) read(session, form['__EVENTARGUMENT'] ?? '');
        return show(session);
      });
    })
    .get('/WebComunicados/Documento.aspx', (c) =>
      host.guard(c, { operation: 'Documento' }, (session) => {
        read(session, c.req.query('id') ?? '');
        return htmlResponse('<html><body><p>Documento del comunicado.</p></body></html>');
      }),
    );
  return { aplicacionesc, loginc };
}
