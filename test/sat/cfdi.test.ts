import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Periodo, toSeconds } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answered,
  ciecDe,
  edited,
  errorOf,
  gate,
  MARZO,
  type Mount,
  newRfc,
  refuses,
  SOLICITAR,
  setUp,
  streamed,
  VERIFICAR,
} from './setup.ts';

const BUSCAR = ['portalcfdi', 'Buscar'] as const;
const FACTURAS = { consulta: 'listar-facturas', periodo: MARZO, maximo: 100_000 } as const;

/** What the taxpayer has in a period, by moment, then UUID. */
const truth = ({ world, rfc }: Mount, { inicio, fin }: Periodo, tipo: 'recibidos' | 'emitidos' = 'recibidos') =>
  [...world.taxpayers.rows(rfc, tipo, toSeconds(inicio), toSeconds(fin))]
    .sort((a, b) => (a.fechaEmision + a.uuid < b.fechaEmision + b.uuid ? -1 : 1))
    .map(({ uuid }) => uuid);

async function uuids(mount: Mount, periodo: Periodo = MARZO, signal = new AbortController().signal) {
  const lista = await mount.ask({ ...FACTURAS, periodo }, undefined, { signal });
  if (lista.resultado !== 'LISTA') throw new Error(lista.resultado);
  return lista.facturas.map(({ uuid }) => uuid);
}

/** Gives the taxpayer so many received CFDI from noon of March 5 on, and the portal so many rows a search. */
async function capped(mount: Mount, cantidad: number, segundos: number, max: number) {
  const desde = toSeconds('2026-03-05T12:00:00');
  const dia = toSeconds('2026-03-05T00:00:00');
  const fila = { documento: 'cfdi', tipo: 'recibidos', desde, hasta: dia, cantidad, segundos } as const;
  mount.world.taxpayers.change(mount.rfc, { filas: [fila] });
  await mount.showAtMost(max);
}

