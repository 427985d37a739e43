import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVENTOS_WEBHOOK } from '@acuse/contract';
import { firmar, newSecreto } from '@acuse/webhooks';
import { afterAll, describe, expect, it } from 'vitest';

const text = readFileSync(new URL('../../../docs/integrators/es/webhooks.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'acuse-guia-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What each sample is run by, and what asks it about a message that comes over standard input. */
const LANGUAGES = {
  js: {
    program: process.execPath,
    file: 'muestra.mjs',
    head: '',
    ask: `import { readFileSync } from 'node:fs';
const casos = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(casos.map(({ cuerpo, encabezados, secreto }) => esDeAcuse(cuerpo, encabezados, secreto))));`,
  },
  python: {
    program: 'python3',
    file: 'muestra.py',
    head: '',
    ask: `import json, sys
print(json.dumps([es_de_acuse(c["cuerpo"], c["encabezados"], c["secreto"]) for c in json.load(sys.stdin)]))`,
  },
  php: {
    program: 'php',
    file: 'muestra.php',
    head: '<?php\n',
    ask: `$casos = json_decode(file_get_contents('php://stdin'), true);
echo json_encode(array_map(fn($c) => es_de_acuse($c['cuerpo'], $c['encabezados'], $c['secreto']), $casos));`,
  },
} as const;

/** A new secret and the key behind it. */
function newClave() {
  let clave = Buffer.alloc(0);
  const seal = (claro: Buffer) => {
    clave = Buffer.from(claro);
    return clave;
  };
  const { secreto } = newSecreto('w', { newId: () => 's', sellado: { seal } });
  return { secreto, clave };
}

const isThere = (program: string) => spawnSync(program, ['--version']).status === 0;

describe('the guide of webhooks', () => {
  it('names every event', () => {
    const named = [...text.matchAll(/^\| `([a-z_]+\.[a-z_]+|prueba)` \|/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual([...EVENTOS_WEBHOOK, 'prueba'].sort());
  });

  it.for(Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[])(
    'verifies in %s what we sign, and nothing else',
    (name, { skip }) => {
      const { program, file, head, ask } = LANGUAGES[name];
      const [, sample] = new RegExp(`^\`\`\`${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text) ?? [];
      if (sample === undefined) throw new Error(`the guide has no sample in ${name}`);
      if (!isThere(program)) return skip(`there is no ${program}`);
      const [una, otra, ajena] = [newClave(), newClave(), newClave()];
      const cuerpo = JSON.stringify({ type: 'prueba', data: { texto: 'Ñandú €' } });
      const segundos = Math.floor(Date.now() / 1_000);
      const encabezados = firmar({ id: 'evt_1', segundos, cuerpo }, [una.clave, otra.clave]);
      const viejo = firmar({ id: 'evt_1', segundos: segundos - 3_600, cuerpo }, [una.clave]);
      const testCases = [
        { cuerpo, encabezados, secreto: una.secreto },
        { cuerpo, encabezados, secreto: otra.secreto },
        { cuerpo, encabezados, secreto: ajena.secreto },
        { cuerpo: `${cuerpo} `, encabezados, secreto: una.secreto },
        { cuerpo, encabezados: { ...encabezados, 'webhook-id': 'evt_2' }, secreto: una.secreto },
        { cuerpo, encabezados: viejo, secreto: una.secreto },
      ];
      writeFileSync(join(folder, file), `${head}${sample}\n${ask}\n`);
      const { stdout, stderr } = spawnSync(program, [join(folder, file)], {
        input: JSON.stringify(testCases),
        encoding: 'utf8',
      });
      expect([stderr, JSON.parse(stdout || 'null')]).toEqual(['', [true, true, false, false, false, false]]);
    },
  );
});
