import { type Browser, createBrowser, readForm, type Visit } from './browser.ts';

/** A browser that takes every prefix for a host of its own: it sends each one only the cookies that it set. */
export function createHostBrowser(): Browser {
  const jars = new Map<string, Browser>();
  const jarOf = (url: string) => {
    const prefix = new URL(url).pathname.split('/')[1] ?? '';
    const jar = jars.get(prefix) ?? createBrowser();
    jars.set(prefix, jar);
    return jar;
  };
  const raw: Browser['raw'] = (url, init) => jarOf(url).raw(url, init);
  const visit = async (url: string, init: RequestInit = {}): Promise<Visit> => {
    const response = await raw(url, init);
    const location = response.headers.get('location');
    const text = await response.text();
    if (location !== null) return visit(new URL(location, url).href);
    return { status: response.status, headers: response.headers, url, text };
  };
  const post: Browser['post'] = (url, fields, headers = {}) =>
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
    cookies: () => [...jars.values()].flatMap((jar) => jar.cookies()),
  };
}
