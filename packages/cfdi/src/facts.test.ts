import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { createFactsReader, type Facts } from './facts.ts';
import { MOTIVOS, XmlIlegible } from './ilegible.ts';

const UUID = 'AD662D33-6934-459C-A128-BDF0393E0F44';
const fixture = (name: string) => readFileSync(new URL(`testing/${name}.xml`, import.meta.url));
const FIXTURES = ['ingreso-40', 'ingreso-33', 'pagos-20', 'pagos-10'].map(fixture);
const reader = createFactsReader();

/** The facts of a document in one piece, or the reason. */
function read(document: string | Uint8Array): Facts | string {
  try {
    reader.write(Buffer.from(document));
    return reader.end();
  } catch (error) {
    if (error instanceof XmlIlegible) return error.motivo;
    throw error;
  }
}

const stamp = (uuid: string) =>
  `<tfd:TimbreFiscalDigital xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" UUID="${uuid}"/>`;
interface Parts {
  readonly head?: string;
  readonly root?: string;
  readonly children?: string;
  readonly complemento?: string;
  readonly tail?: string;
}
const PARTIES = '<c:Emisor Rfc="EKU9003173C9"/><c:Receptor Rfc="XAXX010101000"/>';
/** A small CFDI 4.0, some parts of it replaced. */
const cfdi = ({ head = '', root = '', children = PARTIES, complemento = stamp(UUID), tail = '' }: Parts = {}) =>
  `${head}<c:Comprobante xmlns:c="http://www.sat.gob.mx/cfd/4" Version="4.0" Fecha="2026-10-02T10:19:58" TipoDeComprobante="I"${root}>` +
  `${children}<c:Complemento>${complemento}</c:Complemento>${tail}</c:Comprobante>`;
const FACTS = {
  version: '4.0',
  uuid: UUID,
  fecha: '2026-10-02T10:19:58',
  tipo: 'I',
  rfcEmisor: 'EKU9003173C9',
  rfcReceptor: 'XAXX010101000',
};

const PAYMENT = { ...FACTS, tipo: 'P', rfcReceptor: 'URE180429TM6' };

