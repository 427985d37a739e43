import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConteoXml } from '@acuse/sdk';
import { describe, expect, it } from 'vitest';
import { darFilas, saldoDe, UN_DIA, uuidsDelSat } from '../fixtures/pedidos.ts';
import { type Caller, useServicio } from '../fixtures/servicio.ts';
import { readZip } from '../fixtures/zip.ts';
import { runAcuse } from './acuse.ts';
import { type Datos, openAssistant } from './assistant.ts';

const servicio = useServicio({}, {});
const newFolder = () => mkdtemp(join(servicio.dir, 'xml-'));
const envOf = ({ apiKey, rfc }: Caller) => ({ ACUSE_URL: servicio.api.url, ACUSE_API_KEY: apiKey, ACUSE_RFC: rfc });
const DIA = ['--desde', UN_DIA.desde, '--hasta', UN_DIA.hasta];

describe('acuse descargar', () => {
  it('asks for XML and tables, and ends with their counts and where the missing ones are named', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 3 });
    darFilas(servicio, caller.rfc, UN_DIA, 30);
    const cwd = await newFolder();
    const options = ['--xml', '--tablas', '--salida', 'x.zip'];
    const { code, out } = await runAcuse(['descargar', ...DIA, ...options], { env: envOf(caller), cwd });
    const { names, manifest } = await readZip(await readFile(join(cwd, 'x.zip')));
    expect(names).toEqual(expect.arrayContaining(['faltantes.csv', 'conceptos.csv']));
    const { esperados, entregados, faltantes, por_motivo } = manifest['xml'] as ConteoXml;
    expect([code, out.split('\n')[1]]).toEqual([
      0,
      `XML: ${esperados} esperados, ${entregados} entregados, ${faltantes} faltantes (CANCELADO_RECIBIDO ${faltantes}). Cuáles: faltantes.csv, dentro del ZIP.`,
    ]);
    const [{ id } = { id: '' }] = await servicio.sql`SELECT id FROM solicitud WHERE rfc = ${caller.rfc}`;
    const again = ['descargar', '--continuar', String(id), '--salida', 'y.zip', '--json'];
    const on = await runAcuse(again, { env: envOf(caller), cwd });
    const told = JSON.parse(on.out.trimEnd().split('\n').at(-1) ?? '');
    expect(told.xml).toEqual({ esperados, entregados, faltantes, por_motivo, sin_metadata: 0 });
    const alone = await runAcuse(['descargar', ...DIA, '--tablas', '--salida', 'z.zip'], { env: envOf(caller), cwd });
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('necesita contenido xml')]);
    expect(await saldoDe(servicio, caller)).toBe(2);
  });
});

describe('acuse mcp', () => {
  it('brings the CFDI themselves where they are asked for, and tells their counts', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    darFilas(servicio, caller.rfc, UN_DIA, 20);
    const { ask } = await openAssistant(envOf(caller), '--carpeta', await newFolder());
    const { tipo, desde, hasta } = UN_DIA;
    const { solicitud_id } = (await ask('tax_descarga_metadata', { tipo, desde, hasta, contenido: 'xml' }))[
      'data'
    ] as Datos;
    await ask('descarga_esperar', { solicitud_id, segundos: 60 });
    const { archivo, xml } = await ask('descarga_guardar', { solicitud_id });
    const { names, manifest } = await readZip(await readFile(String(archivo)));
    expect(manifest['xml']).toMatchObject(xml as object);
    const entregados = names.filter((name) => name.startsWith('cfdi/')).length;
    expect(xml).toMatchObject({ esperados: uuidsDelSat(servicio, caller.rfc, UN_DIA).length, entregados });
  });
});
