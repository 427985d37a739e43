import { load } from 'cheerio';

/** What a test's browser got: status, headers, text, and where it came from. */
export type Visit = { status: number; headers: Headers; url: string; text: string };

/**
 * A minimal browser for tests: keeps cookies, follows redirections, says from which page it comes, reads and sends
 * forms.
 */
export type Browser = {
  get(url: string): Promise<Visit>;
  post(url: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Visit>;
  /** A request whose answer is left unread; redirections are not followed. */
  raw(url: string, init?: RequestInit): Promise<Response>;
  /** Sends the page's first form again and again for as long as it is one that a script sends. */
  followForms(visit: Visit): Promise<Visit>;
  cookies(): string[];
};

/** Creates a browser without cookies; one that `isStrict` sends every prefix, as a host, only the cookies that it set. */
export function createBrowser({ isStrict = false } = {}): Browser {
  const jars = new Map<string, Map<string, string>>();
  let shown: string | null = null;

  const raw = async (url: string, init: RequestInit = {}) => {
    const host = isStrict ? (new URL(url).pathname.split('/')[1] ?? '') : '';
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', Array.from(jar, (cookie) => cookie.join('=')).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };

  const visit = async (url: string, init: RequestInit = {}): Promise<Visit> => {
    const headers = { ...(shown !== null && { referer: shown }), ...(init.headers as Record<string, string>) };
    const response = await raw(url, { ...init, headers });
    const location = response.headers.get('location');
    if (location !== null) {
      await response.body?.cancel();
      return visit(new URL(location, url).href);
    }
    shown = url;
    return { status: response.status, headers: response.headers, url, text: await response.text() };
  };

  const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    visit(url, { method: 'POST', body: new URLSearchParams(fields), headers });

  const followForms = async (from: Visit): Promise<Visit> => {
    if (!from.text.includes('document.forms[0].submit()')) return from;
    const { action, fields } = readForm(from, 'form');
    return followForms(await post(action, fields));
  };

  return {
    get: (url) => visit(url),
    post,
    raw,
    followForms,
    cookies: () => [...jars.values()].flatMap((jar) => [...jar.keys()]).sort(),
  };
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

/** The texts of the elements that a selector finds. */
export function textsOf(html: string, selector: string): string[] {
  const $ = load(html);
  return $(selector)
    .toArray()
    .map((element) => $(element).text());
}

/** The rows of a table as heading to text; a line that has not a cell for each heading is no row. */
export function tableRows(html: string, table: string): Record<string, string>[] {
  const $ = load(html);
  const [first, ...lines] = $(`${table} > thead > tr, ${table} > tbody > tr`).toArray();
  const headings = $(first).children('th').toArray();
  return lines
    .map((line) => $(line).children('td').toArray())
    .filter((cells) => cells.length === headings.length)
    .map((cells) => Object.fromEntries(headings.map((heading, i) => [$(heading).text().trim(), $(cells[i]).text()])));
}
