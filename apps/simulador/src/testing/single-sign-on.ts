import { load } from 'cheerio';
import type { RunningSimulador } from '../start.ts';
import { type Browser, readForm, type Visit } from './browser.ts';
import { fertOf, follow, isCiecPage, sendCiecPage, sendFielPage, toFielPage } from './idp-client.ts';
import { issue } from './start-with-efirma.ts';

/** Visits an address, logs in by password when asked, and goes on to where the forms lead. */
export async function visitByCiec(
  { url: base }: Pick<RunningSimulador, 'url'>,
  browser: Browser,
  address: string,
  rfc: string,
): Promise<Visit> {
  const page = await follow(browser, await browser.get(address));
  if (!isCiecPage(page)) return page;
  return follow(browser, await sendCiecPage(base, browser, page, rfc));
}

/** The same with an e.firma. */
export async function visitByFiel(
  simulador: RunningSimulador,
  browser: Browser,
  address: string,
  rfc: string,
): Promise<Visit> {
  return follow(browser, await enterByFiel(simulador, browser, address, rfc));
}

/**
 * Logs in with an e.firma, by the button of the page by password where that one is shown; the answer is not followed.
 */
export async function enterByFiel(
  simulador: RunningSimulador,
  browser: Browser,
  address: string,
  rfc: string,
): Promise<Visit> {
  const shown = await follow(browser, await browser.get(address));
  const page = isCiecPage(shown) ? await toFielPage(browser, shown) : shown;
  const vence = new Date(Date.UTC(2028, 11, 31, 23, 59, 58));
  const efirma = await issue(simulador, { rfc, vence });
  return sendFielPage(browser, page, rfc, efirma, fertOf(vence));
}

/** Sends the page's only form as a script would, and gives the answer as it is. */
export function sendForm(browser: Browser, visit: Visit): Promise<Visit> {
  const { action, fields } = readForm(visit, 'form');
  return browser.post(action, fields);
}

/** The address of the application in the page's frame. */
export function frameOf({ text, url }: Visit): string {
  const src = load(text)('iframe#iframetoload').attr('src');
  if (src === undefined) throw new Error(`no frame in ${url}: ${text}`);
  return new URL(src, url).href;
}
