import { Readable } from 'node:stream';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { createMetadataZip } from '../../world/packages.ts';
import type { World } from '../../world/world.ts';
import { findRows } from '../consulta/criteria.ts';
import { MAIN } from '../consulta/form-controls.ts';
import type { PortalSession } from '../portal-session.ts';
import type { PortalState } from '../portal-state.ts';
import { withCookies } from '../web/cookies.ts';
import { formOf } from '../web/form-body.ts';
import { withPortalSession } from '../web/guard.ts';
import { htmlResponse } from '../web/html.ts';
import { masterPage } from '../web/master-page.ts';
import { readViewState, writeViewState } from '../web/view-state.ts';
import { downloadsPanel } from './downloads-page.ts';
import type { Folio } from './folios.ts';

type Deps = { world: World; state: PortalState };

const PAGINA = 'ConsultaDescargaMasiva.aspx';
const GENERATOR = 'A6C28F01';
const NOT_AVAILABLE = 'El paquete solicitado no se encuentra disponible.';
const reference = z.object({ paquete: z.string() });

/** The page that lists a taxpayer's folios and hands out their packages. */
export function createDescargaMasiva(deps: Deps): Hono {
  const { world, state } = deps;
  const show = (session: PortalSession, error = '') => {
    const isListed = ({ estado }: Folio) => estado === 'disponible' || state.settings.lista_en_proceso;
    const folios = state.folios.look(session.rfc).filter(isListed);
    return htmlResponse(
      masterPage({
        rfc: session.rfc,
        pagina: PAGINA,
        titulo: 'Recuperar Descargas de CFDI',
        csrf: session.csrf,
        viewState: writeViewState(state.seal, session, PAGINA, 'folio'),
        generator: GENERATOR,
        contenido: downloadsPanel(folios, state.seal, error),
      }),
    );
  };

  const download = async (c: Context) => {
    const form = await formOf(c);
    const id = form[`${MAIN}hfFolioDescargaActual`] ?? '';
    const isDownload = form['__EVENTTARGET'] === `${MAIN}setLinkButtonDescarga`;
    const operation = isDownload ? 'DescargarPaquete' : PAGINA;
    return withPortalSession(deps, c, { operation, detail: { folio: id } }, (session) => {
      if (!isDownload) return show(session);
      const isOwnPage = readViewState(state.seal, session, PAGINA, form['__VIEWSTATE'] ?? '') !== null;
      const named = reference.safeParse(state.seal.open(form[`${MAIN}hfUrlDescargaActual`] ?? ''));
      const isNamed = named.success && named.data.paquete === id;
      const folio = isOwnPage && isNamed ? state.folios.find(session.rfc, id) : null;
      return folio ? packageOf(world, folio) : show(session, NOT_AVAILABLE);
    });
  };

  return new Hono()
    .get(`/${PAGINA}`, (c) => withPortalSession(deps, c, { operation: PAGINA }, (session) => show(session)))
    .post(`/${PAGINA}`, download);
}

/** The ZIP as a stream, of the same format as the bulk service's. */
function packageOf(world: World, { id, criteria, solicitado }: Folio): Response {
  const zip = createMetadataZip({
    id: `${id}_01`,
    rows: () => findRows(world, criteria),
    basura: world.taxpayers.taxpayer(criteria.rfc).basura,
    fecha: solicitado,
  });
  const response = new Response(Readable.toWeb(zip) as ReadableStream<Uint8Array>, {
    headers: {
      'content-type': 'application/x-zip-compressed',
      'content-disposition': `attachment; filename=${id}.zip`,
    },
  });
  return withCookies(response, { DownloadedFile: 'OK' });
}
