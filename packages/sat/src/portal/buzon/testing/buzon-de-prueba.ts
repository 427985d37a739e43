export interface ComunicadoDePrueba {
  /** As the page writes it, `01/sep/2026 16:22 hrs`. */
  readonly fecha: string;
  readonly asunto: string;
}

export function paginaComunicados(
  noLeidos: readonly ComunicadoDePrueba[],
  leidos: readonly ComunicadoDePrueba[],
): string {
  const filas = (lista: readonly ComunicadoDePrueba[]) =>
    lista.length === 0
      ? '<p>No existen mensajes.</p>'
      : lista
          .map(
            (c) =>
              `<div class="message"><button type="button">+</button><span>${c.fecha} ${c.asunto}</span><div hidden>Detalle del mensaje.</div></div>`,
          )
          .join('\n');
  return `<!DOCTYPE html><html lang="es"><head><title>Mis comunicados</title></head><body><h1>Mis comunicados</h1>
<form method="post" action="./Comunicados.aspx"><input type="hidden" name="__VIEWSTATE" value="x" />
<section><h2>Mensajes no le&iacute;dos</h2>${filas(noLeidos)}</section>
<section><h2>Mensajes leídos</h2>${filas(leidos)}</section></form>
<footer>Contacto del portal</footer></body></html>`.replace('no le&iacute;dos', 'no leídos');
}

export interface NotificacionDePrueba {
  readonly folio: string;
  readonly autoridad: string;
  readonly acto: string;
  readonly fecha: string;
}

const ENCABEZADOS = [
  'Folio del acto administrativo',
  'Autoridad emisora',
  'Acto administrativo',
  'Fecha de aviso',
  'Documento',
];

/** The list of the notifications that wait, with everything around it that would open one. */
export function paginaNotificaciones(
  notificaciones: readonly NotificacionDePrueba[],
  options: { rfc?: string | null; orden?: readonly number[]; antes?: string; despues?: string } = {},
): string {
  const { rfc = 'EKU9003173C9', orden = [0, 1, 2, 3, 4], antes = '', despues = '' } = options;
  const celdas = (valores: readonly string[], etiqueta: string) =>
    orden.map((i) => `<${etiqueta}>${valores[i]}</${etiqueta}>`).join('');
  const filas = notificaciones.map((n, i) => {
    const abrir = `<a href="/PTSC/notificacionElectronica/faces/Pages/abrirDocumento.jsf?folio=${n.folio}" onclick="mojarra.jsfcljs(document.getElementById('f'),{'f:${i}':'f:${i}'},'')">Ver / Acto administrativo</a>`;
    return `<tr>${celdas([n.folio, n.autoridad, n.acto, n.fecha, abrir], 'td')}</tr>`;
  });
  const cuerpo =
    filas.length === 0 ? '<tr><td colspan="5">No existen notificaciones pendientes.</td></tr>' : filas.join('\n');
  const addressee = rfc === null ? '' : `<span>Destinatario: ${rfc}</span>`;
  return `<!DOCTYPE html><html><head><title>Notificaci&oacute;n electr&oacute;nica</title></head><body>${addressee}
<form id="f" method="post" action="/PTSC/notificacionElectronica/faces/Pages/principalNotificaciones.jsf">
<input type="hidden" name="f" value="f" /><input type="hidden" name="javax.faces.ViewState" value="v1" />
${antes}<table id="f:tabla"><caption>Pendientes</caption><thead><tr>${celdas(ENCABEZADOS, 'th')}</tr></thead><tbody>${cuerpo}</tbody></table>${despues}</form>
<script>function abrir() { document.getElementById('f').submit(); }</script></body></html>`;
}
