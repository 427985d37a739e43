import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { ROOT } from '../keys.ts';
import type { ObjectStore } from '../object-store.ts';
import { type AjustesS3, createS3Client, settingsS3Of } from './client.ts';
import { createPresign } from './presign.ts';
import { createS3Store, ensureBucket } from './s3-store.ts';

/**
 * Steps of the check, in this order. `condition`: the object store must refuse bytes of another version than requested.
 */
export const BUCKET_STEPS = ['find', 'write', 'read', 'condition', 'remove'] as const;
export type BucketStep = (typeof BUCKET_STEPS)[number];

/** What a bucket can do and whom it lets in. */
export interface BucketFacts {
  /** The first thing that failed; null when all of them work. */
  readonly failed: {
    readonly step: BucketStep;
    /** HTTP status, or null when there was no answer. */
    readonly status: number | null;
    /** The name that the protocol gives the error, such as `NoSuchBucket`. */
    readonly name: string;
    readonly error: unknown;
  } | null;
  /** True when objects can be read or listed without a signature; null when the check could not run. */
  readonly isPublic: boolean | null;
  /** How a presigned URL at the address for callers ends: its status, or null when it cannot be reached from here. */
  readonly url: { readonly address: string; readonly status: number | null } | null;
  /** Milliseconds by which our clock is ahead of the storage's, within a second; null when it told no time. */
  readonly skewMs: number | null;
}

const PROBE_BYTES = 64;
const URL_SECONDS = 60;
/** Half a second, since the date of an answer has no milliseconds. */
const HALF_A_SECOND_MS = 500;

/**
 * Writes, reads and removes an object of its own in the bucket of the settings, as packages are, and asks for it without
 * a signature. Rejects only when `signal` aborts.
 */
export async function inspectBucket(
  ajustes: AjustesS3,
  { signal, now }: { readonly signal: AbortSignal; readonly now: () => number },
): Promise<BucketFacts> {
  const settings = settingsS3Of(ajustes);
  const client = createS3Client(settings, settings.endpoint);
  const publicClient = createS3Client(settings, settings.publicEndpoint ?? settings.endpoint);
  const clock = watchClock(client, now);
  const store = createS3Store(client, settings);
  const prefix = `${ROOT}revision-${randomUUID()}/`;
  const probe = { key: `${prefix}prueba.zip`, bytes: randomBytes(PROBE_BYTES) };
  let step: BucketStep = 'find';
  let [isPublic, url]: [boolean | null, BucketFacts['url']] = [null, null];
  try {
    await ensureBucket(client, settings.bucket, false, signal);
    step = 'write';
    await store.write(probe.key, Readable.from([probe.bytes]), signal);
    step = 'read';
    await assertReads(store, probe, signal);
    step = 'condition';
    await assertKeepsVersions(store, probe, signal);
    const signed = (by: S3Client) =>
      createPresign(
        by,
        settings.bucket,
        () => new Date(now()),
      )(probe.key, {
        filename: 'prueba.zip',
        ttlSeconds: URL_SECONDS,
      });
    isPublic = await isOpenToAll((await signed(client)).url, probe.key, signal);
    url = await fetchUrl((await signed(publicClient)).url, signal);
    step = 'remove';
    await store.removePrefix(prefix);
    if ((await store.stat(probe.key, signal)) !== null) throw new Error('the object is still there');
    return { failed: null, isPublic, url, skewMs: clock.skewMs() };
  } catch (error) {
    if (step !== 'find' && step !== 'remove') await store.removePrefix(prefix).catch(() => {});
    signal.throwIfAborted();
    clock.hear(error instanceof S3ServiceException ? error.$response?.headers['date'] : undefined);
    const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? null) : null;
    const name = error instanceof Error ? error.name : '';
    return { failed: { step, status, name, error }, isPublic, url, skewMs: clock.skewMs() };
  } finally {
    client.destroy();
    publicClient.destroy();
  }
}

interface Probe {
  readonly key: string;
  readonly bytes: Buffer;
}

const whole = { start: 0, end: PROBE_BYTES };

async function assertReads(store: ObjectStore, { key, bytes }: Probe, signal: AbortSignal): Promise<void> {
  const found = await store.stat(key, signal);
  const read = found === null ? null : await buffer(store.read(key, found.version, whole, signal));
  if (!read?.equals(bytes)) throw new Error('other bytes came than were written');
}

/** Without this check, a package overwritten during a read could be a mix of two versions. */
async function assertKeepsVersions(store: ObjectStore, { key }: Probe, signal: AbortSignal): Promise<void> {
  const other = `"${'0'.repeat(32)}"`;
  try {
    await buffer(store.read(key, other, whole, signal));
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412) return;
    throw error;
  }
  throw new Error('the storage gave the bytes of a version that was not asked for');
}

/** Asks for the object, and for the list of all, by their addresses alone. */
async function isOpenToAll(signedUrl: string, key: string, signal: AbortSignal): Promise<boolean> {
  const object = new URL(signedUrl);
  object.search = '';
  const list = new URL(object);
  list.pathname = list.pathname.slice(0, -key.length);
  list.search = '?list-type=2&max-keys=1';
  const statuses = await Promise.all([object, list].map((address) => statusOf(address.href, signal)));
  return statuses.some((status) => status === 200);
}

async function fetchUrl(url: string, signal: AbortSignal): Promise<BucketFacts['url']> {
  const status = await statusOf(url, signal).catch(() => null);
  signal.throwIfAborted();
  return { address: new URL(url).origin, status };
}

async function statusOf(url: string, signal: AbortSignal): Promise<number> {
  const answer = await fetch(url, { signal, redirect: 'manual' });
  await answer.body?.cancel();
  return answer.status;
}

/** Compares the clock with the `Date` of every answer that a client gets. */
function watchClock(client: S3Client, now: () => number) {
  let skewMs: number | null = null;
  const hear = (date: string | undefined) => {
    const told = Date.parse(date ?? '');
    if (!Number.isNaN(told)) skewMs = now() - told - HALF_A_SECOND_MS;
  };
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers } = result.response as { headers?: Record<string, string> };
      hear(headers?.['date']);
      return result;
    },
    { step: 'deserialize', name: 'hearDate', priority: 'low' },
  );
  return { hear, skewMs: () => skewMs };
}
