import { isDeepStrictEqual } from 'node:util';
import { ExplainedError, explain } from '@acuse/runtime';
import { freePort, takePort } from '../free-port.ts';
import type { Settings } from '../settings.ts';
import type { CommandOptions } from './options.ts';

/** Where the parts listen while their ports are free. */
const USUAL = { api: 8080, panel: 8081, simulador: 8090, s3: 8333, postgres: 5433 };
type Ports = Readonly<Record<string, number>>;

/**
 * Starts on the ports of the options and settings, and else on the usual ones. A usual port that another program holds
 * is replaced by a free one, also when that program took it between the check and the bind. @throws when a port from
 * the options or settings is taken, and what `start` throws while its ports are free.
 */
export async function startOnFreePorts<T>(
  { port }: Pick<CommandOptions, 'port'>,
  settings: Pick<Settings, 'ports'>,
  start: (ports: Ports) => Promise<T>,
): Promise<T> {
  const asked: Ports = { ...settings.ports, ...(port === undefined ? {} : { api: port }) };
  const settingOf = (name: string) => (name === 'api' && port !== undefined ? '--port' : `${name.toUpperCase()}_PORT`);
  let ports = await choosePorts(USUAL, asked, settingOf);
  for (;;) {
    try {
      return await start(ports);
    } catch (error) {
      const next = await choosePorts(ports, asked, settingOf);
      if (isDeepStrictEqual(next, ports)) throw error;
      ports = next;
    }
  }
}

async function choosePorts(usual: Ports, asked: Ports, settingOf: (name: string) => string): Promise<Ports> {
  const chosen = Object.entries({ ...usual, ...asked }).map(async ([name, wanted]) => {
    if (name in asked) {
      const taken = takePort(wanted).catch((error) => {
        throw new ExplainedError(explain(error, { port: settingOf(name) }));
      });
      return [name, await taken] as const;
    }
    const free = await freePort(wanted);
    if (free !== wanted) process.stderr.write(`El puerto ${wanted} (${name}) está ocupado: se usa ${free}.\n`);
    return [name, free] as const;
  });
  return Object.fromEntries(await Promise.all(chosen));
}
