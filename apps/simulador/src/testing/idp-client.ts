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

/** What a test may do otherwise than the page's script. */
export type FielChange = {
  /** Signs in place of the e.firma's own key. */
  signer?: Efirma;
  /** The challenge inside the token, and the one beside it. */
  guid?: string;
  formGuid?: string;
};

/** Fills and sends the page of the e.firma; the answer is not followed. */
export async function sendFielPage(
  browser: Browser,
  page: Visit,
  rfc: string,
  efirma: Efirma,
  fert: string,
  change: FielChange = {},
): Promise<Visit> {
  const { action, fields } = readForm(page, '#certform');
  const { guid = fields['guid'] ?? '', formGuid = fields['guid'] ?? '', signer = efirma } = change;
  const token = fielToken(`${guid}|${rfc}|${efirma.numero}`, signer);
  return browser.post(action, { ...fields, guid: formGuid, token, fert });
}

/** The token that the page's script makes of a text `guid|RFC|serial`. */
export function fielToken(text: string, { key: der, password }: Efirma): string {
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8', passphrase: password });
  const signature = sign('RSA-SHA1', Buffer.from(text, 'utf8'), key);
  return base64(`${base64(text)}#${base64(base64(signature))}`);
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
