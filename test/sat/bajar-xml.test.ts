import { type Filtros, type Periodo, type RespuestaBajarXml, toSeconds, type XmlDeCfdi } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answered, ciecDe, edited, errorOf, gate, MARZO, type Mount, refuses, setUp } from './setup.ts';

type Tipo = 'emitidos' | 'recibidos';
interface Pedido {
  readonly tipo?: Tipo;
  readonly periodo?: Periodo;
  readonly filtros?: Filtros | null;
  readonly signal?: AbortSignal;
  readonly omitibles?: number;
  reserve?(cuantos: number): Promise<boolean>;
}
const RECUPERA = ['portalcfdi', 'RecuperaCfdi'] as const;
const QUOTA_PAGE =
  '<html><body><p>Ya no puedes descargar m&aacute;s documentos, espera hasta ma&ntilde;ana.</p></body></html>';

const pedir = (
  mount: Mount,
  { signal = new AbortController().signal, ...pedido }: Pedido = {},
): Promise<RespuestaBajarXml> => {
  const whole = { tipo: 'recibidos', periodo: MARZO, reserve: async () => true, ...pedido } as const;
  return mount.ask({ consulta: 'bajar-xml', ...whole }, ciecDe(mount.rfc), { signal });
};

async function open(mount: Mount, pedido: Pedido = {}): Promise<AsyncIterable<XmlDeCfdi>> {
  const respuesta = await pedir(mount, pedido);
  if (respuesta.resultado !== 'XML') throw new Error(respuesta.resultado);
  return respuesta.documentos;
}

async function collect(documentos: AsyncIterable<XmlDeCfdi>, into: XmlDeCfdi[] = []): Promise<XmlDeCfdi[]> {
  for await (const documento of documentos) into.push(documento);
  return into;
}

const bajar = async (mount: Mount, pedido: Pedido = {}) => collect(await open(mount, pedido));

/** The rows of the taxpayer, and the documents of those that have XML. */
function truth({ world, rfc }: Mount, tipo: Tipo = 'recibidos', { inicio, fin }: Periodo = MARZO) {
  const rows = [...world.taxpayers.rows(rfc, tipo, toSeconds(inicio), toSeconds(fin))];
  const given = rows.filter(({ estatus }) => tipo === 'emitidos' || estatus === 'Vigente');
  const documents = given.map((row) => ({ uuid: row.uuid, xml: Buffer.from(world.cfdis.xmlOf(row)) }));
  return { rows, given, documents };
}

/** Gives the taxpayer so many received CFDI on a day of March. */
function give({ world, rfc }: Mount, cantidad: number) {
  const dia = toSeconds('2026-03-05T00:00:00');
  world.taxpayers.change(rfc, { filas: [{ documento: 'cfdi', tipo: 'recibidos', desde: dia, hasta: dia, cantidad }] });
}

