import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVENTOS_WEBHOOK } from '@acuse/contract';
import type { EventoSaldoBajo, EventoWebhook } from '@acuse/sdk';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { LANGUAGES } from './clientes.ts';

const TYPES = [...EVENTOS_WEBHOOK, 'prueba'];
const folderOf = (language: string) => LANGUAGES.find(({ nombre }) => nombre === language)?.paquete ?? '';
const hasChecker = spawnSync('mypy', ['--version']).status === 0;

describe('the type of an event', () => {
  it('narrows by `type` in TypeScript', () => {
    expectTypeOf<Extract<EventoWebhook, { type: 'saldo.bajo' }>>().toEqualTypeOf<EventoSaldoBajo>();
    expectTypeOf<EventoWebhook['type']>().toEqualTypeOf<(typeof EVENTOS_WEBHOOK)[number] | 'prueba'>();
    const creditsOf = (event: EventoWebhook) => (event.type === 'saldo.bajo' ? event.data.saldo : null);
    expectTypeOf(creditsOf).returns.toEqualTypeOf<number | null>();
  });

  it.runIf(hasChecker)('narrows by `type` in Python, whose client has no fault for mypy --strict', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'acuse-mypy-'));
    const program = `from acuse import EventoWebhook
def creditos(evento: EventoWebhook) -> int:
    return evento["data"]["saldo"] if evento["type"] == "saldo.bajo" else 0
def ajeno(evento: EventoWebhook) -> object:
    return evento["data"]["saldo"] if evento["type"] == "cfdi.cambios" else 0
`;
    try {
      await writeFile(join(folder, 'programa.py'), program);
      await writeFile(join(folder, 'mypy.ini'), `[mypy]\nmypy_path = ${folderOf('Python')}\n`);
      const check = (path: string) =>
        spawnSync('mypy', ['--strict', '--cache-dir', folder, path], { cwd: folder, encoding: 'utf8' }).stdout.trim();
      expect(check('programa.py').split('\n')).toEqual([
        'programa.py:5: error: TypedDict "DatosCfdiCambios" has no key "saldo"  [typeddict-item]',
        'Found 1 error in 1 file (checked 1 source file)',
      ]);
      expect(check(join(folderOf('Python'), 'acuse'))).toMatch(/^Success: no issues found/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is one shape for each event in the docblock of PHP, and a constant', async () => {
    const source = await readFile(join(folderOf('PHP'), 'src/generated/Eventos.php'), 'utf8');
    const union = /@phpstan-type EventoWebhook ([\s\S]*?)\n \*\/\n/.exec(source)?.[1] ?? '';
    expect([...union.matchAll(/type: '([\w.]+)'/g)].map(([, type]) => type)).toEqual(TYPES);
    expect([...source.matchAll(/public const \w+ = '([\w.]+)';/g)].map(([, type]) => type)).toEqual(TYPES);
  });
});
