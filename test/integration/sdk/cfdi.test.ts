import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Acuse, type Solicitud } from '@acuse/sdk';
import { descargarCfdi } from '@acuse/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { darFilas, filasDelSat, type Pedido, saldoDe } from '../fixtures/pedidos.ts';
import { type Caller, useServicio } from '../fixtures/servicio.ts';
import { LANGUAGES, resultadoDe, startProceso } from './clientes.ts';
import { type Leido, readAll } from './leido.ts';

const PEDIDO = { tipo: 'recibidos', desde: '2025-03-01', hasta: '2025-03-02' } as const satisfies Pedido;
const servicio = useServicio({}, {});
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'acuse-cfdi-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the CFDI of the simulated authority read as: those that it gives, then those that it keeps. */
function expectedOf(caller: Caller): Promise<Leido> {
  const rows = filasDelSat(servicio, caller.rfc, PEDIDO);
  const isKept = ({ estatus }: (typeof rows)[number]) => estatus === 'Cancelado';
  const cfdi = rows
    .filter((row) => !isKept(row))
    .map((row) => {
      const uuid = row.uuid.toUpperCase();
      const xml = Buffer.from(servicio.simulador.world.cfdis.xmlOf(row));
      return { uuid, ruta: `cfdi/2025-03/${uuid}.xml`, xml };
    });
  const faltantes = rows.filter(isKept).map(({ uuid }) => ({ uuid: uuid.toUpperCase(), motivo: 'CANCELADO_RECIBIDO' }));
  expect(Math.min(cfdi.length, faltantes.length)).toBeGreaterThan(0);
  return readAll({
    cfdi: async function* () {
      yield* cfdi;
    },
    faltantes: async function* () {
      yield* faltantes as { uuid: string; motivo: 'CANCELADO_RECIBIDO' }[];
    },
  });
}

async function newCaller() {
  const caller = await newEfirmaCaller(servicio, { saldo: 2 });
  darFilas(servicio, caller.rfc, PEDIDO, 60);
  return caller;
}

describe('the CFDI themselves by the client', () => {
  it('for TypeScript come one by one from a file, byte for byte, with those that are missing, for one credit', async () => {
    const caller = await newCaller();
    const acuse = new Acuse({ url: servicio.api.url, llave: caller.apiKey });
    const ruta = join(folder, 'typescript.zip');
    const seen: Solicitud[] = [];
    const { solicitud, archivo } = await descargarCfdi(acuse, { rfc: caller.rfc, ...PEDIDO }, ruta, {
      alAvanzar: (each) => void seen.push(each),
    });
    const leido = await readAll(archivo);
    expect(leido).toEqual(await expectedOf(caller));
    const { cfdi: entregados, faltantes } = leido;
    expect(solicitud.xml).toMatchObject({ esperados: entregados + faltantes, entregados, faltantes });
    expect(seen.at(-1)).toEqual(solicitud);
    await expect(descargarCfdi(acuse, { rfc: caller.rfc, ...PEDIDO }, ruta)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await saldoDe(servicio, caller)).toBe(1);
  });

  describe.each(LANGUAGES)('for $nombre', (language) => {
    it.skipIf(language.falta !== null)('come the same way', async () => {
      const caller = await newCaller();
      const proceso = startProceso(language);
      try {
        const ruta = join(folder, `${language.nombre}.zip`);
        const client = { scale: 0.1, azar: 0, cliente: { url: servicio.api.url, llave: caller.apiKey } };
        const ask = () => proceso.call(client, 'descargarCfdi', { ruta, rfc: caller.rfc, ...PEDIDO });
        const done = await ask();
        const { solicitud, ...leido } = resultadoDe<Leido & { readonly solicitud: Solicitud }>(done);
        const expected = await expectedOf(caller);
        expect(leido).toEqual({ ...expected, megabytes: expect.any(Number) });
        expect(solicitud.xml).toMatchObject({ entregados: expected.cfdi, faltantes: expected.faltantes });
        expect(done.avances.at(-1)).toEqual(solicitud);
        expect((await ask()).error?.mensaje).toContain('Ya existe el archivo');
        expect(await saldoDe(servicio, caller)).toBe(1);
      } finally {
        await proceso.close();
      }
    });
  });
});
