import { type ConsultarCfdi, toSeconds } from '@acuse/core';
import { createOpinionesPublicas } from '@acuse/sat';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { totalDe } from '../../packages/sat/src/publico/consultar-cfdi.ts';
import { createPublico } from '../../packages/sat/src/publico/create-publico.ts';
import { answered, edited, errorOf, MARZO, newRfc, record, simulate } from './setup.ts';

const PATIENT = { breakerFailures: Number.POSITIVE_INFINITY };
const { signal } = new AbortController();

/** A taxpayer with 50 received CFDI, one of them cancelled, and the SAT's public answers about them. */
async function setUp() {
  const simulador = await simulate();
  const { world } = simulador;
  const { http, requests } = record(simulador, PATIENT);
  const publico = createPublico({ http });
  const rfc = newRfc();
  const [desde, hasta] = [toSeconds(MARZO.inicio), toSeconds('2026-03-31T00:00:00')];
  world.taxpayers.change(rfc, { filas: [{ documento: 'cfdi', tipo: 'recibidos', desde, hasta, cantidad: 50 }] });
  const rows = [...world.taxpayers.rows(rfc, 'recibidos', desde, toSeconds(MARZO.fin))];
  const cfdiWith = (estatus: 'Vigente' | 'Cancelado'): ConsultarCfdi => {
    const row = rows.find((one) => one.estatus === estatus && one.efecto === 'I');
    if (row === undefined) throw new Error(`no ${estatus}`);
    const { rfcEmisor: emisorRfc, rfcReceptor: receptorRfc, uuid, monto } = row;
    return { consulta: 'consultar-cfdi', emisorRfc, receptorRfc, uuid, total: Number(monto) };
  };
  /** From now on, this fault alone spoils the operation. */
  const fault = (service: string, operation: string, change: ReturnType<typeof edited>) => {
    world.faults.remove();
    world.faults.add({ service, operation, ...change });
  };
  return {
    ...simulador,
    rfc,
    requests,
    fault,
    cfdiWith,
    consultar: (cfdi: ConsultarCfdi) => publico.send({ ...cfdi, consulta: 'consultar-cfdi' }, null, { signal }),
    /** The motive for which a CFDI's state cannot be told when the right answer is changed so. */
    async motivoOf(cfdi: ConsultarCfdi, change: ReturnType<typeof edited>) {
      fault('consultaqr', 'Consulta', change);
      return (await errorOf(publico.send({ ...cfdi, consulta: 'consultar-cfdi' }, null, { signal }))).motivo;
    },
    constancia: (idCif: string) => publico.send({ consulta: 'consultar-constancia-qr', rfc, idCif }, null, { signal }),
  };
}

/** Makes a field of the answer say something else, or leaves it out. */
const field = (name: string, value: string | null) => (xml: string) =>
  xml.replace(new RegExp(`<a:${name}(?:/>|>[^<]*</a:${name}>)`), () =>
    value === null ? '' : `<a:${name}>${value}</a:${name}>`,
  );

