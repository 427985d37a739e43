import { readFileSync } from 'node:fs';
import { silentLogger } from '@acuse/runtime';
import { startS3 } from '../../../packages/embedded/src/s3.ts';

/** Started as docker-compose.yml starts SeaweedFS: `server -s3 -dir=/data -s3.config=/run/acuse/s3.json`. */
const option = (name: string) => process.argv.find((each) => each.startsWith(`-${name}=`))?.split('=')[1] ?? '';
const { identities } = JSON.parse(readFileSync(option('s3.config'), 'utf8')) as {
  identities: { credentials: { accessKey: string; secretKey: string }[] }[];
};
const [credentials] = identities[0]?.credentials ?? [];
if (!credentials) throw new Error('the configuration names no credentials');

void startS3({
  dir: option('dir'),
  host: '0.0.0.0',
  port: 8333,
  buckets: [],
  accessKeyId: credentials.accessKey,
  secretAccessKey: credentials.secretKey,
  log: silentLogger,
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit());