describe('listar-facturas', () => {
  it('goes through days and months in order, and leaves out what lies outside of the period', async () => {
    const mount = await setUp();
    for (const [periodo, searches] of [
      [{ inicio: '2026-03-05T00:00:00', fin: '2026-03-20T08:00:00' }, 1],
      [{ inicio: '2025-12-31T00:00:00', fin: '2026-02-01T03:00:00' }, 3],
    ] as const) {
      const before = mount.calls('Buscar').length;
      expect(await uuids(mount, periodo)).toEqual(truth(mount, periodo));
      expect(mount.calls('Buscar').length - before).toBe(searches);
    }
    mount.world.taxpayers.change(mount.rfc, { filas: [] });
    expect(await uuids(mount)).toEqual([]);
  });

  it.each([
    ['down to seconds', 9, 3, 4],
    ['a second by state', 12, 1, 11],
  ])('divides what is capped %s', async (_name, cantidad, segundos, max) => {
    const mount = await setUp();
    await capped(mount, cantidad, segundos, max);
    expect(await uuids(mount)).toEqual(truth(mount, MARZO));
    expect(truth(mount, MARZO)).toHaveLength(cantidad);
  });

  it('gives no part of a list whose rest cannot be had, nor of one that has more than the maximum', async () => {
    const mount = await setUp();
    await capped(mount, 30, 1, 5);
    expect(await errorOf(uuids(mount))).toMatchObject({ motivo: 'PETICION_RECHAZADA', codigo: 'LIMITE' });
    await capped(mount, 30, 30, 500);
    expect(await mount.ask({ ...FACTURAS, maximo: 29 })).toEqual({ resultado: 'DEMASIADAS' });
    expect(await mount.ask({ ...FACTURAS, maximo: 30 })).toMatchObject({ resultado: 'LISTA' });
    await capped(mount, 600, 600, 500);
    mount.world.log.clear();
    expect(await mount.ask({ ...FACTURAS, maximo: 499 })).toEqual({ resultado: 'DEMASIADAS' });
    expect(mount.calls('Buscar')).toHaveLength(1);
  });

  it('does not believe a row of another month or day, nor parts that leave out a row of the whole', async () => {
    const mount = await setUp();
    await capped(mount, 8, 8, 500);
    const dia = { inicio: '2026-03-05T00:00:00', fin: '2026-03-05T23:59:59' };
    const moved = (to: string) => (texto: string) => texto.replaceAll('2026-03-05T', to);
    await refuses(mount, BUSCAR, () => uuids(mount), { 'another month': moved('2026-04-05T') });
    await refuses(mount, BUSCAR, () => uuids(mount, dia), { 'another day': moved('2026-03-06T') });
    await capped(mount, 8, 8, 7);
    mount.fault(...BUSCAR, {
      kind: 'edited',
      times: 1,
      edit: (answer) => {
        mount.world.taxpayers.change(mount.rfc, { filas: [] });
        return answer;
      },
    });
    expect(await errorOf(uuids(mount))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('goes on with a new session when the portal forgets the old one in the middle, and stops when told so', async () => {
    const mount = await setUp();
    await capped(mount, 12, 6, 5);
    mount.fault(...BUSCAR, { kind: 'expired', times: 1, after: 3 });
    expect(await uuids(mount)).toEqual(truth(mount, MARZO));
    expect(mount.accesos()).toBe(2);
    const controller = new AbortController();
    const before = mount.calls('Buscar').length;
    mount.fault(...BUSCAR, {
      kind: 'edited',
      after: 2,
      edit: (answer) => {
        controller.abort();
        return answer;
      },
    });
    expect(await errorOf(uuids(mount, MARZO, controller.signal))).toMatchObject({ motivo: 'CANCELADA' });
    expect(mount.calls('Buscar').length - before).toBe(3);
  });

  it.each([
    ['ends before it begins', { inicio: '2026-03-02T00:00:00', fin: '2026-03-01T00:00:00' }],
    ['is no instant', { inicio: '2026-02-30T00:00:00', fin: '2026-03-01T00:00:00' }],
  ])('asks nothing for a period that %s', async (_name, periodo) => {
    const mount = await setUp();
    await expect(uuids(mount, periodo)).rejects.toBeInstanceOf(RangeError);
    expect(mount.requests).toEqual([]);
  });

  it('loses and doubles nothing, wherever the rows lie', async () => {
    const mount = await setUp();
    const corto = fc.record({ cantidad: fc.nat(40), segundos: fc.integer({ min: 20, max: 200_000 }) });
    await fc.assert(
      fc.asyncProperty(corto, async ({ cantidad, segundos }) => {
        await capped(mount, cantidad, segundos, 5);
        const periodo = { inicio: '2026-03-05T12:00:01', fin: '2026-03-07T00:00:00' };
        expect(await uuids(mount, periodo)).toEqual(truth(mount, periodo));
      }),
      { numRuns: 4 },
    );
  });
});

describe('solicitar-metadata', () => {
  it.each([
    ['issued ones with both instants', 'emitidos', '2025-12-31T05:06:07', '2026-02-01T20:30:59', null],
    ['received ones of a day with both times', 'recibidos', '2026-03-05T01:02:03', '2026-03-05T14:00:09', null],
    [
      'received ones of several days by their whole month',
      'recibidos',
      '2026-03-05T10:00:00',
      '2026-03-20T09:00:00',
      MARZO,
    ],
  ] as const)('asks for %s', async (_name, tipo, inicio, fin, whole) => {
    const mount = await setUp();
    const periodo = { inicio, fin };
    const asked = { ...SOLICITAR, tipo, periodo };
    const cuantas = truth(mount, whole ?? periodo, tipo).length;
    const respuesta = await mount.ask(asked);
    if (respuesta.resultado !== 'ACEPTADA') return expect([respuesta.resultado, cuantas]).toEqual(['VACIA', 0]);
    const { folio } = respuesta;
    await mount.ask({ ...asked, consulta: 'verificar-metadata', folio });
    const fin2 = await mount.ask({ ...asked, consulta: 'verificar-metadata', folio });
    expect(fin2).toEqual({ resultado: 'TERMINADA', paquetes: [folio], registros: cuantas });
  });

  it('refuses a period the caller should have divided, and retenciones, before it asks the SAT anything', async () => {
    const mount = await setUp();
    for (const [inicio, fin] of [
      ['2026-01-31T00:00:00', '2026-02-01T00:00:00'],
      ['2026-01-02T00:00:00', '2026-01-01T00:00:00'],
      ['2026-02-30T00:00:00', '2026-02-30T00:00:01'],
    ] as const) {
      await expect(mount.ask({ ...SOLICITAR, periodo: { inicio, fin } })).rejects.toBeInstanceOf(RangeError);
    }
    const retenciones = mount.ask({ ...SOLICITAR, documento: 'retenciones' });
    expect(await errorOf(retenciones)).toMatchObject({ motivo: 'CANAL_DESACTIVADO' });
    expect(mount.requests).toEqual([]);
  });

  it('answers VACIA without asking for a folio, and DEMASIADOS', async () => {
    const mount = await setUp();
    mount.world.settings.max_filas_metadata = 1;
    expect(await mount.ask(SOLICITAR)).toEqual({ resultado: 'DEMASIADOS' });
    mount.world.taxpayers.change(mount.rfc, { filas: [] });
    mount.world.log.clear();
    expect(await mount.ask(SOLICITAR)).toEqual({ resultado: 'VACIA' });
    expect(mount.calls('DescargaMetadatos')).toEqual([]);
  });

  it('takes nothing but a folio for one', async () => {
    const mount = await setUp({ http: { breakerFailures: Number.POSITIVE_INFINITY } });
    const uuid = '6F9619FF-8B86-D011-B42D-00CF4FC964FF';
    for (const [text, motivo] of [
      [JSON.stringify({ d: 'Error: no fue posible' }), 'SERVICIO_CON_ERROR'],
      [JSON.stringify({ d: 'Gracias' }), 'RESPUESTA_ILEGIBLE'],
      [JSON.stringify({ d: `folio ${uuid} ${newRfc()} ${uuid.replace('6', '7')}` }), 'RESPUESTA_ILEGIBLE'],
      [JSON.stringify({ folio: uuid }), 'RESPUESTA_ILEGIBLE'],
      ['<html><body>Mantenimiento</body></html>', 'RESPUESTA_ILEGIBLE'],
      ['', 'RESPUESTA_ILEGIBLE'],
    ] as const) {
      mount.fault('portalcfdi', 'DescargaMetadatos', answered(text));
      expect([text, (await errorOf(mount.ask(SOLICITAR))).motivo]).toEqual([text, motivo]);
      mount.world.faults.remove();
    }
  });

  it('does not search with the fields of a first step that was cut between records', async () => {
    const mount = await setUp();
    const cut = (texto: string) => texto.slice(0, texto.indexOf('0|hiddenField|__EVENTTARGET'));
    await refuses(mount, ['portalcfdi', 'ElegirFiltro'], () => mount.ask(SOLICITAR), { cut });
    expect(mount.calls('Buscar')).toEqual([]);
  });

  it('reads an answer of several megabytes, and an error record as an error of the service', async () => {
    const mount = await setUp();
    const more = 6 * 1024 * 1024;
    mount.fault(
      'portalcfdi',
      'Buscar',
      edited((texto) => `${texto}${more}|updatePanel|otro|${'x'.repeat(more)}|`, { times: 1 }),
    );
    expect(await mount.ask(SOLICITAR)).toMatchObject({ resultado: 'ACEPTADA' });
    mount.fault(...BUSCAR, answered('3|error|500|mal|'));
    expect(await errorOf(mount.ask(SOLICITAR))).toMatchObject({ motivo: 'SERVICIO_CON_ERROR', codigo: 'AJAX' });
  });
});

describe('the packages of a folio', () => {
  const LISTA = 'ConsultaDescargaMasiva.aspx';

  /** A folio that can be downloaded. */
  async function setUpFolio(options: Parameters<typeof setUp>[0] = {}) {
    const mount = await setUp(options);
    const respuesta = await mount.ask(SOLICITAR);
    if (respuesta.resultado !== 'ACEPTADA') throw new Error(respuesta.resultado);
    const { folio } = respuesta;
    const verificar = { ...VERIFICAR, folio };
    expect(await mount.ask(verificar)).toEqual({ resultado: 'EN_PROCESO' });
    expect(await mount.ask(verificar)).toMatchObject({ resultado: 'TERMINADA' });
    const descargar = async (paquete = folio, signal = new AbortController().signal) => {
      const found = await mount.ask({ ...verificar, consulta: 'descargar-paquete', paquete }, ciecDe(mount.rfc), {
        signal,
      });
      if (found.resultado !== 'PAQUETE') throw new Error(`answered ${found.resultado} ${found.codigo}`);
      return found.zip;
    };
    return { ...mount, folio, verificar, descargar };
  }
  const END = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]);
  const zipDe = (bytes: number) => Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(bytes, 7), END]);

  it('are not there while the portal does not list the folio', async () => {
    const mount = await setUp();
    expect(await mount.ask(VERIFICAR)).toEqual({ resultado: 'EN_PROCESO' });
  });

  it('are numbered when there are several, their rows added only when all tell, and each is fetched by its number', async () => {
    const { fault, world, ask, folio, verificar, descargar, calls } = await setUpFolio();
    const twice = (change: (row: string) => string) =>
      edited((html) => html.replace(/\t\t<tr>\n\t\t\t<td><span[\s\S]*?<\/tr>/, (row) => `${row}\n${change(row)}`));
    const again = (row: string) => row.replace(/','[^']*','Recuperacion'/, "','b3Rybw==','Recuperacion'");
    const paquetes = [`${folio}_01`, `${folio}_02`];
    const one = await ask(verificar);
    if (one.resultado !== 'TERMINADA') throw new Error(one.resultado);
    fault('portalcfdi', LISTA, twice(again));
    expect(await ask(verificar)).toEqual({ resultado: 'TERMINADA', paquetes, registros: 2 * Number(one.registros) });
    await expect(descargar()).rejects.toThrow();
    await buffer(await descargar(`${folio}_01`));
    const sent = calls('DescargarPaquete').length;
    await expect(descargar(`${folio}_02`)).rejects.toThrow('RESPUESTA_ILEGIBLE');
    expect(calls('DescargarPaquete')).toHaveLength(sent + 1);
    world.faults.remove();
    fault(
      'portalcfdi',
      LISTA,
      twice((row) => again(row).replace(/<td>\d+<\/td>/, '<td></td>')),
    );
    expect(await ask(verificar)).toEqual({ resultado: 'TERMINADA', paquetes, registros: null });
    world.faults.remove();
    fault(
      'portalcfdi',
      LISTA,
      edited((html) => html.replaceAll(folio, `${folio}-roto`)),
    );
    expect(await errorOf(ask(verificar))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('are streamed whatever their type, also byte by byte', async () => {
    const { fault, world, descargar } = await setUpFolio();
    const zip = zipDe(300_000);
    for (const tipo of ['application/zip', 'application/octet-stream', 'text/html']) {
      fault('portalcfdi', 'DescargarPaquete', answered(new Uint8Array(zip), { headers: { 'content-type': tipo } }));
      expect((await buffer(await descargar())).equals(zip)).toBe(true);
      world.faults.remove();
    }
    const small = zipDe(10);
    fault(
      'portalcfdi',
      'DescargarPaquete',
      streamed(() => Array.from(small, (byte) => Uint8Array.of(byte))),
    );
    expect((await buffer(await descargar())).equals(small)).toBe(true);
  });

  it('are not read faster than they are taken', async () => {
    const { fault, descargar } = await setUpFolio();
    const total = 48 * 1024 * 1024;
    const packages: { sent: number }[] = [];
    function* large() {
      const one = { sent: 0 };
      packages.push(one);
      yield Buffer.from('PK\x03\x04', 'latin1');
      for (; one.sent < total; one.sent += 1 << 18) yield new Uint8Array(1 << 18);
      yield END;
    }
    fault('portalcfdi', 'DescargarPaquete', streamed(large));
    const sizeOf = async (zip: Readable) => {
      let size = 0;
      for await (const piece of zip as AsyncIterable<Buffer>) size += piece.length;
      return size;
    };
    const waiting = await descargar();
    expect(await sizeOf(await descargar())).toBe(4 + total + END.length);
    // The time in which another one came whole was enough for this one too.
    expect(packages[0]?.sent).toBeLessThan(total / 2);
    expect(await sizeOf(waiting)).toBe(4 + total + END.length);
  });

  it('let go of the connection when the reader leaves before the first byte', async () => {
    const { fault, descargar } = await setUpFolio();
    const left = gate();
    function* endless() {
      try {
        for (;;) yield zipDe(100);
      } finally {
        left.open();
      }
    }
    fault('portalcfdi', 'DescargarPaquete', streamed(endless));
    (await descargar()).destroy();
    await left.opened;
  });

  it('end with an error when they are cut, not whole, too large, or nobody wants them any more', async () => {
    const { fault, world, folio, descargar } = await setUpFolio({ settings: { maxPaqueteBytes: 400_000 } });
    const whole = async (signal?: AbortSignal) => buffer(await descargar(folio, signal));
    fault('portalcfdi', 'DescargarPaquete', { kind: 'cut' });
    expect(await errorOf(whole())).toMatchObject({ clase: 'reintentable' });
    world.faults.remove();
    for (const bytes of [zipDe(200_000).subarray(0, 150_000), zipDe(500_000)]) {
      fault('portalcfdi', 'DescargarPaquete', answered(new Uint8Array(bytes)));
      expect(await errorOf(whole())).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
      world.faults.remove();
    }
    fault('portalcfdi', 'DescargarPaquete', {
      kind: 'edited',
      edit: () => new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array(zipDe(100))) })),
    });
    const controller = new AbortController();
    const zip = await descargar(folio, controller.signal);
    const reading = errorOf(buffer(zip));
    controller.abort();
    expect(await reading).toMatchObject({ motivo: 'CANCELADA' });
  });

  it('are no page: unreadable, or AGOTADO where the portal says so or lists the folio no more', async () => {
    const { fault, world, ask, folio, verificar, descargar } = await setUpFolio();
    const hidden = '<html><body>Ocurrió un error<input type="hidden" value="q8/xExPirA+vencido"></body></html>';
    for (const pagina of ['<html><body>Ocurrió un error inesperado</body></html>', hidden, '', 'PK', '%PDF-1.4']) {
      fault('portalcfdi', 'DescargarPaquete', answered(pagina));
      expect(await errorOf(descargar())).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
      world.faults.remove();
    }
    const askFor = { ...verificar, consulta: 'descargar-paquete', paquete: folio } as const;
    fault(
      'portalcfdi',
      'DescargarPaquete',
      answered('<html><body>El paquete ya no se encuentra disponible</body></html>'),
    );
    expect(await ask(askFor)).toMatchObject({ resultado: 'AGOTADO', codigo: 'VENCIDO' });
    world.faults.remove();
    world.clock.advance(96 * 3_600_000);
    expect(await ask(askFor)).toMatchObject({ resultado: 'AGOTADO', codigo: 'NO_LISTADO' });
  });

  it('come by a new session when the old one ends between the list and the package', async () => {
    const { fault, descargar, accesos } = await setUpFolio();
    fault('portalcfdi', 'DescargarPaquete', { kind: 'expired', times: 1 });
    expect((await buffer(await descargar())).subarray(0, 2).toString()).toBe('PK');
    expect(accesos()).toBe(2);
  });
});