describe('the facts of a CFDI', () => {
  it('come from versions 3.3 and 4.0 with any prefix, and from the stamp in the Complemento', () => {
    expect(FIXTURES.map(read)).toEqual([
      { ...FACTS, rfcReceptor: 'H&E951128469' },
      { ...FACTS, version: '3.3', uuid: 'AD662D33-6934-459C-A128-BDF0393E0F33', fecha: '2021-03-04T09:08:07' },
      { ...PAYMENT, uuid: 'AD662D33-6934-459C-A128-BDF0393E0F20' },
      { ...PAYMENT, version: '3.3', uuid: 'AD662D33-6934-459C-A128-BDF0393E0F10', fecha: '2020-02-29T23:59:59' },
    ]);
  });

  it.each([
    ['a byte order mark', cfdi({ head: '\ufeff<?xml version="1.0" encoding="utf-8"?>' })],
    ['CRLF around everything', cfdi({ head: '<?xml version="1.0"?>\r\n', root: '\r\n' }).replaceAll('><', '>\r\n<')],
    ['a UUID in lower case', cfdi({ complemento: stamp(UUID.toLowerCase()) })],
    ['white space around the UUID', cfdi({ complemento: stamp(`\r\n ${UUID} `) })],
    ['single quotes', cfdi().replaceAll('"', "'")],
    ['references in an RFC', cfdi().replace('EKU9003173C9', '&#69;&#x4B;U9003173C9')],
    ['namespaces by default', cfdi().replace('xmlns:c', 'xmlns').replaceAll('c:', '')],
    ['another complement that has a stamp of its own', cfdi({ complemento: `${stamp(UUID)}<x>${stamp('otro')}</x>` })],
    ['a stamp in the Addenda', cfdi({ tail: `<c:Addenda>${stamp('otro')}</c:Addenda>` })],
    ['a whole CFDI in the Addenda', cfdi({ tail: `<c:Addenda>${cfdi({ complemento: stamp('otro') })}</c:Addenda>` })],
    ['a Complemento of another namespace', cfdi({ tail: `<Complemento>${stamp('otro')}</Complemento>` })],
    ['a stamp of another namespace', cfdi({ complemento: `<TimbreFiscalDigital UUID="otro"/>${stamp(UUID)}` })],
    ['the RFC of a third party', cfdi({ children: `${PARTIES}<c:Conceptos><c:Emisor Rfc="OTRO"/></c:Conceptos>` })],
    ['a comment with another stamp', cfdi({ complemento: `<!-- ${stamp('otro')} -->${stamp(UUID)}` })],
    ['a CDATA section with another stamp', cfdi({ complemento: `<x><![CDATA[${stamp('otro')}]]></x>${stamp(UUID)}` })],
    ['64 levels', cfdi({ tail: `<c:Addenda>${'<a>'.repeat(62)}${'</a>'.repeat(62)}</c:Addenda>` })],
    ['256 attributes', cfdi({ tail: `<a ${Array.from({ length: 256 }, (_, at) => `a${at}=""`).join(' ')}/>` })],
  ])('are found with %s', (_, document) => {
    expect(read(document)).toEqual(FACTS);
  });

  it.each([
    ['NO_ES_XML', 'nothing', ''],
    ['NO_ES_XML', 'bytes that are no XML', '%PDF-1.7 and more'],
    ['NO_ES_XML', 'two roots', `${cfdi()}${cfdi()}`],
    ['NO_ES_XML', 'text behind the root', `${cfdi()}x`],
    ['NO_ES_XML', 'an entity that only a DTD could declare', cfdi({ children: `${PARTIES}&ext;` })],
    ['NO_ES_XML', 'XML 1.1', cfdi({ head: '<?xml version="1.1"?>' })],
    ['NO_ES_XML', 'two attributes of one name', cfdi({ complemento: stamp(`${UUID}" UUID="${UUID}`) })],
    ['NO_ES_XML', 'a prefix that nothing binds', cfdi({ tail: '<z:a/>' })],
    ['NO_ES_XML', 'a control character', cfdi({ tail: '<a b="\u0001"/>' })],
    ['TRUNCADO', 'an open comment', `${cfdi()}<!-- `],
    ['CODIFICACION', 'UTF-16', Buffer.from(`\ufeff${cfdi()}`, 'utf16le')],
    ['CODIFICACION', 'another declared encoding', cfdi({ head: '<?xml version="1.0" encoding="windows-1252"?>' })],
    ['CODIFICACION', 'bytes that are no UTF-8', Buffer.from(cfdi({ tail: '<a b="ñ"/>' }), 'latin1')],
    ['CON_DTD', 'a DTD', cfdi({ head: '<!DOCTYPE html>' })],
    ['CON_DTD', 'the billion laughs', cfdi({ head: '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>' })],
    ['CON_DTD', 'an external entity', cfdi({ head: '<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]>' })],
    ['DEMASIADO_HONDO', '65 levels', cfdi({ tail: `<c:Addenda>${'<a>'.repeat(63)}` })],
    [
      'DEMASIADO_GRANDE',
      '257 attributes',
      cfdi({ tail: `<a ${Array.from({ length: 257 }, (_, at) => `a${at}=""`).join(' ')}/>` }),
    ],
    ['DEMASIADO_GRANDE', 'an attribute of more than 256 KiB', cfdi({ tail: `<a b="${'x'.repeat(262_145)}"/>` })],
    ['DEMASIADO_GRANDE', 'a tag of more than 1 MiB', cfdi({ tail: `<a${' '.repeat(1_048_577)}/>` })],
    ['DEMASIADO_GRANDE', 'an open tag of more than 1 MiB', `<a${' '.repeat(1_048_577)}`],
    ['DEMASIADO_GRANDE', 'more than 32 MiB', cfdi({ tail: ' '.repeat(33_554_432) })],
    [
      'DEMASIADO_GRANDE',
      'more than 10,000 names',
      cfdi({ tail: Array.from({ length: 10_001 }, (_, at) => `<n${at}/>`).join('') }),
    ],
    ['NO_ES_CFDI', 'a retención', '<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/2"/>'],
    ['NO_ES_CFDI', 'a Comprobante of no namespace', '<Comprobante Version="4.0"/>'],
    ['VERSION_DESCONOCIDA', 'version 4.1', cfdi().replace('"4.0"', '"4.1"')],
    ['VERSION_DESCONOCIDA', 'version 3.3 in the namespace of 4.0', cfdi().replace('"4.0"', '"3.3"')],
    ['FALTAN_DATOS', 'no date', cfdi().replace('Fecha="2026-10-02T10:19:58"', '')],
    ['FALTAN_DATOS', 'no Receptor', cfdi({ children: '<c:Emisor Rfc="EKU9003173C9"/>' })],
    ['SIN_TIMBRE', 'no stamp', cfdi({ complemento: '' })],
    [
      'SIN_TIMBRE',
      'a stamp in the Addenda alone',
      cfdi({ complemento: '', tail: `<c:Addenda>${stamp(UUID)}</c:Addenda>` }),
    ],
    ['SIN_TIMBRE', 'a stamp within another complement', cfdi({ complemento: `<x>${stamp(UUID)}</x>` })],
    ['VARIOS_TIMBRES', 'two stamps', cfdi({ complemento: stamp(UUID).repeat(2) })],
    [
      'VARIOS_TIMBRES',
      'two Complementos with a stamp',
      cfdi({ tail: `<c:Complemento>${stamp(UUID)}</c:Complemento>` }),
    ],
    ['UUID_INVALIDO', 'a stamp without UUID', cfdi({ complemento: stamp(UUID).replace('UUID=', 'Uuid=') })],
    ['UUID_INVALIDO', 'a UUID without hyphens', cfdi({ complemento: stamp(UUID.replaceAll('-', '')) })],
  ] as const)('are refused as %s: %s', (motivo, _, document) => {
    expect([read(document), read(cfdi())]).toEqual([motivo, FACTS]);
    expect(new XmlIlegible(motivo).message).toBe(MOTIVOS.get(motivo));
  });

  it('of version 3.2 are its version', () => {
    const root = '<c:Comprobante xmlns:c="http://www.sat.gob.mx/cfd/3" version="3.2">';
    expect([read(`${root}<c:Complemento>${stamp('x')}</c:Complemento></c:Comprobante>`), read(root)]).toEqual([
      { version: '3.2' },
      'TRUNCADO',
    ]);
  });

  it('are read in ISO-8859-1 as declared, in chunks of one byte as well', () => {
    const document = cfdi({ head: '<?xml version="1.0" encoding="ISO-8859-1"?>' }).replace('EKU', 'ÑKU');
    const bytes = Buffer.from(document, 'latin1');
    for (const byte of bytes) reader.write(Uint8Array.of(byte));
    expect([reader.end(), read(bytes)]).toEqual(Array(2).fill({ ...FACTS, rfcEmisor: 'ÑKU9003173C9' }));
  });
});

