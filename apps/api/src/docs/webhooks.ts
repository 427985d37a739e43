import { readFileSync } from 'node:fs';
import { EVENTOS, EVENTOS_WEBHOOK } from '@acuse/contract';
import { EVENTOS as DATOS } from '../deps.ts';

/** The guide of webhooks in a file: its table of events from the events, the rest as written by hand. */
export function webhooksText(file: URL, when: 0 | 1): string {
  const data = EVENTOS_WEBHOOK.map((tipo) =>
    Object.keys(DATOS[tipo]?.datos.shape ?? {})
      .slice(0, -1)
      .join('`, `'),
  );
  const same = ['los mismos', 'the same'][when];
  const rows = EVENTOS_WEBHOOK.map(
    (tipo, at) =>
      `| \`${tipo}\` | ${EVENTOS[tipo][when]} | ${data[at] === data[at - 1] ? same : `\`${data[at]}\``} |\n`,
  );
  const old = /(?<=^\| `type` .*\n.*\n)(?:\| `\w+\.\w+` \|.*\n)*/m;
  const text = readFileSync(file, 'utf8');
  if (!text.match(old)?.[0]) throw new Error(`${file.pathname} has no table of events`);
  return text.replace(old, rows.join(''));
}
