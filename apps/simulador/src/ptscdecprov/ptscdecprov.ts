import { type Context, Hono } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { createSeal } from '../portal/seal.ts';
import { ROOT } from '../portal/web/addresses.ts';
import { redirect } from '../portal/web/cookies.ts';
import { formOf } from '../portal/web/form-body.ts';
import { htmlResponse } from '../portal/web/html.ts';
import { declaracionPdf } from '../pstcdypisr/declaracion-pdf.ts';
import { type Declaracion, declaracionesAnterioresOf, EJERCICIOS_ANTERIORES } from '../pstcdypisr/declaraciones.ts';
import { createFederatedHost } from '../sp/federated-host.ts';
import type { ProviderSession } from '../sp/provider-session.ts';
import { isBusquedaVaciaFalsa } from '../world/asked.ts';
import type { World } from '../world/world.ts';
import { EJERCICIO, homePage, LINK, PAGINAS, type Pagina, queryPage } from './pages.ts';

const service = 'ptscdecprov';

/** What a page's `__VIEWSTATE` says: where and for whom it was made, and which year its table shows. */
type ViewState = { pagina: string; sesion: string; ejercicio: number | null };

/**
 * The old portal of provisional and definitive returns, which has those up to 2021, to be mounted at `/ptscdecprov`.
 * ASP.NET Web Forms: a search and the link of a row are postbacks of the page's form, and a row is known only to the
 * page that shows it. Sources: README of `pstcdypisr`.
 */
export function createPtscdecprov({ world, loginda }: { world: World; loginda: Nidp }): Hono {
  const seal = createSeal();
  const host = createFederatedHost({ world, nidp: loginda }, { servicio: service, cookie: 'FedAuthDecProv' });

  const home = (c: Context) =>
    host.guard(c, { operation: 'Inicio' }, ({ rfc }) => htmlResponse(homePage(host.url(c, ''), rfc)));

  const show = (
    { rfc, id }: ProviderSession,
    pagina: Pagina,
    ejercicio: number | null,
    { opened = null, isEmpty = false }: { opened?: Declaracion | null; isEmpty?: boolean } = {},
  ) => {
    const state: ViewState = { pagina, sesion: id, ejercicio };
    const found = ejercicio === null || isEmpty ? [] : declaracionesAnterioresOf(world, rfc, ejercicio);
    const declaraciones = ejercicio === null ? null : found;
    const documento =
      opened && `Documento.aspx?id=${encodeURIComponent(seal.close({ rfc, pagina, ...keyOf(opened) }))}`;
    return htmlResponse(queryPage({ rfc, pagina, viewState: seal.close(state), ejercicio, declaraciones, documento }));
  };

  const postback = async (c: Context, pagina: Pagina) => {
    const form = await formOf(c);
    const isSearch = 'ctl00$MainContent$btnBuscar' in form;
    return host.guard(c, { operation: isSearch ? 'Buscar' : 'AbrirDeclaracion', returnTo: '/' }, (session) => {
      const state = readViewState(seal.open(form['__VIEWSTATE'] ?? ''), session, pagina);
      const ejercicio = Number(form[EJERCICIO]);
      if (!state || !EJERCICIOS_ANTERIORES.includes(ejercicio)) return serverError();
      if (isSearch) {
        const isEmpty = isBusquedaVaciaFalsa(world, session.rfc, service, [pagina, ejercicio]);
        return show(session, pagina, ejercicio, { isEmpty });
      }
      const row = LINK.exec(form['__EVENTTARGET'] ?? '')?.[1];
      const shown = state.ejercicio === null ? [] : declaracionesAnterioresOf(world, session.rfc, state.ejercicio);
      // The first line of a grid is its heading, and its controls count from one.
      const opened = row === undefined ? undefined : shown[Number(row) - 2];
      return opened ? show(session, pagina, state.ejercicio, { opened }) : serverError();
    });
  };

  const document = (c: Context) =>
    host.guard(c, { operation: 'Documento' }, async ({ rfc }) => {
      const named = seal.open(c.req.query('id') ?? '') as
        | ({ rfc: string; pagina: Pagina } & ReturnType<typeof keyOf>)
        | null;
      const found =
        named?.rfc === rfc
          ? declaracionesAnterioresOf(world, rfc, named.ejercicio).find(
              ({ numeroOperacion }) => numeroOperacion === named.numeroOperacion,
            )
          : undefined;
      if (!named || !found) return serverError();
      const owner = { rfc, nombre: world.taxpayers.taxpayer(rfc).nombre };
      const pdf = await declaracionPdf(found, PAGINAS[named.pagina].tipo, owner);
      return new Response(new Uint8Array(pdf), { headers: { 'content-type': 'application/pdf' } });
    });

  const app = new Hono().on('GET', ROOT, home).on('POST', ROOT, host.signIn(home));
  for (const pagina of Object.keys(PAGINAS) as Pagina[]) {
    app.get(`/Paginas/${pagina}`, (c) =>
      host.guard(c, { operation: 'AbrirConsulta', detail: { pagina } }, (session) => show(session, pagina, null)),
    );
    app.post(`/Paginas/${pagina}`, (c) => postback(c, pagina));
  }
  return app
    .get('/Paginas/Documento.aspx', document)
    .get('/LogOut.aspx', (c) => host.logOut(c, redirect(`${new URL(c.req.url).origin}/loginda/nidp/app/logout`)));
}

function keyOf({ numeroOperacion, ejercicio }: Declaracion) {
  return { numeroOperacion, ejercicio };
}

function readViewState(value: unknown, { id }: ProviderSession, pagina: Pagina): ViewState | null {
  const state = value as ViewState | null;
  return state?.pagina === pagina && state.sesion === id ? state : null;
}

/** What ASP.NET answers a form that its own page never sends. */
function serverError(): Response {
  return htmlResponse('<html><head><title>Runtime Error</title></head><body><h1>Server Error</h1></body></html>', 500);
}