describe('a reader', () => {
  it('finds the same facts in chunks of any size', () => {
    for (const document of FIXTURES) {
      const whole = read(document);
      for (const size of [1, 2, 3, 5, 64, 1000]) {
        for (let at = 0; at < document.length; at += size) reader.write(document.subarray(at, at + size));
        expect(reader.end()).toEqual(whole);
      }
    }
  });

  it('reads a tag of nearly 1 MiB in pieces as it reads it whole', () => {
    const values = ['b', 'c', 'd'].map((name) => `${name}="${'&amp;'.repeat(52_000)}"`).join(' ');
    const whole = Buffer.from(cfdi({ tail: `<a ${values}/>` }));
    const cut = whole.subarray(0, whole.lastIndexOf('/></c:'));
    const writeIn = (document: Buffer, size: number) => {
      for (let at = 0; at < document.length; at += size) reader.write(document.subarray(at, at + size));
    };
    for (const size of [4096, 65_536, 300_000]) {
      writeIn(whole, size);
      expect(reader.end()).toEqual(FACTS);
      writeIn(cut, size);
      expect(() => reader.end()).toThrow(new XmlIlegible('TRUNCADO'));
    }
  });

  it.each([...FIXTURES, Buffer.from(cfdi({ tail: '<a/>\n' }))])(
    'gives no facts of a document that ends before its root is closed, at any byte',
    (document) => {
      const end = document.lastIndexOf('>') + 1;
      const given = Array.from({ length: end }, (_, length) => read(document.subarray(0, length)));
      expect(given.filter((each) => typeof each !== 'string')).toEqual([]);
      expect(read(document.subarray(0, end))).toEqual(read(document));
    },
  );

  it('starts again after a reset and after an error, without prefixes of the document before', () => {
    reader.write(Buffer.from(cfdi({ root: ' xmlns:z="u"', tail: '<z:a><!-- ' }).split('</c:Compr')[0] ?? ''));
    reader.reset();
    expect(read(cfdi({ tail: '<z:a/>' }))).toBe('NO_ES_XML');
    expect(read(cfdi())).toEqual(FACTS);
  });
});

