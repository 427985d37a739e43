import { createPrivateKey, sign } from 'node:crypto';
import { load } from 'cheerio';
import type { Efirma } from '../world/pki.ts';
import { type Browser, readForm, type Visit } from './browser.ts';
import { captchaOf, defaultCiec, solveCaptcha } from './portal-client.ts';

const SCRIPTED_MOVE = /top\.location\.href='([^']+)'/;

/** Goes on for as long as a page's script would: sends its form, or moves to the address it names. */
export async function follow(browser: Browser, visit: Visit): Promise<Visit> {
  const next = await browser.followForms(visit);
  const address = SCRIPTED_MOVE.exec(next.text)?.[1];
  return address === undefined ? next : follow(browser, await browser.get(address));
}

/** Whether the page asks for a password. */
export function isCiecPage({ text }: Visit): boolean {
  return load(text)('#IDPLogin input[name=Ecom_User_ID]').length === 1;
}

/** What the page by password says went wrong; empty when nothing did. */
export function ciecError({ text }: Visit): string {
  return /var error = '([^']*)'/.exec(text)?.[1] ?? '';
}

/** Fills and sends the page by password; the answer is not followed. */
export async function sendCiecPage(
  base: string,
  browser: Browser,
  page: Visit,
  rfc: string,
  ciec = defaultCiec(rfc),
): Promise<Visit> {
  const { action, fields } = readForm(page, '#IDPLogin');
  const userCaptcha = await solveCaptcha(base, captchaOf(page));
  return browser.post(action, { ...fields, Ecom_User_ID: rfc, Ecom_Password: ciec, userCaptcha });
}

/** Fills and sends the page of the e.firma; the answer is not followed. */
export async function sendFielPage(
  browser: Browser,
  page: Visit,
  rfc: string,
  efirma: Efirma,
  fert: string,
): Promise<Visit> {
  const { action, fields } = readForm(page, '#certform');
  const text = `${fields['guid']}|${rfc}|${efirma.numero}`;
  const key = createPrivateKey({ key: efirma.key, format: 'der', type: 'pkcs8', passphrase: efirma.password });
  const signature = sign('RSA-SHA1', Buffer.from(text, 'utf8'), key);
  const token = base64(`${base64(text)}#${base64(base64(signature))}`);
  return browser.post(action, { ...fields, token, fert });
}

/** The page of the e.firma, reached by the button of the page by password. */
export async function toFielPage(browser: Browser, page: Visit): Promise<Visit> {
  const address = /#buttonFiel'\)\.click\([^']*'href', '([^']+)'\)/.exec(page.text)?.[1] ?? '';
  return browser.get(address);
}

/** End of an e.firma as the form wants it, `yyMMddHHmmssZ`. */
export function fertOf(end: Date): string {
  return `${end.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`;
}

function base64(data: string | Buffer): string {
  return Buffer.from(data).toString('base64');
}
