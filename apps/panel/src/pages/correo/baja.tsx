import { createClientIp } from '@acuse/runtime';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { Boton, Formulario } from '../../components/form.tsx';
import type { PanelDeps } from '../../deps.ts';
import { type ContextoBase, routesFor } from '../../http/ruta.ts';
import { EVENTOS } from '../webhooks/formulario.tsx';

const PATH = '/correos/baja/:token';

export const unsubscribePage = routesFor('publica');

/** Where the link leads that switches off what a mail was about. The link alone changes nothing: scanners follow it. */
unsubscribePage.get(PATH, async (contexto) => {
  const token = contexto.c.req.param('token') ?? '';
  const tipo = await contexto.deps.buzones.kindOf(token);
  if (tipo === null) return renderPerdido(contexto);
  return contexto.pagina(
    'Dejar de recibir un aviso',
    <>
      <p>Este aviso por correo: «{EVENTOS[tipo]}».</p>
      <Formulario accion={`/correos/baja/${token}/confirmar`}>
        <Boton>No recibirlo más</Boton>
      </Formulario>
    </>,
    { narrow: true },
  );
});

unsubscribePage.post(`${PATH}/confirmar`, async (contexto) => {
  const tipo = await contexto.deps.buzones.unsubscribe(contexto.c.req.param('token') ?? '', contexto.ip);
  if (tipo === null) return renderPerdido(contexto);
  return contexto.pagina(
    'Aviso apagado',
    <p>
      Ya no recibirá este aviso: «{EVENTOS[tipo]}». Puede encenderlo otra vez en{' '}
      <a href="/cuenta/correo">Avisos por correo</a>.
    </p>,
    { narrow: true },
  );
});

const renderPerdido = ({ pagina }: ContextoBase): Response =>
  pagina(
    'Enlace sin efecto',
    <p>
      El enlace está incompleto o es de un correo de hace meses. Entre y apague lo que no quiera en{' '}
      <a href="/cuenta/correo">Avisos por correo</a>.
    </p>,
    { status: 404, narrow: true },
  );

const MAX_BAJA = 1_024;
const NO_SOCKET = '0.0.0.0';

/**
 * `POST /correos/baja/:token`: a mail program unsubscribes with one request, without a session (RFC 8058). Mount it
 * before the panel's sessions and its check of forms: the token is the proof. The answer does not show whether the mail
 * exists.
 */
export function createBajas({ buzones, settings, log }: Pick<PanelDeps, 'buzones' | 'settings' | 'log'>): Hono {
  const app = new Hono<{
    Bindings: { readonly incoming?: { readonly socket: { readonly remoteAddress?: string } } };
  }>();
  const ipOf = createClientIp(settings.trustedProxies);
  const say = (c: Context, status: 200 | 413 | 503, body: string) =>
    c.text(body, status, { 'Cache-Control': 'no-store' });
  const limit = bodyLimit({ maxSize: MAX_BAJA, onError: (c) => say(c, 413, 'demasiado largo') });
  app.post(PATH, limit, async (c) => {
    const ip = ipOf(c.env?.incoming?.socket.remoteAddress ?? NO_SOCKET, c.req.header('x-forwarded-for') ?? null);
    try {
      await buzones.unsubscribe(c.req.param('token'), ip);
      return say(c, 200, 'listo');
    } catch (err) {
      log.warn({ err }, 'unsubscription_failed');
      return say(c, 503, 'intente más tarde');
    }
  });
  return app as unknown as Hono;
}
