import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestPublicKeyOf, openManifestSigner, publishedKeys } from '@acuse/vault';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { assembled, memberOf, rowsOf } from '../../../packages/storage/testing/assembled-xml.ts';
import { runAcuse } from './acuse.ts';

const SEED = Buffer.alloc(32, 1).toString('base64');
const LLAVES = JSON.stringify({ llaves: publishedKeys(`m1:${manifestPublicKeyOf(SEED)}`) });
const COMPLETO = 'El paquete está completo y sin cambios.';

describe('acuse verificar', () => {
  let folder = '';
  let bytes: Buffer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'acuse-verificar-'));
    const [missing, ...rows] = rowsOf(4);
    const all = missing === undefined ? rows : [missing, ...rows];
    const signer = openManifestSigner(`m1:${SEED}`);
    bytes = (await assembled({ rows: all, packages: [rows.map((row) => memberOf(row))], signer })).file;
    await writeFile(join(folder, 'paquete.zip'), bytes);
    await writeFile(join(folder, 'llaves.json'), LLAVES);
  });
  afterAll(() => rm(folder, { recursive: true }));
  const verificar = (...args: string[]) => runAcuse(['verificar', ...args], { cwd: folder });

  it('says what it checked of a signed package, offline', async () => {
    const { code, out, err } = await verificar('paquete.zip', '--llaves', 'llaves.json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Cuentas: 4 esperados = 3 entregados + 1 faltantes.\n');
    expect(out).toContain('Firma: válida, de la llave m1.\n');
    expect(out.endsWith(`${COMPLETO}\n`)).toBe(true);
  });

  it('reads the keys of an address', async () => {
    const server = createServer((_, answer) => answer.end(LLAVES)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((listening) => server.once('listening', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/.well-known/acuse-manifiesto.json`;
    const { code, out } = await verificar('paquete.zip', '--llaves', url, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ valido: true, firma: 'valida', kid: 'm1', total_diferencias: 0 });
  });

  it('accepts a package without a known key only when it is told to', async () => {
    const strict = await verificar('paquete.zip');
    expect(strict.code).toBe(1);
    expect(strict.out).toContain('La firma es de la llave m1, que no está en --llaves');
    expect(strict.out).not.toContain(COMPLETO);
    const { code, out } = await verificar('paquete.zip', '--sin-firma');
    expect([code, out.includes(COMPLETO)]).toEqual([0, true]);
  });

  it('names the first differences of a changed package, also with --sin-firma', async () => {
    const changed = Buffer.from(bytes);
    const at = changed.indexOf('faltantes.csv');
    changed[at] = 0x46;
    await writeFile(join(folder, 'otro.zip'), changed);
    const { code, out, err } = await verificar('otro.zip', '--sin-firma');
    expect(code).toBe(1);
    expect(out).toMatch(/^Diferencias: 1:\n {2}El encabezado de faltantes\.csv, en el byte \d+, fue alterado\.\n$/);
    expect(err).toBe('Error: El paquete no pasó la comprobación.\n');
  });

  it.each([
    ['keys that are none', ['paquete.zip', '--llaves', 'paquete.zip'], 2],
    ['an address without keys', ['paquete.zip', '--llaves', 'http://127.0.0.1:1/'], 2],
    ['no package', [], 2],
    ['a file that is not there', ['nada.zip'], 9],
  ])('ends with the exit code of %s', async (_, args, exit) => {
    expect((await verificar(...args)).code).toBe(exit);
  });
});
