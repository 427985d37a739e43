import { Hono } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import type { ProviderSession } from '../web/host.ts';
import { encode, formOf, hiddenInput, htmlResponse } from '../web/http.ts';
import { createSeal } from '../web/seal.ts';
import { isBuzonVacioFalso } from '../world/asked.ts';
import { mesDe } from '../world/texts.ts';
import { formatWallTime, type WallTime } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { createGateway } from './gateway.ts';
import { type Aperturas, llegadas } from './llegadas.ts';

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
    aperturas.readComunicado(rfc, id);
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

const COMUNICADOS = '/WebComunicados/Comunicados.aspx';
/** Source and field of the postback that unfolds a message, and so makes it read. */
export const UNFOLD = 'ctl00$MainContent$btnDetalle';

/**
 * The page of messages: those unread, then those read, each as one line `dd/mmm/yyyy HH:mm hrs asunto` with its detail
 * hidden (TecnofyMX/buzon-tributario-sat-scraper, tests/Fixtures; "Mensajes de interés": luffynando/sat-scrapers-auth).
 */
function comunicadosPage(comunicados: readonly Comunicado[], viewState: string): string {
  return `<!DOCTYPE html>
<html lang="es">
<head><meta charset="utf-8" /><title>Mis comunicados</title></head>
<body>
<form method="post" action="./Comunicados.aspx" id="form1">
${hiddenInput('__EVENTTARGET', '__EVENTTARGET', '')}
${hiddenInput('__EVENTARGUMENT', '__EVENTARGUMENT', '')}
${hiddenInput('__VIEWSTATE', '__VIEWSTATE', viewState)}
<h1>Mis comunicados</h1>
<p id="ctl00_MainContent_lblTitulo">Mensajes de interés</p>
${seccion(
  'Mensajes no leídos',
  'unread',
  comunicados.filter(({ isLeido }) => !isLeido),
)}
${seccion(
  'Mensajes leídos',
  'read',
  comunicados.filter(({ isLeido }) => isLeido),
)}
</form>
</body>
</html>
`;
}

/** The day and hour of a message as the page writes them. */
export function shortDate(cuando: WallTime): string {
  const [day = '', time = ''] = formatWallTime(cuando).split(' ');
  const [year = '', month = '', date = ''] = day.split('-');
  return `${date}/${mesDe(month).slice(0, 3)}/${year} ${time.slice(0, 5)} hrs`;
}

function seccion(titulo: string, clase: string, comunicados: readonly Comunicado[]): string {
  const content =
    comunicados.length === 0
      ? '  <p>No existe información</p>'
      : comunicados.map((comunicado) => mensaje(comunicado, clase)).join('\n');
  return `<section>
  <h2>${titulo}</h2>
${content}
</section>`;
}

function mensaje({ id, cuando, asunto }: Comunicado, clase: string): string {
  return `  <div class="message ${clase}">
    <button type="button" onclick="__doPostBack('${UNFOLD}','${id}')">+</button>
    <span>${shortDate(cuando)} ${encode(asunto)}</span>
    <div hidden>Estimado contribuyente: para ver el documento haga clic <a href="Documento.aspx?id=${id}">aquí</a>.</div>
  </div>`;
}

/** A message of the SAT to a taxpayer. */
export type Comunicado = { id: string; cuando: WallTime; asunto: string; isLeido: boolean };

const YEAR_DAYS = 365;
const MOST = 12;
const LONG = 'de las obligaciones a su cargo que a la fecha no se localizan en nuestros registros, '.repeat(6);

/**
 * Subjects, half of them awkward: quotation marks, markup, Ñ and &, numbers that look like dates, more than 500 signs.
 */
const ASUNTOS: readonly ((rfc: string, n: number) => string)[] = [
  (rfc, n) => `Registro o actualización de medios de contacto ${rfc}${70_000 + (n % 1000)}`,
  (rfc, n) => `Respuesta al registro o actualización de medios de contacto ${rfc}${70_000 + (n % 1000)}`,
  () => 'Invitación para la presentación de su declaración anual',
  () => 'Aviso "IMPORTANTE": <b>Declaración</b> & pago de la PTU \'2026\'',
  () => 'PEÑA & ÑANDÚ: AÑO FISCAL EN CURSO, ¿YA ACTUALIZÓ SU BUZÓN?',
  () => 'Recordatorio: su plazo vence el 17/dic/2026 a las 23:59',
  () => `Carta invitación: se le exhorta al cumplimiento ${LONG}conforme al Código Fiscal de la Federación`,
  () => 'Programa   de  regularización <script>alert(1)</script>',
];

/** The messages of the last year, newest first, at most 12; none for some taxpayers. */
export function comunicadosDe(world: World, rfc: string, aperturas: Aperturas): Comunicado[] {
  const opened = new Set(aperturas.comunicados(rfc));
  const ritmo = { clase: 'comunicados', maximo: MOST, diasIntervalo: 28, dias: YEAR_DAYS };
  return llegadas(world, rfc, ritmo)
    .slice(0, MOST)
    .map(({ n, cuando, chance }) => {
      const id = String(1_000_000 + n * 8 + chance(1, 8));
      const asunto = ASUNTOS[chance(2, ASUNTOS.length)]?.(rfc, n) ?? '';
      return { id, cuando, asunto, isLeido: chance(3, 3) > 0 || opened.has(id) };
    });
}
