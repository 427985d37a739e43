import { load } from 'cheerio';

/** What a test's browser got: status, headers, text, and where it came from. */
export type Visit = { status: number; headers: Headers; url: string; text: string };

/** A minimal browser for tests: keeps cookies by path, follows redirections, reads and sends forms. */
export type Browser = {
  get(url: string): Promise<Visit>;
  post(url: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Visit>;
  /** A request whose answer is left unread; redirections are not followed. */
  raw(url: string, init?: RequestInit): Promise<Response>;
  /** Sends the page's first form again and again for as long as it is one that a script sends. */
  followForms(visit: Visit): Promise<Visit>;
  cookies(): string[];
};

type Cookie = { name: string; value: string; path: string };

/** Creates a browser without cookies. */
export function createBrowser(): Browser {
  let jar: Cookie[] = [];

  const raw = async (url: string, init: RequestInit = {}) => {
    const { pathname } = new URL(url);
    const own = jar.filter(({ path }) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')));
    const headers = new Headers(init.headers);
    if (own.length > 0) headers.set('cookie', own.map(({ name, value }) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const cookie = parseCookie(line);
      jar = jar.filter(({ name, path }) => name !== cookie.name || path !== cookie.path);
      if (cookie.value !== '') jar.push(cookie);
    }
    return response;
  };

  const visit = async (url: string, init: RequestInit = {}): Promise<Visit> => {
    const response = await raw(url, init);
    const location = response.headers.get('location');
    if (location !== null) {
      await response.body?.cancel();
      return visit(new URL(location, url).href);
    }
    return { status: response.status, headers: response.headers, url, text: await response.text() };
  };

  const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    visit(url, { method: 'POST', body: new URLSearchParams(fields), headers });

  const followForms = async (from: Visit): Promise<Visit> => {
    if (!from.text.includes('document.forms[0].submit()')) return from;
    const { action, fields } = readForm(from, 'form');
    return followForms(await post(action, fields));
  };

  return { get: (url) => visit(url), post, raw, followForms, cookies: () => jar.map(({ name }) => name).sort() };
}

/** The named inputs and lists of a form as a script would serialize them, disabled ones too. */
export function readForm({ text, url }: Visit, selector: string) {
  const $ = load(text);
  const form = $(selector).first();
  const fields: Record<string, string> = {};
  for (const element of form.find('input[name], select[name]').toArray()) {
    const input = $(element);
    const type = input.attr('type') ?? '';
    if (['submit', 'button'].includes(type)) continue;
    if (['radio', 'checkbox'].includes(type) && input.attr('checked') === undefined) continue;
    const isList = element.tagName === 'select';
    fields[input.attr('name') ?? ''] =
      (isList ? input.find('option[selected]').attr('value') : input.attr('value')) ?? '';
  }
  return { action: new URL(form.attr('action') ?? '', url).href, fields };
}

function parseCookie(line: string): Cookie {
  const [pair = '', ...attributes] = line.split('; ');
  const [name = '', value = ''] = pair.split(/=(.*)/s);
  const path = attributes.find((attribute) => attribute.startsWith('Path='))?.slice(5) ?? '/';
  return { name, value, path };
}