/** The facts by saxes: those of a document that it finds well formed and without DTD; null for any other. */
function factsBySaxes(bytes: Uint8Array): Facts | null {
  const parser = new SaxesParser({ xmlns: true });
  const path: string[] = [];
  const found: Record<string, string | undefined> = {};
  const stamps: (string | undefined)[] = [];
  let isForeign = false;
  parser.on('doctype', () => {
    isForeign = true;
  });
  parser.on('xmldecl', ({ version, encoding = 'utf-8' }) => {
    isForeign = version !== '1.0' || !/^utf-?8$/i.test(encoding);
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    path.push(`{${uri.replace(/^http:\/\/www\.sat\.gob\.mx\/cfd\/[34]$/, 'cfd')}}${local}`);
    const value = (name: string) => (attributes as Record<string, SaxesAttributeNS>)[name]?.value;
    const place = path.join('/');
    if (path.length === 1) Object.assign(found, { root: place, uri, version: value('Version'), fecha: value('Fecha') });
    if (path.length === 1) found['tipo'] = value('TipoDeComprobante');
    if (place === '{cfd}Comprobante/{cfd}Emisor') found['emisor'] ??= value('Rfc');
    if (place === '{cfd}Comprobante/{cfd}Receptor') found['receptor'] ??= value('Rfc');
    const stampPlace =
      '{cfd}Comprobante/{cfd}Complemento/{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital';
    if (place === stampPlace) stamps.push(value('UUID')?.trim().toUpperCase());
  });
  parser.on('closetag', () => {
    path.pop();
  });
  try {
    parser.write(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)).close();
  } catch {
    return null;
  }
  const { root, version, fecha, tipo, emisor, receptor } = found;
  const [uuid] = stamps;
  const isKnown = root === '{cfd}Comprobante' && found['uri']?.endsWith(version === '4.0' ? '4' : '3') === true;
  const isWhole = stamps.length === 1 && /^[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}$/.test(uuid ?? '');
  if (isForeign || !isKnown || !isWhole || (version !== '3.3' && version !== '4.0')) return null;
  if (!uuid || !fecha || !tipo || !emisor || !receptor) return null;
  return { version, uuid, fecha, tipo, rfcEmisor: emisor, rfcReceptor: receptor };
}

const TOKENS = [
  ...[
    '<',
    '>',
    '"',
    '/',
    '&',
    ' ',
    '=',
    ':',
    '-->',
    '<!--',
    ']]>',
    '<![CDATA[',
    '<?x ?>',
    '<!DOCTYPE a>',
    'é',
    '\u0000',
  ],
  ...[
    '</cfdi:Complemento>',
    '<cfdi:Complemento>',
    '</cfdi:Addenda>',
    '<cfdi:Addenda>',
    '</cfdi:Comprobante>',
    stamp(UUID),
  ],
  ...[
    ' UUID="AD662D33-6934-459C-A128-BDF0393E0F00"',
    ' xmlns:cfdi="u"',
    ' Version="3.3"',
    '<cfdi:Emisor Rfc="X"/>',
    'A',
    '0',
  ],
].map((token) => Buffer.from(token));
const mutations = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 9_999 }),
    drop: fc.constantFrom(0, 0, 1, 1, 1, 30, 400),
    put: fc.oneof(
      fc.constantFrom(...TOKENS),
      fc.uint8Array({ maxLength: 2 }).map((bytes) => Buffer.from(bytes)),
    ),
  }),
  { minLength: 1, maxLength: 2 },
);

/** A declaration or a name that saxes admits against the recommendations; the tests of the scanner list them. */
const IS_REFUSED_HERE_ALONE = /.<\?xml\s|<\?[^\s?]*\?[^>]|[\s</][^\s=:]*:[-.\d]/s;

it('finds in 10,000 mutations of the fixtures the facts that saxes finds, and none where saxes finds none', () => {
  let found = 0;
  const check = (document: Buffer, changes: readonly { at: number; drop: number; put: Buffer }[]) => {
    const bytes = changes.reduce((before, { at, drop, put }) => {
      const place = Math.floor((at / 10_000) * before.length);
      return Buffer.concat([before.subarray(0, place), put, before.subarray(place + drop)]);
    }, document);
    const facts = read(bytes);
    if (facts === 'NO_ES_XML' && IS_REFUSED_HERE_ALONE.test(bytes.toString())) return;
    expect(typeof facts === 'string' ? null : facts).toEqual(factsBySaxes(bytes));
    if (typeof facts !== 'string') found += 1;
  };
  fc.assert(fc.property(fc.constantFrom(...FIXTURES), mutations, check), { numRuns: 10_000 });
  expect(found).toBeGreaterThan(1_000);
  expect(found).toBeLessThan(9_000);
});
