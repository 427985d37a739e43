import { randomBytes } from 'node:crypto';
import { escapeXml } from '../world/texts.ts';

/** A view state as JavaServer Faces keeps it at the server: two numbers that mean nothing. */
export function newViewState(): string {
  return `${randomBytes(8).readBigInt64BE()}:${randomBytes(8).readBigInt64BE()}`;
}

/** The hidden field that every form of JavaServer Faces carries. */
export function viewStateInput(value: string): string {
  return `<input type="hidden" name="javax.faces.ViewState" id="javax.faces.ViewState" value="${escapeXml(value)}" autocomplete="off" />`;
}

/** Whether a posted form is a partial request, which wants XML and not a page. */
export function isPartial(form: Readonly<Record<string, string>>): boolean {
  return form['javax.faces.partial.ajax'] === 'true';
}

/** Answer to a partial request: the parts of the page that changed, by id, and a script to run. */
export function partialUpdate(updates: Readonly<Record<string, string>>, script = ''): Response {
  const parts = Object.entries(updates).map(([id, html]) => `<update id="${id}">${cdata(html)}</update>`);
  const run = script === '' ? '' : `<eval>${cdata(script)}</eval>`;
  return partial(`<changes>${parts.join('')}${run}</changes>`);
}

/** Sends the browser of a partial request elsewhere. */
export function partialRedirect(url: string): Response {
  return partial(`<redirect url="${escapeXml(url)}"></redirect>`);
}

/** What JavaServer Faces answers when the view of the form is not known any more. */
export function partialExpired(view: string): Response {
  const message = `viewId:${view} - View ${view} could not be restored.`;
  return partial(
    `<error><error-name>class javax.faces.application.ViewExpiredException</error-name><error-message>${cdata(message)}</error-message></error>`,
  );
}

function partial(content: string): Response {
  return new Response(`<?xml version='1.0' encoding='UTF-8'?>\n<partial-response>${content}</partial-response>`, {
    headers: { 'content-type': 'text/xml;charset=UTF-8', 'cache-control': 'no-cache' },
  });
}

function cdata(text: string): string {
  return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}
