import { writeFile } from 'node:fs/promises';
import { envExampleText } from './env-example.ts';
import { ROOT } from './sources.ts';

await writeFile(`${ROOT}.env.example`, envExampleText());
