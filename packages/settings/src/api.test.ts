import { ConfigError, ciecLengthOf } from '@acuse/runtime';
import { describe, expect, it } from 'vitest';
import { REQUIRED } from '../../../apps/api/test/kit.ts';
import { readConfig } from './api.ts';

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('the settings', () => {
  it('have a default for everything but addresses and secrets', () => {
    const config = readConfig(REQUIRED);
    expect(config).toMatchObject({
      RATE_LIMIT_RPS: 50,
      RATE_LIMIT_BURST: 100,
      TRUSTED_PROXIES: [],
      EFIRMA_SHRED: true,
      DEADLINE_HOURS: 168,
    });
    expect(config.CIEC_LENGTH).toBeUndefined();
    expect(faultsOf({}).map((fault) => fault.split(':')[0])).toEqual(Object.keys(REQUIRED));
  });

  it('read lengths, blocks and prefixes', () => {
    const env = { CIEC_LENGTH: '8-16', TRUSTED_PROXIES: '10.0.0.0/8, ::1', USER_AGENT_DENY: 'Curl/,BOT' };
    expect(readConfig({ ...REQUIRED, ...env })).toMatchObject({
      CIEC_LENGTH: { min: 8, max: 16 },
      TRUSTED_PROXIES: ['10.0.0.0/8', '::1'],
      USER_AGENT_DENY: ['curl/', 'bot'],
    });
  });

  it('take a CIEC of 16 characters before a simulator, and of 8 to 16 before the SAT, unless told', () => {
    const lengthOf = (env: Record<string, string>) => ciecLengthOf(readConfig({ ...REQUIRED, ...env }));
    const sandbox = { SAT_BASE_URL: 'http://127.0.0.1:8090' };
    expect(lengthOf(sandbox)).toEqual({ min: 16, max: 16 });
    expect(lengthOf({})).toEqual({ min: 8, max: 16 });
    expect(lengthOf({ CIEC_LENGTH: '12' })).toEqual({ min: 12, max: 12 });
    expect(lengthOf({ ...sandbox, CIEC_LENGTH: '8-16' })).toEqual({ min: 8, max: 16 });
  });

  it.each([
    ['CIEC_LENGTH', '16-8'],
    ['CIEC_LENGTH', '0'],
    ['CIEC_LENGTH', 'dieciséis'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,proxy'],
    ['PASE_CACHE_SECONDS', '61'],
    ['RATE_LIMIT_BURST', '0'],
  ])('refuse %s=%s', (name, value) => {
    expect(faultsOf({ ...REQUIRED, [name]: value })).toEqual([expect.stringContaining(name)]);
  });
});