describe('the XML of a period', () => {
  it.each(['emitidos', 'recibidos'] as const)(
    'are those of the SAT, byte for byte and in the order of the list: %s',
    async (tipo) => {
      const mount = await setUp();
      const { rows, documents } = truth(mount, tipo);
      const reserved: number[] = [];
      const reserve = async (n: number) => reserved.push(n) > 0;
      expect(await bajar(mount, { tipo, reserve })).toEqual(documents);
      expect(reserved).toEqual([documents.length]);
      expect(documents.length).toBeGreaterThan(10);
      // A cancelled CFDI has XML when it was issued only.
      expect(rows.length > documents.length).toBe(tipo === 'recibidos');
      expect([mount.accesos(), mount.calls('Buscar').length]).toEqual([1, 1]);
      expect(mount.calls('RecuperaCfdi')).toHaveLength(documents.length);
    },
  );

  it.each<[Tipo, Periodo]>([
    ['recibidos', { inicio: '2026-03-05T08:00:00', fin: '2026-03-20T07:59:59' }],
    ['recibidos', { inicio: '2026-03-05T06:00:00', fin: '2026-03-05T20:00:00' }],
    ['emitidos', { inicio: '2026-03-05T08:00:00', fin: '2026-03-20T07:59:59' }],
  ])('leave out what lies beyond it: %s, %o', async (tipo, periodo) => {
    const mount = await setUp();
    const { documents } = truth(mount, tipo, periodo);
    expect(await bajar(mount, { tipo, periodo })).toEqual(documents);
  });

  it('are narrowed by the page or by the list before they cost quota', async () => {
    const mount = await setUp();
    const { given, rows } = truth(mount, 'emitidos');
    const rfcs = [...new Set(rows.map(({ rfcReceptor }) => rfcReceptor))];
    const [uno = '', dos = ''] = rfcs;
    const isOf = (names: string[]) => (row: (typeof rows)[number]) => names.includes(row.rfcReceptor);
    const cases: Array<[Filtros, (row: (typeof rows)[number]) => boolean]> = [
      [{ estado_comprobante: 'cancelado' }, ({ estatus }) => estatus === 'Cancelado'],
      [
        { estado_comprobante: 'vigente', tipo_comprobante: 'I' },
        ({ estatus, efecto }) => estatus === 'Vigente' && efecto === 'I',
      ],
      [{ tipo_comprobante: 'P' }, ({ efecto }) => efecto === 'P'],
      [{ complemento: 'nomina12' }, ({ complemento }) => complemento === 'nomina12'],
      [{ rfc_contraparte: [uno] }, isOf([uno])],
      [{ rfc_contraparte: [uno, dos] }, isOf([uno, dos])],
    ];
    for (const [filtros, keep] of cases) {
      mount.world.log.clear();
      const expected = given.filter(keep).map(({ uuid }) => uuid);
      const respuesta = await pedir(mount, { tipo: 'emitidos', filtros });
      const found = respuesta.resultado === 'XML' ? await collect(respuesta.documentos) : [];
      expect([filtros, found.map(({ uuid }) => uuid)]).toEqual([filtros, expected]);
      expect(mount.calls('RecuperaCfdi')).toHaveLength(expected.length);
    }
  });

  it('are too many from 500 rows on, and nothing is fetched', async () => {
    const mount = await setUp();
    for (const cantidad of [501, 500]) {
      give(mount, cantidad);
      expect(await pedir(mount)).toEqual({ resultado: 'DEMASIADOS' });
    }
    expect(mount.calls('RecuperaCfdi')).toEqual([]);
  });

  it('are none where the page lists nothing, and an empty answer where it lists cancelled received CFDI alone', async () => {
    const mount = await setUp();
    expect(await bajar(mount, { filtros: { estado_comprobante: 'cancelado' }, reserve: async () => false })).toEqual(
      [],
    );
    mount.world.taxpayers.change(mount.rfc, { filas: [] });
    expect(await pedir(mount)).toEqual({ resultado: 'VACIA' });
  });

  it.each([
    ['an input', '<input type="image" id="BtnDescarga"'],
    ['an image', "<img height='25' ID='BtnDescarga'"],
  ])('are found behind %s for an icon', async (_name, icon) => {
    const mount = await setUp();
    give(mount, 4);
    mount.fault(
      'portalcfdi',
      'Buscar',
      withPanel((html) => html.replaceAll('<span id="BtnDescarga"', icon)),
    );
    expect(await bajar(mount)).toEqual(truth(mount).documents);
  });

  it('come once where the list has a row twice', async () => {
    const mount = await setUp();
    const { documents } = truth(mount);
    mount.fault(
      'portalcfdi',
      'Buscar',
      withPanel((html) => html.replace(/\t\t<tr>\n\t\t\t<td><div[\s\S]*?\n\t\t<\/tr>/, (row) => `${row}\n${row}`)),
    );
    expect(await bajar(mount)).toEqual(documents);
  });

  it('are not looked for in a list that names another taxpayer, another month or an icon that leads elsewhere', async () => {
    const mount = await setUp();
    const panel = (change: (html: string) => string) => (texto: string) => changePanel(texto, change);
    await refuses(mount, ['portalcfdi', 'Buscar'], () => pedir(mount), {
      'another taxpayer': panel((html) => html.replaceAll(`>${mount.rfc}<`, '>XAXX010101000<')),
      'another month': panel((html) => html.replaceAll('2026-03-', '2026-04-')),
      'another page': panel((html) => html.replaceAll('RecuperaCfdi.aspx', 'Detalle.aspx')),
    });
    expect(mount.calls('RecuperaCfdi')).toEqual([]);
  });
});

