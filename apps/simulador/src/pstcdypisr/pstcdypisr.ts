import { type Context, Hono } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { ROOT } from '../portal/web/addresses.ts';
import { redirect } from '../portal/web/cookies.ts';
import { formOf } from '../portal/web/form-body.ts';
import { htmlResponse } from '../portal/web/html.ts';
import { createFederatedHost } from '../sp/federated-host.ts';
import { isBusquedaVaciaFalsa } from '../world/asked.ts';
import { wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { declaracionPdf } from './declaracion-pdf.ts';
import { declaracionesOf, PRIMER_EJERCICIO } from './declaraciones.ts';
import { homePage, queryPage, resultFragment, type TipoDocumento } from './pages.ts';

const service = 'pstcdypisr';
const DECLARACION = '001';

/**
 * The portal of provisional and definitive returns, to be mounted at `/pstcdypisr`. Addresses, ids and columns:
 * luffynando/sat-scrapers-auth and public clients that drive the portal's page.
 */
export function createPstcdypisr({ world, loginda }: { world: World; loginda: Nidp }): Hono {
  const host = createFederatedHost({ world, nidp: loginda }, { servicio: service, cookie: 'FedAuthDyP' });
  const contextOf = (c: Context, rfc: string) => ({
    base: host.url(c, ''),
    rfc,
    nombre: world.taxpayers.taxpayer(rfc).nombre,
  });

  /** For browsers that are inside; one that posts without being so comes back to the first page. */
  const guarded =
    (operation: string, answer: (c: Context, rfc: string) => Response | Promise<Response>) => (c: Context) =>
      host.guard(c, { operation, ...(c.req.method === 'POST' && { returnTo: '/' }) }, ({ rfc }) => answer(c, rfc));

  const home = guarded('Inicio', (c, rfc) => htmlResponse(homePage(contextOf(c, rfc))));

  const query = guarded('Consulta', (c, rfc) => {
    const tipo = tipoDocumentoOf(c.req.query('tipoDocumento'));
    if (tipo === null) return serverError();
    const year = new Date(wallTimeOf(world.clock.now()) * 1000).getUTCFullYear();
    const ejercicios = Array.from({ length: Math.max(0, year - PRIMER_EJERCICIO + 1) }, (_, i) => year - i);
    return htmlResponse(queryPage(contextOf(c, rfc), tipo, ejercicios));
  });

  const search = guarded('Buscar', async (c, rfc) => {
    const form = await formOf(c);
    const tipo = tipoDocumentoOf(form['tipoDocumento'] ?? '1');
    const ejercicio = Number(form['Ejercicio']);
    if (tipo === null || form['IdDeclaracion'] !== DECLARACION || !/^\d{4}$/.test(form['Ejercicio'] ?? ''))
      return serverError();
    const { Periodicidad = '', Periodo = '' } = form;
    const isEmpty = isBusquedaVaciaFalsa(world, rfc, service, [tipo, ejercicio, Periodicidad, Periodo]);
    const found = (isEmpty ? [] : declaracionesOf(world, rfc, ejercicio)).filter(
      ({ periodicidad, periodo }) =>
        (Periodicidad === '' || periodicidad.clave === Periodicidad) && (Periodo === '' || periodo.clave === Periodo),
    );
    return htmlResponse(resultFragment({ base: host.url(c, '') }, tipo, found));
  });

  const retrieve = guarded('RecuperarArchivo', async (c, rfc) => {
    const tipo = tipoDocumentoOf(c.req.query('tipoDocumento'));
    const { numeroOperacion, ejercicio = '' } = c.req.query();
    const found = declaracionesOf(world, rfc, Number(ejercicio)).find(
      (declaracion) => declaracion.numeroOperacion === numeroOperacion,
    );
    if (tipo === null || !found) return serverError();
    const pdf = await declaracionPdf(found, tipo, contextOf(c, rfc));
    const name = `${rfc}.38.${found.ejercicio}.pdf`;
    return new Response(new Uint8Array(pdf), {
      headers: {
        'content-type': 'application/pdf',
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
        'cache-control': 'no-store',
      },
    });
  });

  const logOut = (c: Context) => host.logOut(c, redirect(`${new URL(c.req.url).origin}/loginda/nidp/app/logout`));

  return new Hono()
    .on('GET', [...ROOT, '/Home', '/Home/'], home)
    .on('POST', ROOT, host.signIn(home))
    .get('/Consulta/Consulta', query)
    .post('/Consulta/Buscar', search)
    .get('/Consulta/RecuperarArchivo', retrieve)
    .get('/Home/LogOut', logOut);
}

function tipoDocumentoOf(text: string | undefined): TipoDocumento | null {
  return text === '1' || text === '3' ? text : null;
}

/** What ASP.NET answers a request that the portal's own page never sends. */
function serverError(): Response {
  return htmlResponse(
    '<!DOCTYPE html><html><head><title>Error</title></head><body><h2>Ocurri&#243; un error al procesar su solicitud.</h2></body></html>',
    500,
  );
}
