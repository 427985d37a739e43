import { escapeMarkup, viewStateInput } from '../sp/jsf.ts';
import { dayFirst } from '../world/texts.ts';
import { formatWallTime } from '../world/wall-time.ts';
import type { Notificacion } from './notificaciones.ts';

const PAGES = '/PTSC/notificacionElectronica/faces/Pages';
export const NOTIFICACIONES = `${PAGES}/principalNotificaciones.jsf`;
/** Opens the act of `?folio=`. */
export const DOCUMENTO = `${PAGES}/documentoNotificacion.jsf`;
/** Shows the notice of `?folio=`, which has no legal effect. */
export const AVISO = `${PAGES}/avisoNotificacion.jsf`;
const FORM = 'formNotificaciones';
const TABLE = `${FORM}:tablaPendientes`;

const COLUMNAS = [
  'Folio del acto administrativo',
  'Autoridad emisora',
  'Acto administrativo',
  'Fecha de aviso',
  'Aviso',
  'Documento',
];

export type NotificacionesPage = {
  rfc: string;
  notificaciones: readonly Notificacion[];
  /** Absolute address that the form is sent to. */
  action: string;
  viewState: string;
};

/**
 * The page of the notifications that wait (columns, total and the text of an empty table: public automations of the
 * mailbox; "Destinatario:" luffynando/sat-scrapers-auth). Every other row opens its act by a plain link, the rest by a
 * postback.
 */
export function notificacionesPage({ rfc, notificaciones, action, viewState }: NotificacionesPage): string {
  const filter = (etiqueta: string, name: string, options: readonly string[]) =>
    `<label for="${FORM}:${name}">${etiqueta}</label><select id="${FORM}:${name}" name="${FORM}:${name}"><option value="0" selected="selected">Seleccione</option>${[...new Set(options)].map((option, i) => `<option value="${i + 1}">${escapeMarkup(option)}</option>`).join('')}</select>`;
  return `<?xml version="1.0" encoding="UTF-8" ?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml">
<head><title>Mis notificaciones</title></head>
<body>
<h1>Mis notificaciones</h1>
<p>Destinatario: ${escapeMarkup(rfc)}</p>
<p>Total de notificaciones pendientes: ${notificaciones.length}</p>
<form id="${FORM}" name="${FORM}" method="post" action="${escapeMarkup(action)}" enctype="application/x-www-form-urlencoded">
<input type="hidden" name="${FORM}" value="${FORM}" />
${filter(
  'Autoridad emisora',
  'autoridad',
  notificaciones.map(({ autoridad }) => autoridad),
)}
${filter(
  'Acto administrativo',
  'acto',
  notificaciones.map(({ acto }) => acto),
)}
<table id="${TABLE}" role="grid"><caption>Pendientes</caption><thead><tr>${COLUMNAS.map((titulo) => `<th role="columnheader">${titulo}</th>`).join('')}</tr></thead><tbody id="${TABLE}_data">${tableRows(notificaciones)}</tbody></table>
${viewStateInput(viewState)}
</form>
</body>
</html>
`;
}

/** The folio of the row whose document a posted form opens; null when it opens none. */
export function openedFolio(form: Readonly<Record<string, string>>, shown: readonly Notificacion[]): string | null {
  for (const [i, { folio }] of shown.entries()) if (`${TABLE}:${i}:documento` in form) return folio;
  return null;
}

function tableRows(notificaciones: readonly Notificacion[]): string {
  if (notificaciones.length === 0) return `<tr><td colspan="${COLUMNAS.length}">No se encontraron resultados</td></tr>`;
  return notificaciones
    .map((notificacion, i) => {
      const { folio, autoridad, acto, aviso: cuando } = notificacion;
      const aviso = `<a href="avisoNotificacion.jsf?folio=${encodeURIComponent(folio)}">Ver aviso</a>`;
      const texts = [folio, autoridad, acto, dayFirst(formatWallTime(cuando))].map(escapeMarkup);
      const cells = [...texts, aviso, documentLink(notificacion, i)];
      return `<tr data-ri="${i}" role="row">${cells.map((cell) => `<td role="gridcell">${cell}</td>`).join('')}</tr>`;
    })
    .join('');
}

function documentLink({ folio }: Notificacion, i: number): string {
  const text = 'Ver / Acto administrativo';
  if (i % 2 === 0) return `<a href="documentoNotificacion.jsf?folio=${encodeURIComponent(folio)}">${text}</a>`;
  const id = `${TABLE}:${i}:documento`;
  return `<a id="${id}" href="#" onclick="mojarra.jsfcljs(document.getElementById('${FORM}'),{'${id}':'${id}'},'');return false">${text}</a>`;
}