describe('the quota of the day', () => {
  it('keeps everything back when the page says that it is used up, or less is left than the list has', async () => {
    const mount = await setUp();
    const { documents } = truth(mount);
    expect(await pedir(mount, { reserve: async (n) => n < documents.length })).toEqual({ resultado: 'CUOTA' });
    mount.world.settings.max_xml_por_dia = 0;
    const reserve = () => Promise.reject(new Error('asked'));
    expect(await pedir(mount, { reserve })).toEqual({ resultado: 'CUOTA' });
    expect(mount.calls('RecuperaCfdi')).toEqual([]);
  });

  it('ends the stream with its name when others used it up', async () => {
    const mount = await setUp();
    const { documents } = truth(mount);
    // What others fetched is in no ledger of ours; the page only says that the rows are more than what is left.
    mount.world.settings.max_xml_por_dia = 12;
    const found: XmlDeCfdi[] = [];
    const error = await errorOf(collect(await open(mount), found));
    expect(error).toMatchObject({ clase: 'reintentable', codigo: 'CUOTA_DEL_DIA' });
    expect(documents).toEqual(expect.arrayContaining(found));
    expect(found.length).toBeGreaterThan(0);
  });

  it('is CUOTA when the first XML is refused for it', async () => {
    const mount = await setUp();
    mount.fault(...RECUPERA, answered(QUOTA_PAGE));
    expect(await pedir(mount)).toEqual({ resultado: 'CUOTA' });
    expect(mount.calls('RecuperaCfdi')).toHaveLength(1);
  });
});

