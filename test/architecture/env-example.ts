import { cliConfig } from '@acuse/cli';
import { describeConfig, envExample } from '@acuse/runtime';
import { apiConfig } from '@acuse/settings/api';
import { panelConfig } from '@acuse/settings/panel';
import { workerConfig } from '@acuse/settings/worker';
import type { z } from 'zod';

const HEAD = `# Settings of Acuse, generated from the schemas of the processes by \`npm run generate\`.
# Every secret can also be read from a file: NAME_FILE gives its path.
# \`npx acuse operador secretos\` makes the secrets of a new installation. \`npm start\` makes its own, and reads these settings from the environment and
# from a file .env beside this one.
`;

/** The schema of each process that reads settings, under the title that it has in .env.example. */
export const SECTIONS: readonly (readonly [title: string, schema: z.ZodObject<z.ZodRawShape>])[] = [
  ['API (apps/api)', apiConfig],
  ['Workers (apps/worker)', workerConfig],
  ['Panel (apps/panel)', panelConfig],
  ["The operator's command line (apps/cli)", cliConfig],
];

/** The text of .env.example: every setting of every process, once for each process that reads it. */
export function envExampleText(): string {
  const bodies = SECTIONS.map(([title, schema]) => `# --- ${title} ---\n\n${envExample(describeConfig(schema))}`);
  return `${[HEAD, ...bodies].join('\n').trimEnd()}\n`;
}
