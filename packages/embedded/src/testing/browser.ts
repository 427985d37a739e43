import { request } from 'node:http';

interface Page {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
}

/** A browser that keeps its cookies, sends the token of the form that it was shown, and follows nothing. */
export interface Browser {
  get(path: string): Promise<Page>;
  /** Sends the form of the page at `path`. */
  send(path: string, fields: Record<string, string>): Promise<Page>;
}

/** Opens a browser before the panel at `url`, which sees it come from `address`. */
export function openBrowser(url: string, address = '127.0.0.1'): Browser {
  const cookies = new Map<string, string>();

  const ask = (method: string, path: string, body = '') =>
    new Promise<Page>((resolve, reject) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { origin: url, cookie, 'content-type': 'application/x-www-form-urlencoded' };
      const sent = request(`${url}${path}`, { method, headers, localAddress: address, agent: false });
      sent.once('error', reject).once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject).once('end', () => {
          for (const line of response.headers['set-cookie'] ?? []) {
            const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
            cookies.set(name, value);
          }
          const { statusCode: status = 0, headers } = response;
          resolve({ status, location: headers.location ?? null, text: Buffer.concat(chunks).toString('utf8') });
        });
      });
      sent.end(body);
    });
  const get = (path: string) => ask('GET', path);

  return {
    get,
    async send(path, fields) {
      const _csrf = /name="_csrf" value="([^"]+)"/.exec((await get(path)).text)?.[1] ?? '';
      return ask('POST', path, new URLSearchParams({ _csrf, ...fields }).toString());
    },
  };
}

/** Logs in as a person does. Returns the next page, or null after a refusal. */
export async function logIn(browser: Browser, email = '', password = ''): Promise<string | null> {
  return (await browser.send('/entrar', { email, password })).location;
}
