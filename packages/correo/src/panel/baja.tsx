import { EVENTOS } from '@acuse/contract';
import { type ContextoBase, type PageDeps, routesFor } from '@acuse/page';
import { Boton, Formulario } from '@acuse/page/form';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createBuzones } from '../db/index.ts';

const PATH = '/correos/baja/:token';

export const unsubscribePage = routesFor('publica');

/** Where the link leads that switches off what a mail was about. The link alone changes nothing: scanners follow it. */
unsubscribePage.get(PATH, async (contexto) => {
  const token = contexto.c.req.param('token') ?? '';
  const tipo = await createBuzones(contexto.deps.database).kindOf(token);
  if (tipo === null) return renderLost(contexto);
  return contexto.pagina(
    'Dejar de recibir un aviso',
    <>
      <p>Este aviso por correo: «{EVENTOS[tipo][0]}».</p>
      <Formulario accion={`/correos/baja/${token}/confirmar`}>
        <Boton>No recibirlo más</Boton>
      </Formulario>
    </>,
    { narrow: true },
  );
});

unsubscribePage.post(`${PATH}/confirmar`, async (contexto) => {
  const tipo = await createBuzones(contexto.deps.database).unsubscribe(
    contexto.c.req.param('token') ?? '',
    contexto.ip,
  );
  if (tipo === null) return renderLost(contexto);
  return contexto.pagina(
    'Aviso desactivado',
    <p>
      Ya no recibirá este aviso: «{EVENTOS[tipo][0]}». Puede activarlo otra vez en{' '}
      <a href="/cuenta/correo">Avisos por correo</a>.
    </p>,
    { narrow: true },
  );
});

const renderLost = ({ pagina }: ContextoBase): Response =>
  pagina(
    'Enlace sin efecto',
    <p>
      El enlace está incompleto o es de un correo de hace meses. Entre y desactive lo que no quiera en{' '}
      <a href="/cuenta/correo">Avisos por correo</a>.
    </p>,
    { status: 404, narrow: true },
  );

const MAX_BAJA = 1_024;

/**
 * `POST /correos/baja/:token`: a mail program unsubscribes with one request, without a session (RFC 8058). Mount it
 * before the panel's sessions and its check of forms: the token is the proof. The answer does not show whether the mail
 * exists.
 */
export function createBajas({ database, log }: PageDeps, ipOf: (c: Context) => string): Hono {
  const app = new Hono();
  const say = (c: Context, status: 200 | 413 | 503, body: string) =>
    c.text(body, status, { 'Cache-Control': 'no-store' });
  const limit = bodyLimit({ maxSize: MAX_BAJA, onError: (c) => say(c, 413, 'demasiado largo') });
  app.post(PATH, limit, async (c) => {
    try {
      await createBuzones(database).unsubscribe(c.req.param('token'), ipOf(c));
      return say(c, 200, 'listo');
    } catch (err) {
      log.warn({ err }, 'unsubscription_failed');
      return say(c, 503, 'intente más tarde');
    }
  });
  return app;
}
