import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { HonoAdapter } from '@bull-board/hono';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { PanelDeps } from '../../deps.ts';
import { type Mount, routesFor } from '../../paginas.ts';

const PAGINA = '/operador/colas';
const PATH = `${PAGINA}/tablero`;

/** The tool writes style attributes while it runs, and asks its own address for everything else. */
const POLITICA = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'self'",
  "frame-ancestors 'self'",
].join('; ');

type Queues = PanelDeps['dashboard']['queues'];

const boards = new WeakMap<Queues, Hono>();

function boardOf(queues: Queues): Hono {
  const known = boards.get(queues);
  if (known) return known;
  const serverAdapter = new HonoAdapter(serveStatic).setBasePath(PATH);
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter,
    options: {
      uiConfig: {
        boardTitle: 'Colas de Acuse',
        locale: { lng: 'es-ES' },
        hideRedisDetails: true,
        hideDocsLink: true,
        pollingInterval: { showSetting: true },
      },
    },
  });
  const board = new Hono({ strict: false }).route(PATH, serverAdapter.registerPlugin());
  boards.set(queues, board);
  return board;
}

/** The page without fonts from another server, with our colours and names. */
const asOurs = (html: string, activo: (nombre: string) => string) =>
  html
    .replace(/<link\b[^>]*\bhref="https?:\/\/[^>]*>/g, '')
    .replace('<html lang="en"', '<html lang="es"')
    .replace('Loading\n', 'Cargando…\n')
    .replace(
      '</head>',
      `<link rel="stylesheet" href="${activo('colores.css')}"><link rel="stylesheet" href="${activo('colas.css')}"><script defer src="${activo('colas.js')}"></script></head>`,
    );

export const queuesPage = routesFor('operador');

/** The page of the queues, around the frame in which the tool is. */
queuesPage.get(PAGINA, ({ pagina }) => pagina('Colas', <iframe src={`${PATH}/`} title="Trabajos en las colas" />));

/** The queues of the workers by bull-board, to look at only: nothing but reading is answered. */
export const COLAS: Mount = {
  path: PATH,
  acceso: 'operador',
  pagina: PAGINA,
  async fetch(request, { deps, activo }) {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return new Response('Las colas solo se miran.', { status: 405, headers: { Allow: 'GET, HEAD' } });
    const answer = await boardOf(deps.dashboard.queues).fetch(request);
    const headers = new Headers(answer.headers);
    headers.set('Content-Security-Policy', POLITICA);
    headers.set('X-Frame-Options', 'SAMEORIGIN');
    if (!headers.get('content-type')?.startsWith('text/html'))
      return new Response(answer.body, { status: answer.status, headers });
    headers.delete('content-length');
    return new Response(asOurs(await answer.text(), activo), { status: answer.status, headers });
  },
};
