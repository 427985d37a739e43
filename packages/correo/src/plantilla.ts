import { escapeHtml } from '@acuse/runtime';
/** What a mail says, before it has a form. All of it is text: nothing in it is HTML. */
export interface Contenido {
  readonly asunto: string;
  readonly parrafos: readonly string[];
  /** What it is about, one a line. */
  readonly lista?: readonly string[];
  /** The one thing to do. */
  readonly accion?: { readonly texto: string; readonly url: string };
  /** After it, smaller: what if it is none of one's business, and why it came. */
  readonly notas: readonly string[];
}

/** The two forms that a mail is sent in. */
export interface Cuerpos {
  readonly texto: string;
  readonly html: string;
}

/** Puts the text on one line, so that a user's text can neither break a line of the mail nor begin one. */
const oneLine = (text: string) =>
  text
    .replace(/\p{C}+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();

const SANS = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif';
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:6px;background:#0b5f4c;color:#ffffff;text-decoration:none';

/** Gives a mail its form. Everything is escaped here, and nowhere else. */
export function renderCorreo({ parrafos, lista = [], accion, notas }: Contenido): Cuerpos {
  const lines = { parrafos: parrafos.map(oneLine), lista: lista.map(oneLine), notas: notas.map(oneLine) };
  const texto = [
    ...lines.parrafos,
    ...(lines.lista.length === 0 ? [] : [lines.lista.map((each) => `- ${each}`).join('\n')]),
    ...(accion === undefined ? [] : [`${oneLine(accion.texto)}:\n${accion.url}`]),
    ...lines.notas,
    'Acuse',
  ].join('\n\n');
  const html = [
    '<!DOCTYPE html>',
    `<html lang="es-MX"><body style="margin:0;padding:24px;color:#1c1f1e;background:#ffffff;${SANS};font-size:16px;line-height:1.5">`,
    '<div style="max-width:560px;margin:0 auto">',
    ...lines.parrafos.map((each) => `<p>${escapeHtml(each)}</p>`),
    ...(lines.lista.length === 0
      ? []
      : [`<ul>${lines.lista.map((each) => `<li>${escapeHtml(each)}</li>`).join('')}</ul>`]),
    ...(accion === undefined
      ? []
      : [
          `<p><a href="${escapeHtml(accion.url)}" style="${BUTTON}">${escapeHtml(oneLine(accion.texto))}</a></p>`,
          `<p style="font-size:13px;color:#4a514e">${escapeHtml(accion.url)}</p>`,
        ]),
    ...lines.notas.map((each) => `<p style="font-size:13px;color:#4a514e">${escapeHtml(each)}</p>`),
    '</div></body></html>',
  ].join('\n');
  return { texto: `${texto}\n`, html };
}
