import { writeFile } from 'node:fs/promises';
import { chartSchemaText } from './chart-schema.ts';
import { dataModelText } from './data-model.ts';
import { envExampleText } from './env-example.ts';
import { metricsText } from './metrics-table.ts';
import { personalDataText } from './personal-data.ts';
import { ROOT } from './sources.ts';

await writeFile(`${ROOT}.env.example`, envExampleText());
await writeFile(`${ROOT}ops/helm/acuse/values.schema.json`, chartSchemaText());
await writeFile(`${ROOT}docs/developers/data-model.md`, dataModelText());
await writeFile(`${ROOT}docs/operators/metrics.md`, metricsText());
await writeFile(`${ROOT}docs/operators/personal-data.md`, personalDataText());
