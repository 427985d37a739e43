import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { waitFor } from '../fixtures/servicio.ts';

/** The webhook's secret that the programs are given. */
export const SECRETO = `whsec_${Buffer.from('a secret of this test').toString('base64')}`;

/** The programs of a page in a language, by the heading that they stand under. */
export function samplesOf(page: string | URL, marca: string): ReadonlyMap<string, string> {
  return new Map(
    readFileSync(page, 'utf8')
      .split(/^## /m)
      .flatMap((section) => {
        const [, title = '', code] =
          new RegExp(`^(.*)\\n[\\s\\S]*?\`\`\`${marca}\\n([\\s\\S]*?)\`\`\``).exec(section) ?? [];
        return code === undefined ? [] : [[title, code] as const];
      }),
  );
}

/** What a program says, and how it ends. */
export function listenTo(child: ChildProcess) {
  const said = { out: '', err: '' };
  child.stdout?.on('data', (chunk) => (said.out += chunk));
  child.stderr?.on('data', (chunk) => (said.err += chunk));
  return { child, said, ended: once(child, 'close').then(([code]) => code as number | null) };
}

/** Sends a signed webhook and a forged one to a program that takes webhooks. */
export async function expectTakesSignedOnly(puerto: string, said: { readonly out: string }): Promise<void> {
  const send = (signature: string, body: string, at: Date) =>
    fetch(`http://127.0.0.1:${puerto}`, {
      method: 'POST',
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': signature,
      },
      body,
    }).then(({ status }) => status);
  const now = new Date();
  const body = JSON.stringify({ type: 'solicitud.terminada', timestamp: now.toISOString(), data: {} });
  const signature = new Webhook(SECRETO).sign('msg_1', now, body);
  expect(await waitFor(() => send(signature, body, now).catch(() => null))).toBe(204);
  expect(await send(signature, `${body} `, now)).toBe(400);
  await expect.poll(() => said.out).toContain('msg_1 solicitud.terminada\n');
}
