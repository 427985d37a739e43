import type { PlanEnsamble } from '@acuse/core';
import { expect, test } from 'vitest';
import { readZip } from '../../testing/zip-bytes.ts';
import { paqueteKey } from '../keys.ts';
import { createMemoryStore } from '../memoria.ts';
import { paquetesIn } from '../paquetes.ts';
import { DEFAULT_LIMITS } from '../zip/sat-package.ts';

const signal = new AbortController().signal;
const plan: PlanEnsamble = {
  solicitudId: 's1',
  rfc: 'EKU9003173C9',
  tipo: 'emitidos',
  desde: '2024-01-01',
  hasta: '2024-01-31',
  formato: 'csv',
  partes: [],
};
const withXml: PlanEnsamble = { ...plan, xml: { partes: [], tablas: false } };

function setUp() {
  const objects = new Map<string, Buffer>();
  const paquetes = paquetesIn(createMemoryStore(objects), DEFAULT_LIMITS, 6);
  const save = (nombre: string, text: string) => paquetes.saveEvidencia('s1', nombre, Buffer.from(text), signal);
  const namesIn = async (of: PlanEnsamble) => {
    await paquetes.assemble(of, signal, []);
    const zip = await readZip(objects.get(paqueteKey('s1')) ?? Buffer.alloc(0));
    return [...zip.keys()].filter((nombre) => nombre.startsWith('evidencia/'));
  };
  return { objects, paquetes, save, namesIn };
}

test('a package with XML has the saved answers in order of name, another has none', async () => {
  const { objects, save, namesIn } = setUp();
  await save('verificacion-002.xml', '<b/>');
  await save('solicitud-001.xml', '<c/>');
  await save('verificacion-001.xml', '');
  await save('verificacion-002.xml', '<a/>');
  expect(await namesIn(withXml)).toEqual([
    'evidencia/solicitud-001.xml',
    'evidencia/verificacion-001.xml',
    'evidencia/verificacion-002.xml',
  ]);
  const zip = await readZip(objects.get(paqueteKey('s1')) ?? Buffer.alloc(0));
  expect(zip.get('evidencia/verificacion-002.xml')?.toString()).toBe('<a/>');
  expect(await namesIn(plan)).toEqual([]);
});

test('saved answers go with the copies of the packages of the SAT', async () => {
  const { objects, paquetes, save } = setUp();
  await save('solicitud-001.xml', '<c/>');
  await paquetes.remove('s1', 'originales');
  expect([...objects.keys()]).toEqual([]);
});

test.each([
  ['a token of the REST service', 'a.json', '{"access_token":"x"}'],
  ['a certificate of the log-in', 'a.xml', '<o:BinarySecurityToken>MII</o:BinarySecurityToken>'],
  ['more than 1 MiB', 'a.xml', 'x'.repeat(1_048_577)],
  ['a name that leaves its folder', '../a.xml', '<a/>'],
  ['a hidden name', '.a', '<a/>'],
])('refuses %s', async (_, nombre, text) => {
  const { objects, save } = setUp();
  await expect(save(nombre, text)).rejects.toThrow(TypeError);
  expect(objects.size).toBe(0);
});
