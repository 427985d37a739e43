import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExplainedError } from '@acuse/runtime';
import { newAccesos, newSecretos, OPERADOR, partesOf, type Valores } from '@acuse/vault';

/** The API of the cluster that a pod runs in, as the account that the pod has there. */
export interface Cluster {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
  readonly namespace: string;
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const TIMEOUT_MS = 20_000;

/**
 * The cluster of the pod that this process runs in (kubernetes.io: “Accessing the Kubernetes API from a Pod”). Whom its
 * certificate is trusted by, NODE_EXTRA_CA_CERTS says. @throws ExplainedError outside of a pod.
 */
export async function readCluster(env: Readonly<Record<string, string | undefined>>): Promise<Cluster> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  const read = async (name: string) => (await readFile(join(ACCOUNT, name), 'utf8')).trim();
  try {
    if (host === undefined) throw new Error('no cluster');
    const [token, namespace] = await Promise.all([read('token'), read('namespace')]);
    return { url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`, token, namespace };
  } catch {
    throw new ExplainedError(
      '--kubernetes: esta orden no corre en un pod con cuenta de servicio. Déla desde el operador del chart (docs/operators/kubernetes.md).',
    );
  }
}

/** A Secret as far as we write it. */
interface Secreto {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly type?: string;
}

/** What the operator's own Secret gives from outside: servers that are not ours, and services of others. */
export const EXTERNOS = ['DATABASE_URL', 'QUEUE_URL', 'S3_SECRET_ACCESS_KEY', 'CAPTCHA_TOKEN', 'SMTP_URL'] as const;
/** Of what a process is given in a cluster alone. */
const BESIDES: Readonly<Record<string, readonly string[]>> = {
  api: ['CAPTCHA_TOKEN'],
  descargas: ['CAPTCHA_TOKEN'],
  webhooks: ['SMTP_URL'],
  migrar: ['DATABASE_URL_COLA'],
};

/**
 * All values of an installation in a cluster: present values, new values for missing ones, and the current values from
 * outside. @param suffix ends the names of new users and databases, since several installations may share the server.
 * @throws ExplainedError that names the missing values.
 */
export function valoresEn(
  own: Valores,
  externos: Valores,
  { colaEnPostgres, suffix }: { readonly colaEnPostgres: boolean; readonly suffix: string },
): Valores {
  const { DATABASE_URL: databaseUrl } = externos;
  const needed = ['DATABASE_URL', 'S3_SECRET_ACCESS_KEY', ...(colaEnPostgres ? [] : ['QUEUE_URL'])];
  const missing = needed.filter((name) => externos[name] === undefined);
  if (databaseUrl === undefined || missing.length > 0)
    throw new ExplainedError(`Faltan en el Secret de fuera: ${missing.join(', ')}. Agréguelos y repita.`);
  const cola = colaEnPostgres ? colaOf(databaseUrl, own, suffix) : null;
  return {
    ...newSecretos(),
    ...own,
    ...externos,
    ...newAccesos(databaseUrl, { own, suffix }),
    ...(cola === null ? {} : { DATABASE_URL_COLA: cola, QUEUE_URL: cola }),
  };
}

/** A database of its own for the queue, with a user of its own; the one that it has keeps name and password. */
function colaOf(databaseUrl: string, { DATABASE_URL_COLA: before }: Valores, suffix: string): string {
  const made = new URL(newAccesos(databaseUrl).DATABASE_URL_WORKER);
  const own = before === undefined ? null : new URL(before);
  made.username = own?.username ?? `acuse_cola${suffix}`;
  made.password = own?.password ?? made.password;
  made.pathname = own?.pathname ?? `/acuse_cola${suffix}`;
  return made.href;
}

/**
 * The values of an installation in Secrets of a cluster: one for each process with its own alone, named `prefijo-proceso`,
 * and one with all of them for the operator.
 */
export function openKubernetes({ url, token, namespace }: Cluster, prefijo: string) {
  const secrets = `${url}/api/v1/namespaces/${namespace}/secrets`;

  /** The answer, or null without such a Secret. Errors report its status only: its content is secret. */
  async function ask(method: string, name: string, body?: object): Promise<Secreto | null> {
    const answer = await fetch(method === 'POST' ? secrets : `${secrets}/${name}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.ok) return (await answer.json()) as Secreto;
    await answer.body?.cancel();
    if (answer.status === 404 && method === 'GET') return null;
    throw new ExplainedError(
      answer.status === 409
        ? `Otra orden está cambiando los secretos de ${prefijo}. Repita la suya cuando termine.`
        : `Kubernetes contestó HTTP ${answer.status} a ${method} del Secret ${name}. Revise qué puede la cuenta de servicio del pod.`,
    );
  }

  /** Writes new values and keeps the values of others. Returns whether it wrote. */
  async function write(proceso: string, valores: Valores, present: Secreto | null): Promise<boolean> {
    const name = `${prefijo}-${proceso}`;
    const encoded = Object.fromEntries(
      Object.entries(valores).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    const data = { ...present?.data, ...encoded };
    if (present !== null && Object.entries(data).every(([key, value]) => present.data?.[key] === value)) return false;
    const labels = { 'app.kubernetes.io/name': 'acuse', 'app.kubernetes.io/managed-by': 'acuse' };
    const metadata = { ...(present?.metadata ?? { labels }), name };
    const secret = { apiVersion: 'v1', kind: 'Secret', type: present?.type ?? 'Opaque', metadata, data };
    await ask(present === null ? 'POST' : 'PUT', name, secret);
    return true;
  }

  const read = async () => {
    const present = await ask('GET', `${prefijo}-${OPERADOR}`);
    const entries = Object.entries(present?.data ?? {});
    const valores = Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
    return { present, valores };
  };

  return {
    /** The operator's values; none before the first order. */
    read: async (): Promise<Valores> => (await read()).valores,

    /**
     * Changes the values, one change at a time: `change` gets the present values and returns the new ones. Writes the
     * operator's Secret first, which refuses a second order; repeating an interrupted order writes the rest. Returns
     * the names of the written Secrets, and the values.
     */
    async change(change: (valores: Valores) => Valores): Promise<{ escritos: string[]; valores: Valores }> {
      const { present, valores } = await read();
      const all = { ...valores, ...change(valores) };
      const escritos: string[] = [];
      if (await write(OPERADOR, all, present)) escritos.push(`${prefijo}-${OPERADOR}`);
      for (const [proceso, parte] of partesOf(all)) {
        const more = (BESIDES[proceso] ?? []).flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]]));
        const own: Valores = { ...parte, ...Object.fromEntries(more) };
        if (Object.keys(own).length === 0) continue;
        const name = `${prefijo}-${proceso}`;
        if (await write(proceso, own, await ask('GET', name))) escritos.push(name);
      }
      return { escritos, valores: all };
    },
  };
}

/** What a mounted Secret of others has of what we need: a file for each. */
export async function readExternals(folder: string): Promise<Valores> {
  const entries = EXTERNOS.map(async (name) => {
    const value = await readFile(join(folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return '';
    });
    return [name, value.trim()] as const;
  });
  return Object.fromEntries((await Promise.all(entries)).filter(([, value]) => value !== ''));
}
