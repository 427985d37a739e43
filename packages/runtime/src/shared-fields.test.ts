import { describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { ConfigError, loadConfig } from './config.ts';
import { parseQueueUrl, queueFields } from './shared-fields.ts';

describe('the address of the queue', () => {
  test.each([
    ['postgres://u:p@db/cola', 'postgres', ['postgres://u:p@db/cola'], ''],
    ['postgresql://db/cola?sslmode=require', 'postgres', ['postgresql://db/cola?sslmode=require'], ''],
    ['redis://:p@uno:6380/2', 'redis', ['redis://:p@uno:6380/2'], ''],
    ['rediss://uno', 'redis', ['rediss://uno'], ''],
    [
      'redis+sentinel://u:a%40b@uno:26380,dos,[::1]:26382/principal/3?sentinelPassword=c%40d',
      'sentinel',
      [
        'redis://u:a%40b@uno:26380/3?sentinelPassword=c%40d',
        'redis://u:a%40b@dos:26379/3?sentinelPassword=c%40d',
        'redis://u:a%40b@[::1]:26382/3?sentinelPassword=c%40d',
      ],
      'principal',
    ],
    ['rediss+sentinel://uno/el%20principal', 'sentinel', ['rediss://uno:26379/'], 'el principal'],
    ['redis+sentinel://u:p@ss@uno/principal', 'sentinel', ['redis://u:p%40ss@uno:26379/'], 'principal'],
    ['redis+cluster://uno,dos:7001', 'cluster', ['redis://uno:6379/', 'redis://dos:7001/'], ''],
    ['rediss+cluster://:p@uno/', 'cluster', ['rediss://:p@uno:6379/'], ''],
  ])('%s is read', (address, kind, servers, master) => {
    const read = parseQueueUrl(address);
    expect({ ...read, servers: read.servers.map(String) }).toEqual({ kind, servers, master });
  });

  const SCHEME = /^QUEUE_URL: debe empezar con postgres:\/\/, redis:\/\//;
  const HOSTS = /^QUEUE_URL: debe nombrar cada servidor como servidor:puerto/;
  const MASTER = /^QUEUE_URL: le falta .* el nombre del maestro: redis\+sentinel:\/\/servidor:26379/;
  test.each([
    ['http://uno', SCHEME],
    ['redis+sentinels://uno/secreto', SCHEME],
    ['postgres+cluster://u:secreto@uno', SCHEME],
    ['redis:secreto', SCHEME],
    ['redis+sentinel://u:se/creto@uno/principal', SCHEME],
    ['redis+sentinel://:secreto@uno,dos', MASTER],
    ['redis+sentinel://:secreto@uno,dos/', MASTER],
    ['redis+sentinel://uno/principal/base', MASTER],
    ['redis+sentinel:///principal', HOSTS],
    ['redis+sentinel://:secreto@uno,/principal', HOSTS],
    ['redis+sentinel://uno, dos/principal', HOSTS],
    ['redis+sentinel://uno:puerto/principal', HOSTS],
    ['redis+cluster://', HOSTS],
    ['redis+cluster://:secreto@:6379', HOSTS],
    ['redis+cluster://uno:65536', HOSTS],
    ['redis+cluster://uno/1', /^QUEUE_URL: no lleva nada tras los servidores/],
  ])('%s is refused with its remedy', (QUEUE_URL, fault) => {
    const load = () => loadConfig(z.object(queueFields), { QUEUE_URL });
    expect(load).toThrow(ConfigError);
    try {
      load();
    } catch (error) {
      expect((error as ConfigError).faults).toEqual([expect.stringMatching(fault)]);
      expect((error as ConfigError).message).not.toContain('secreto');
    }
  });

  it('is optional, and kept as it was given', () => {
    const schema = z.object(queueFields);
    expect(loadConfig(schema, {}).QUEUE_URL).toBeUndefined();
    expect(loadConfig(schema, { QUEUE_URL: ' redis+cluster://uno ' }).QUEUE_URL).toBe('redis+cluster://uno');
  });
});
