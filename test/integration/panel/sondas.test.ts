import { createLogger } from '@acuse/runtime';
import { expect, it } from 'vitest';
import { usePanel } from './fixtures/panel.ts';

const lines: string[] = [];
const log = createLogger({ name: 'panel', destination: { write: (line) => void lines.push(line) } });
const panel = usePanel({ log });

it('the log of the panel has each page, and none of the probes that come every few seconds', async () => {
  for (const path of ['/readyz', '/entrar', '/healthz', '/readyz?exclude=database', '/entrar'])
    expect((await fetch(panel.url + path)).status).toBe(200);
  const answered = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request_answered');
  expect(answered.map(({ path }) => path)).toEqual(['/entrar', '/entrar']);
});