describe('consultar-cfdi', () => {
  it('asks with the expression of the QR code, and tells what the SAT says of a CFDI that it found', async () => {
    const { world, cfdiWith, consultar } = await setUp();
    const vigente = cfdiWith('Vigente');
    expect(await consultar(vigente)).toEqual({
      resultado: 'ENCONTRADO',
      estado: 'VIGENTE',
      esCancelable: expect.stringMatching(/ancelable/),
      estatusCancelacion: null,
      validacionEfos: expect.stringMatching(/^20[01]$/),
    });
    const { emisorRfc, receptorRfc, uuid, total } = vigente;
    const expresionImpresa = `?re=${emisorRfc}&rr=${receptorRfc}&tt=${totalDe(total)}&id=${uuid}`;
    expect(world.log.list({ operation: 'Consulta' })[0]?.detail).toMatchObject({ expresionImpresa });
    expect(await consultar(cfdiWith('Cancelado'))).toMatchObject({
      estado: 'CANCELADO',
      estatusCancelacion: expect.stringMatching(/./),
    });
  });

  it('escapes the ampersand of an RFC in the expression, which is escaped in XML once more', async () => {
    const { world, requests, cfdiWith, consultar } = await setUp();
    const cfdi = { ...cfdiWith('Vigente'), emisorRfc: 'H&E951128469', receptorRfc: 'OÑO120726RX3', total: 1160 };
    expect(await consultar(cfdi)).toEqual({ resultado: 'NO_ENCONTRADO' });
    const expresionImpresa = `?re=H&amp;E951128469&rr=OÑO120726RX3&tt=1160.0&id=${cfdi.uuid}`;
    expect(world.log.list({ operation: 'Consulta' })[0]?.detail).toMatchObject({ expresionImpresa });
    expect(String(requests[0]?.body)).toContain('re=H&amp;amp;E951128469&amp;rr=');
    expect(requests[0]).toMatchObject({
      path: '/ConsultaCFDIService.svc',
      headers: { soapaction: 'http://tempuri.org/IConsultaCFDIService/Consulta' },
    });
  });

  it('gives null for what the answer leaves out', async () => {
    const { cfdiWith, consultar, fault } = await setUp();
    fault(
      'consultaqr',
      'Consulta',
      edited((xml) => field('EsCancelable', null)(field('ValidacionEFOS', null)(xml))),
    );
    expect(await consultar(cfdiWith('Vigente'))).toMatchObject({ esCancelable: null, validacionEfos: null });
  });

  it('says "not found" for N - 602 alone', async () => {
    const { cfdiWith, motivoOf } = await setUp();
    const unknown = { ...cfdiWith('Vigente'), uuid: '6f9619ff-8b86-d011-b42d-00cf4fc964ff' };
    for (const [codigo, motivo] of [
      ['N - 601: La expresión impresa proporcionada no es válida.', 'SERVICIO_CON_ERROR'],
      ['La consulta no se pudo realizar. Expresión: 601', 'SERVICIO_CON_ERROR'],
      ['N - 603: El comprobante no es de este servicio.', 'SERVICIO_CON_ERROR'],
      ['N - 6021', 'SERVICIO_CON_ERROR'],
      ['', 'RESPUESTA_ILEGIBLE'],
      ['Servicio no disponible', 'RESPUESTA_ILEGIBLE'],
      ['602', 'RESPUESTA_ILEGIBLE'],
      [null, 'RESPUESTA_ILEGIBLE'],
    ] as const) {
      expect([codigo, await motivoOf(unknown, edited(field('CodigoEstatus', codigo)))]).toEqual([codigo, motivo]);
    }
    expect(await motivoOf(unknown, edited(field('Estado', 'Vigente')))).toBe('RESPUESTA_ILEGIBLE');
  });

  it('takes nothing else for an answer', async () => {
    const { cfdiWith, motivoOf } = await setUp();
    const cfdi = cfdiWith('Vigente');
    const nested = `${'<b>'.repeat(500)}${'</b>'.repeat(500)}`;
    const doctype = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>';
    for (const [what, change] of Object.entries({
      'an HTML page': () => '<!DOCTYPE html><html><body>Mantenimiento: no encontrado</body></html>',
      nothing: () => '',
      'an unknown state': field('Estado', 'Sin efecto'),
      'two states': field('Estado', 'Vigente</a:Estado><a:Estado>Cancelado'),
      'a strange validation': field('ValidacionEFOS', 'todos'),
      'another answer': (xml: string) => xml.replaceAll('ConsultaResponse', 'OtraResponse'),
      'another namespace': (xml: string) => xml.replace('"http://tempuri.org/"', '"http://otro/"'),
      'fields of another namespace': (xml: string) => xml.replace('Sat.Cfdi.Negocio', 'Otro.Negocio'),
      entities: (xml: string) => doctype + field('EsCancelable', '&b;')(xml),
      'an entity of nobody': field('EsCancelable', '&nbsp;'),
      'deep nesting': field('EsCancelable', nested),
      '50 MB': () => 'a'.repeat(50 * 1024 * 1024),
    })) {
      expect([what, await motivoOf(cfdi, edited(change))]).toEqual([what, 'RESPUESTA_ILEGIBLE']);
    }
    for (const status of [302, 404, 500]) {
      expect([status, await motivoOf(cfdi, answered('<html>Error</html>', { status }))]).toEqual([
        status,
        'SERVICIO_CON_ERROR',
      ]);
    }
  });

  it('takes no answer that is cut, wherever it is', async () => {
    const { cfdiWith, motivoOf } = await setUp();
    const unknown = { ...cfdiWith('Vigente'), uuid: '6f9619ff-8b86-d011-b42d-00cf4fc964ff' };
    let whole = Number.POSITIVE_INFINITY;
    for (let length = 0; length < whole; length += 3) {
      const cut = edited((xml) => {
        whole = xml.length;
        return xml.slice(0, length);
      });
      expect([length, await motivoOf(unknown, cut)]).toEqual([length, 'RESPUESTA_ILEGIBLE']);
    }
  });

  it('reads a text in the charset that the answer declares and no garbled one', async () => {
    const { cfdiWith, consultar, fault, motivoOf } = await setUp();
    const cfdi = cfdiWith('Vigente');
    const text = 'Cancelable con aceptación';
    const sent = (encoding: BufferEncoding, type: string): ReturnType<typeof edited> => ({
      kind: 'edited',
      edit: async (answer) => {
        const xml = field('EsCancelable', text)(await answer.text());
        return new Response(Buffer.from(xml, encoding), { headers: { 'content-type': type } });
      },
    });
    fault('consultaqr', 'Consulta', sent('latin1', 'text/xml; charset=iso-8859-1'));
    expect(await consultar(cfdi)).toMatchObject({ esCancelable: text });
    expect(await motivoOf(cfdi, sent('latin1', 'text/xml; charset=utf-8'))).toBe('RESPUESTA_ILEGIBLE');
    expect(await motivoOf(cfdi, sent('utf8', 'text/xml; charset=iso-8859-1'))).toBe('RESPUESTA_ILEGIBLE');
  });

  it('asks nothing that has no expression', async () => {
    const { cfdiWith, consultar, requests } = await setUp();
    for (const change of [{ total: -1 }, { emisorRfc: 'XIQB891116QE4&rr=' }, { uuid: '1' }]) {
      const error = await errorOf(consultar({ ...cfdiWith('Vigente'), ...change }));
      expect(error).toMatchObject({ motivo: 'PETICION_RECHAZADA' });
    }
    expect(requests).toEqual([]);
  });
});

