import { createHash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** Report of a deletion: with random ids, without the RFC. */
export const informeSchema = z.looseObject({
  version: z.literal(1),
  id: z.uuid(),
  numero: z.int().min(1),
  cuenta_id: z.uuid(),
  contribuyente_id: z.uuid(),
  rfc_huella: z.string(),
  anterior: z.string().nullable(),
  huella: z.string(),
});
export type Informe = z.output<typeof informeSchema>;

/** The same value, the same text: keys in order, no spaces. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** A report as it is kept, and its hash, which the next one carries. */
export function writeInforme(fields: Readonly<Record<string, unknown>>): { informe: string; huella: string } {
  const informe = canonical(fields);
  return { informe, huella: hashOf(informe) };
}

/** The same with its hash, as it is handed over. */
export const readInforme = ({ informe, huella }: { readonly informe: string; readonly huella: string }): Informe =>
  informeSchema.parse({ ...JSON.parse(informe), huella });

/** Whether a report is what its hash was made of. */
export function isWhole({ huella, ...fields }: Informe): boolean {
  return hashOf(canonical(fields)) === huella;
}

/** 32 MiB and some tenths of a second a try: there are few RFCs. */
const COST: ScryptOptions = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1_024 * 1_024 };
const BYTES = 32;

const derive = (rfc: string, salt: Buffer) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(rfc, salt, BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });

/** Hash that shows a holder of the RFC that the report is about it; it does not reveal the RFC. */
export async function hashRfc(rfc: string): Promise<string> {
  const salt = randomBytes(16);
  return `scrypt:${salt.toString('base64url')}:${(await derive(rfc, salt)).toString('base64url')}`;
}

/** Whether a hash of {@link hashRfc} is of this RFC. */
export async function isOfRfc(huella: string, rfc: string): Promise<boolean> {
  const [, salt = '', key = ''] = huella.split(':');
  const expected = Buffer.from(key, 'base64url');
  const found = await derive(rfc, Buffer.from(salt, 'base64url'));
  return expected.length === found.length && timingSafeEqual(expected, found);
}
