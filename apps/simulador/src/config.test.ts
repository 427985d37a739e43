import { describe, expect, it } from 'vitest';
import { helpText, loadConfig, OptionError } from './config.ts';

const faultsOf = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  try {
    loadConfig(args, env);
    return [];
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    return error.message.split('\n');
  }
};

describe('the configuration', () => {
  it('has defaults for everything', () => {
    expect(loadConfig([], {})).toEqual({
      host: '127.0.0.1',
      port: 4500,
      https: false,
      dataDir: undefined,
      efirmas: [],
      reloj: undefined,
      settings: {},
      json: false,
      shows: null,
    });
  });

  it('is read from the environment, and from options before it', () => {
    const env = { SIMULADOR_PORT: '1', SIMULADOR_HTTPS: 'true', SIMULADOR_AJUSTES: 'captcha=false,ms_lento=5' };
    const args = ['--puerto', '0', '--efirma=EKU9003173C9', '--efirma', 'XIQB891116QE4', '--datos=/tmp/sat', '--json'];
    expect(loadConfig(args, { ...env, SIMULADOR_SEMILLA: '7', SIMULADOR_RELOJ: '2026-03-31T23:50:00-06:00' })).toEqual({
      host: '127.0.0.1',
      port: 0,
      https: true,
      dataDir: '/tmp/sat',
      efirmas: ['EKU9003173C9', 'XIQB891116QE4'],
      reloj: new Date('2026-04-01T05:50:00Z'),
      settings: { captcha: false, ms_lento: 5, semilla: '7' },
      json: true,
      shows: null,
    });
    expect(loadConfig(['--ajuste', 'semilla=2026', '--ajuste', 'corte_69b=2026-01-31'], {}).settings).toEqual({
      semilla: '2026',
      corte_69b: '2026-01-31',
    });
  });

  it.each([
    [['--puerto', '70000'], /^--puerto \(SIMULADOR_PORT\): .*65535/],
    [['--puerto', '-1'], /^--puerto: falta su valor|SIMULADOR_PORT/],
    [['--efirma', 'abc', '--datos', 'x'], /^--efirma \(SIMULADOR_EFIRMAS\): no tiene la forma de un RFC/],
    [['--efirma', 'EKU9003173C9'], /--datos/],
    [['--reloj', 'ayer'], /^--reloj .*instante/],
    [['--ajuste', 'otro=1'], /no hay un ajuste «otro»/],
    [['--ajuste', 'captcha'], /«» no es un valor de captcha/],
    [['--ajuste', 'filas_por_paquete=0'], /«0» no es un valor de filas_por_paquete/],
    [['--otra'], /no existe la opción --otra/],
    [['--https=x'], /--https: va sin valor/],
    [['--semilla'], /--semilla: falta su valor/],
    [['4500'], /«4500» sobra/],
  ])('refuses %j and says why', (args, reason) => {
    expect(faultsOf(args)).toEqual([expect.stringMatching(reason)]);
  });

  it('names every fault of the environment at once', () => {
    expect(faultsOf([], { SIMULADOR_PORT: 'x', SIMULADOR_HTTPS: 'quizá', SIMULADOR_AJUSTES: 'a=1,b=2' })).toHaveLength(
      4,
    );
  });

  it('has every option in its help', () => {
    const options = [...helpText().matchAll(/^ {2}--(\w+)/gm)].map(([, name]) => name);
    expect(options.sort()).toEqual(
      ['ajuste', 'datos', 'efirma', 'help', 'host', 'https', 'json', 'puerto', 'reloj', 'semilla', 'version'].sort(),
    );
  });
});
