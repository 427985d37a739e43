import { encode, hiddenInput } from '../portal/web/html.ts';
import { mesDe } from '../world/texts.ts';
import { formatWallTime, type WallTime } from '../world/wall-time.ts';
import type { Comunicado } from './comunicados.ts';

/** Name of the page, which is also where its form is sent. */
export const COMUNICADOS = '/WebComunicados/Comunicados.aspx';
/** Source and field of the postback that unfolds a message, and so makes it read. */
export const UNFOLD = 'ctl00$MainContent$btnDetalle';

/**
 * The page of messages: those unread, then those read, each as one line `dd/mmm/yyyy HH:mm hrs asunto` with its detail
 * hidden (TecnofyMX/buzon-tributario-sat-scraper, tests/Fixtures; "Mensajes de interés": luffynando/sat-scrapers-auth).
 */
export function comunicadosPage(comunicados: readonly Comunicado[], viewState: string): string {
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