describe('totalDe', () => {
  it.each([
    [0, '0.0'],
    [-0, '0.0'],
    [0.99, '0.99'],
    [1e-6, '0.000001'],
    [100, '100.0'],
    [1160.5, '1160.5'],
    [999999999999.99, '999999999999.99'],
    [0.1 + 0.7, null],
    [1e-7, null],
    [-5, null],
    [1e16, null],
    [1e21, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
  ])('%d is %s', (total, texto) => {
    if (texto === null) expect(() => totalDe(total)).toThrow('PETICION_RECHAZADA');
    else expect(totalDe(total)).toBe(texto);
  });

  it('writes every amount of cents back as it is', () => {
    fc.assert(
      fc.property(fc.nat(9e11), fc.nat(99), (pesos, centavos) => {
        const total = Number(`${pesos}.${String(centavos).padStart(2, '0')}`);
        expect(totalDe(total)).toMatch(/^(?:0|[1-9]\d*)\.(?:0|\d*[1-9])$/);
        expect(Number(totalDe(total))).toBe(total);
      }),
    );
  });
});

it('consultar-constancia-qr tells the not found of the page from everything else', async () => {
  const { world, rfc, constancia, requests, fault } = await setUp();
  const { idCif } = world.taxpayers.profile(rfc);
  expect(await constancia(idCif)).toMatchObject({ resultado: 'ENCONTRADA', constancia: { rfc, idCif } });
  const path = `/app/qr/faces/pages/mobile/validadorqr.jsf?D1=10&D2=1&D3=${idCif}_${encodeURIComponent(rfc)}`;
  expect(requests).toMatchObject([{ method: 'GET', host: 'siat.sat.gob.mx', path }]);
  expect(await constancia('1')).toEqual({ resultado: 'NO_ENCONTRADA' });
  for (const [body, status, motivo] of [
    ['', 404, 'SERVICIO_CON_ERROR'],
    ['', 302, 'SERVICIO_CON_ERROR'],
    ['', 200, 'RESPUESTA_ILEGIBLE'],
    ['<td>'.repeat(12 * 1024 * 1024), 200, 'RESPUESTA_ILEGIBLE'],
  ] as const) {
    fault('siat', 'ValidadorQr', answered(body, { status }));
    expect(await errorOf(constancia('1'))).toMatchObject({ motivo });
  }
  const asked = requests.length;
  expect(await errorOf(constancia('1_X'))).toMatchObject({ motivo: 'PETICION_RECHAZADA' });
  expect(requests).toHaveLength(asked);
});

describe('createOpinionesPublicas', () => {
  async function setUpFuente(timeoutMs = 60_000) {
    const { world, url } = await simulate();
    const fuente = createOpinionesPublicas({ url: `${url}/opinion-publica`, timeoutMs });
    onTestFinished(() => fuente.close());
    const rfc = newRfc();
    const publish = (autorizaPublicacion: boolean) =>
      world.taxpayers.change(rfc, { perfil: { opinion: { sentido: 'NEGATIVO', autorizaPublicacion } } });
    publish(true);
    const consultar = (own = signal) => fuente.consultar(rfc.toLowerCase(), own);
    const fault = (change: ReturnType<typeof edited>) =>
      void world.faults.add({ service: 'opinion-publica', operation: 'Consulta', ...change });
    return { world, publish, consultar, fault };
  }
  const json = (body: unknown, status = 200) =>
    answered(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

  it('tells a published opinion, and that there is none', async () => {
    const { world, publish, consultar } = await setUpFuente();
    world.clock.set(new Date('2026-11-20T18:30:00Z'));
    const fechaPublicacion = new Date('2026-11-20T06:00:00Z');
    expect(await consultar()).toEqual({ resultado: 'PUBLICADA', sentido: 'NEGATIVO', fechaPublicacion });
    publish(false);
    expect(await consultar()).toEqual({ resultado: 'NO_PUBLICADA' });
  });

  it.each<[string, ReturnType<typeof edited>, string]>([
    [
      'the opinion of somebody else',
      edited((t) => t.replace(/"rfc":"\w+"/, '"rfc":"XIQB891116QE4"')),
      'RESPUESTA_ILEGIBLE',
    ],
    ['an unknown sense', edited((t) => t.replace('NEGATIVO', 'Positiva')), 'RESPUESTA_ILEGIBLE'],
    ['a date without zone', edited((t) => t.replace(/T[^"]+/, '')), 'RESPUESTA_ILEGIBLE'],
    ['a further field', edited((t) => t.replace('{', '{"publicada":false,')), 'RESPUESTA_ILEGIBLE'],
    ['a list', edited((t) => `[${t}]`), 'RESPUESTA_ILEGIBLE'],
    ['half a text', edited((t) => t.slice(0, -3)), 'RESPUESTA_ILEGIBLE'],
    ['a body cut short', { kind: 'cut' }, 'NO_RESPONDE'],
    ['a page', answered('<html>404</html>', { status: 404 }), 'SERVICIO_CON_ERROR'],
    [
      'an empty 404',
      answered('', { status: 404, headers: { 'content-type': 'application/json' } }),
      'RESPUESTA_ILEGIBLE',
    ],
    ['404 for somebody else', json({ rfc: 'X', publicada: false }, 404), 'RESPUESTA_ILEGIBLE'],
    [
      'a published one with 404',
      { kind: 'edited', edit: async (a) => new Response(await a.text(), { status: 404, headers: a.headers }) },
      'RESPUESTA_ILEGIBLE',
    ],
    ['"not published" with 200', edited((t) => t.replace(/,.*/, ',"publicada":false}')), 'RESPUESTA_ILEGIBLE'],
    ['a redirect', json({}, 302), 'SERVICIO_CON_ERROR'],
    ['an error', json({}, 503), 'SERVICIO_CON_ERROR'],
    ['too much', json('a'.repeat(100_000)), 'RESPUESTA_ILEGIBLE'],
  ])('does not take %s for an answer', async (_what, change, motivo) => {
    const { consultar, fault } = await setUpFuente();
    fault(change);
    expect(await errorOf(consultar())).toMatchObject({ motivo });
  });

  it('ends with its time, and with the caller', async () => {
    const { consultar, fault } = await setUpFuente(200);
    expect(await errorOf(consultar(AbortSignal.abort()))).toMatchObject({ motivo: 'CANCELADA' });
    fault({ kind: 'slow', ms: 60_000 });
    expect(await errorOf(consultar())).toMatchObject({ motivo: 'TIEMPO_AGOTADO' });
    const stop = new AbortController();
    const asked = errorOf(consultar(stop.signal));
    stop.abort();
    expect(await asked).toMatchObject({ motivo: 'CANCELADA' });
  });

  it.each(['ftp://x/', 'http://x/?a=1', 'http://u:p@x/', 'http://:p@x/', 'x'])('refuses the address %s', (url) => {
    expect(() => createOpinionesPublicas({ url })).toThrow(TypeError);
  });
});