describe('an XML that cannot be had', () => {
  const cut = (texto: string) => texto.slice(0, texto.indexOf('</cfdi:Comprobante>'));
  const FAULTS = [
    ['a connection that is cut', { kind: 'cut' }, 'NO_RESPONDE'],
    ['nothing', { kind: 'empty200' }, 'RESPUESTA_ILEGIBLE'],
    ['a maintenance page', { kind: 'html200' }, 'RESPUESTA_ILEGIBLE'],
    ['HTTP 503', { kind: 'status' }, 'SERVICIO_CON_ERROR'],
    ['another document', { kind: 'wrong-content' }, 'RESPUESTA_ILEGIBLE'],
    ['the XML without its end', edited(cut), 'RESPUESTA_ILEGIBLE'],
    [
      'the XML of another row',
      edited((texto) => texto.replace(/ UUID="[^"]{8}/, ' UUID="00000000')),
      'RESPUESTA_ILEGIBLE',
    ],
    ['more than 32 MB', edited((texto) => texto + ' '.repeat(33 * 1024 * 1024)), 'RESPUESTA_ILEGIBLE'],
  ] as const;

  it.each(FAULTS)('is fetched a second time: %s', async (_name, fault, motivo) => {
    const mount = await setUp();
    give(mount, 14);
    const { documents } = truth(mount);
    for (const after of [0, 5]) {
      mount.fault(...RECUPERA, { ...fault, times: 1, after });
      expect(await bajar(mount)).toEqual(documents);
      mount.world.faults.remove();
    }
    // The log has each try.
    expect(mount.calls('RecuperaCfdi')).toHaveLength(2 * (documents.length + 1));
    mount.fault(...RECUPERA, { ...fault, after: 5 });
    const found: XmlDeCfdi[] = [];
    expect(await errorOf(collect(await open(mount), found))).toMatchObject({ motivo });
    expect(found).toEqual(documents.slice(0, found.length));
    expect(found.length).toBeLessThan(documents.length);
  });

  it('is left out where that is allowed, unless none of the list can be had', async () => {
    const mount = await setUp();
    give(mount, 14);
    const { documents } = truth(mount);
    const bad = new Set([documents[0]?.uuid, documents[5]?.uuid]);
    const without = edited((texto) => ([...bad].some((uuid) => texto.includes(`UUID="${uuid}"`)) ? '<html/>' : texto));
    mount.fault(...RECUPERA, without);
    expect(await bajar(mount, { omitibles: 2 })).toEqual(documents.filter(({ uuid }) => !bad.has(uuid)));
    expect(await errorOf(bajar(mount, { omitibles: 1 }))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    mount.world.faults.remove();
    mount.fault(...RECUPERA, { kind: 'html200' });
    expect(await errorOf(pedir(mount, { omitibles: 14 }))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('is one of a CFDI that was cancelled after the list; the next list has it no more', async () => {
    const mount = await setUp();
    give(mount, 6);
    const { given } = truth(mount);
    const documentos = await open(mount);
    const last = given.at(-1);
    if (last) mount.world.taxpayers.cancel(last);
    expect(await errorOf(collect(documentos))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(await bajar(mount)).toEqual(truth(mount).documents);
  });
});

describe('the stream', () => {
  it('survives a session that is gone at the first XML, and ends with one that goes later', async () => {
    const mount = await setUp();
    give(mount, 14);
    const { documents } = truth(mount);
    mount.fault(...RECUPERA, { kind: 'expired', times: 1 });
    expect(await bajar(mount)).toEqual(documents);
    expect([mount.calls('Buscar').length, mount.accesos()]).toEqual([2, 2]);
    mount.world.faults.remove();
    mount.fault(...RECUPERA, { kind: 'expired', times: 1, after: 4 });
    const documentos = await open(mount);
    expect(await errorOf(collect(documentos))).toMatchObject({ clase: 'reintentable', codigo: 'SESION_VENCIDA' });
    // The portal's own session is renewed without a captcha.
    expect(await bajar(mount)).toEqual(documents);
    expect(mount.accesos()).toBe(2);
  });

  it('fetches ten at once, and no more than that ahead of a reader', async () => {
    const mount = await setUp({ http: { maxConcurrentPerHost: 20 } });
    give(mount, 60);
    const { documents } = truth(mount);
    const ten = gate();
    let [now, most] = [0, 0];
    mount.fault(...RECUPERA, {
      kind: 'edited',
      after: 1,
      edit: async (answer) => {
        now += 1;
        most = Math.max(most, now);
        if (now === 10) ten.open();
        await ten.opened;
        now -= 1;
        return answer;
      },
    });
    const fetched = () => mount.calls('RecuperaCfdi').length;
    const documentos = (await open(mount))[Symbol.asyncIterator]();
    expect(fetched()).toBe(1);
    for (const document of documents.slice(0, 3)) expect((await documentos.next()).value).toEqual(document);
    await expect.poll(fetched).toBe(3 + 11);
    expect(most).toBe(10);
    expect(await pedir(mount, { reserve: async () => false })).toEqual({ resultado: 'CUOTA' });
    expect(fetched()).toBe(3 + 11);
    await documentos.return?.();
    expect(await pedir(mount, { reserve: async () => false })).toEqual({ resultado: 'CUOTA' });
    expect(fetched()).toBe(3 + 11);
  });

  it('ends with its caller, read or not', async () => {
    const mount = await setUp();
    give(mount, 30);
    const [early, late] = [new AbortController(), new AbortController()];
    const unread = await open(mount, { signal: early.signal });
    early.abort();
    expect(await errorOf(collect(unread))).toMatchObject({ motivo: 'CANCELADA' });
    const documentos = await open(mount, { signal: late.signal });
    const reading = async () => {
      for await (const _ of documentos) late.abort();
    };
    expect(await errorOf(reading())).toMatchObject({ motivo: 'CANCELADA' });
  });
});

it('is every XML of the list, in order, or an error, whatever happens on the way', async () => {
  const mount = await setUp({ http: { breakerFailures: Number.POSITIVE_INFINITY } });
  const kinds = ['html200', 'empty200', 'status', 'cut', 'malformed', 'wrong-content', 'expired'] as const;
  const fault = fc.record({
    kind: fc.constantFrom(...kinds),
    after: fc.nat(20),
    times: fc.integer({ min: 1, max: 3 }),
  });
  const world = fc.record({ cantidad: fc.integer({ min: 1, max: 30 }), quota: fc.integer({ min: 0, max: 40 }) });
  let whole = 0;
  await fc.assert(
    fc.asyncProperty(world, fc.array(fault, { maxLength: 3 }), async ({ cantidad, quota }, faults) => {
      give(mount, cantidad);
      const { documents } = truth(mount);
      mount.world.clock.advance(24 * 3_600_000);
      mount.world.settings.max_xml_por_dia = quota;
      for (const each of faults) mount.fault(...RECUPERA, each);
      const found: XmlDeCfdi[] = [];
      const outcome = await open(mount)
        .then((documentos) => collect(documentos, found))
        .catch((error: unknown) => error);
      mount.world.faults.remove();
      expect(found).toEqual(documents.slice(0, found.length));
      if (Array.isArray(outcome)) expect(found).toHaveLength(documents.length);
      else expect(outcome).toBeInstanceOf(Error);
      if (faults.length === 0 && quota >= documents.length) expect(outcome).toEqual(documents);
      whole += Number(outcome === found && documents.length > 0);
    }),
    { numRuns: 15, examples: [[{ cantidad: 20, quota: 60 }, []]] },
  );
  expect(whole).toBeGreaterThan(0);
});

/** Changes the panel of results in the answer to a search, and its length with it. */
function changePanel(texto: string, change: (html: string) => string): string {
  const head = /(\d+)\|updatePanel\|ctl00_MainContent_UpnlResultados\|/.exec(texto);
  if (!head) throw new Error('no panel of results');
  const from = head.index + head[0].length;
  const to = from + Number(head[1]);
  const panel = change(texto.slice(from, to));
  if (panel === texto.slice(from, to)) throw new Error('panel unchanged');
  return `${texto.slice(0, head.index)}${panel.length}|updatePanel|ctl00_MainContent_UpnlResultados|${panel}${texto.slice(to)}`;
}

const withPanel = (change: (html: string) => string) => edited((texto) => changePanel(texto, change));
