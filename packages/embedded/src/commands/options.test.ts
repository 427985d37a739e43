import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { helpOf, readOptions } from './options.ts';

describe('the options of demo and start', () => {
  test('are read, a path from the current folder on', () => {
    const args = ['--json', '--rows=12', '--rfc', 'neg900215si8', '--port', '9000', '--data', 'datos'];
    expect(readOptions('start', args)).toEqual({
      json: true,
      credencial: 'ciec',
      rows: 12,
      rfc: 'NEG900215SI8',
      port: 9000,
      dataDir: resolve('datos'),
    });
    expect(readOptions('demo', [])).toEqual({ json: false, credencial: 'ciec' });
  });

  test.each([
    ['start', ['--prot', '1'], 'no existe la opción --prot. Véalas con --help'],
    ['start', ['--credencial', 'ciec'], 'no existe la opción --credencial. Véalas con --help'],
    ['demo', ['--port', '1'], 'no existe la opción --port. Véalas con --help'],
    ['demo', ['todo'], '«todo» sobra: las opciones empiezan con --. Véalas con --help'],
    ['start', ['--port'], '--port: falta su valor'],
    ['start', ['--port', '99999'], '--port: debe ser un número entero entre 1 y 65,535'],
    ['start', ['--json=si'], '--json: va sin valor'],
    ['demo', ['--rows', '-1'], '--rows: debe ser un número entero entre 0 y 50,000,000'],
    ['demo', ['--credencial', 'x'], '--credencial: debe ser ciec o efirma'],
    ['demo', ['--redis', 'http://x'], '--redis: debe ser redis://servidor:puerto'],
  ] as const)('%s %j is refused in Spanish', (command, args, message) => {
    expect(() => readOptions(command, args)).toThrow(message);
  });

  test('are all in the help of their command, which any of them may ask for', () => {
    expect(readOptions('start', ['--json', '--help'])).toBeNull();
    expect(helpOf('start')).toContain('--port <valor>');
    expect(helpOf('start')).not.toContain('--credencial');
    expect(helpOf('demo')).toContain('--credencial <valor>');
  });
});
