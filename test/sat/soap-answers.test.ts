import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SatError } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { edited, errorOf, gate } from './setup.ts';
import { DESCARGAR, OPERACIONES, SOLICITAR, says, setUp, VERIFICAR } from './soap-setup.ts';

const VERIFICA = OPERACIONES['verificar-metadata'];
const FOLIO = VERIFICAR.folio;

describe('solicitar-metadata', () => {
  it.each([
    [5001, { resultado: 'RECHAZADA', codigo: '5001', mensaje: 'no & no' }],
    [5002, { resultado: 'REPETIDA', codigo: '5002', mensaje: 'no & no' }],
    [5003, { resultado: 'DEMASIADOS' }],
    [5004, { resultado: 'VACIA' }],
    [5005, { resultado: 'REPETIDA', codigo: '5005', mensaje: 'no & no' }],
    [5012, { resultado: 'RECHAZADA', codigo: '5012', mensaje: 'no & no' }],
  ])('reads the refusal %s', async (code, expected) => {
    const { ask, fault } = await setUp();
    fault(OPERACIONES['solicitar-metadata'], { kind: 'code', code, mensaje: 'no & no' });
    expect(await ask(SOLICITAR)).toEqual(expected);
  });

  it.each<[string, Record<string, string>]>([
    ['5000 without a folio', { CodEstatus: '5000' }],
    ['5000 with an empty folio', { CodEstatus: '5000', IdSolicitud: '' }],
    ['5000 with a folio that is a path', { CodEstatus: '5000', IdSolicitud: '../../otra' }],
    ['no code', { IdSolicitud: FOLIO }],
    ['a code that is no number', { CodEstatus: 'NaN', IdSolicitud: FOLIO }],
    ['a code that nobody documented', { CodEstatus: '5999', IdSolicitud: FOLIO }],
  ])('does not believe %s', async (_name, attrs) => {
    const { ask, fault } = await setUp();
    fault(OPERACIONES['solicitar-metadata'], edited(says(attrs)));
    expect(await errorOf(ask(SOLICITAR))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });
});

it.each([
  ['301', 'PETICION_RECHAZADA', 'permanente'],
  ['302', 'PETICION_RECHAZADA', 'permanente'],
  ['303', 'EFIRMA_RECHAZADA', 'credencial'],
  ['304', 'EFIRMA_RECHAZADA', 'credencial'],
  ['305', 'EFIRMA_RECHAZADA', 'credencial'],
  ['404', 'SERVICIO_CON_ERROR', 'reintentable'],
  ['5006', 'SERVICIO_CON_ERROR', 'reintentable'],
  ['5011', 'SERVICIO_CON_ERROR', 'reintentable'],
])('the code %s is %s in every consulta', async (codigo, motivo, clase) => {
  const { ask, fault } = await setUp();
  for (const consulta of [SOLICITAR, VERIFICAR, DESCARGAR]) {
    fault(OPERACIONES[consulta.consulta], edited(says({ CodEstatus: codigo, EstadoSolicitud: '0' })));
    expect(await errorOf(ask(consulta))).toMatchObject({ motivo, clase, codigo });
  }
});

it.each([5004, 5007, 5008])('descargar-paquete says AGOTADO for %s', async (code) => {
  const { ask, fault } = await setUp();
  fault('Descargar', { kind: 'code', code, mensaje: 'm' });
  expect(await ask(DESCARGAR)).toEqual({ resultado: 'AGOTADO', codigo: String(code), mensaje: 'm' });
});

describe('verificar-metadata', () => {
  const x = { mensaje: 'x' };

  it.each<[string, Record<string, string>, string[], object]>([
    ['accepted', { EstadoSolicitud: '1', CodigoEstadoSolicitud: '5000' }, [], { resultado: 'EN_PROCESO' }],
    ['in process', { EstadoSolicitud: '2', CodigoEstadoSolicitud: '5000' }, [], { resultado: 'EN_PROCESO' }],
    [
      'finished',
      { EstadoSolicitud: '3', CodigoEstadoSolicitud: '5000', NumeroCFDIs: '1234' },
      ['A_01', 'A_02'],
      { resultado: 'TERMINADA', paquetes: ['A_01', 'A_02'], registros: 1234 },
    ],
    [
      'finished, a package named twice',
      { EstadoSolicitud: '3', CodigoEstadoSolicitud: '5000' },
      ['A_01', 'A_02', 'A_01'],
      { resultado: 'TERMINADA', paquetes: ['A_01', 'A_02'], registros: null },
    ],
    ['finished with nothing', { EstadoSolicitud: '3', NumeroCFDIs: '0' }, [], { resultado: 'VACIA' }],
    ['rejected as empty', { EstadoSolicitud: '5', CodigoEstadoSolicitud: '5004' }, [], { resultado: 'VACIA' }],
    ['rejected as too many', { EstadoSolicitud: '5', CodigoEstadoSolicitud: '5003' }, [], { resultado: 'DEMASIADOS' }],
    ...(
      [
        ['rejected', '5', '5001', 'RECHAZADA'],
        ['rejected because its quota is used up', '5', '5002', 'RECHAZADA'],
        ['error', '4', '404', 'ERROR'],
        ['error 5010', '4', '5010', 'ERROR'],
        ['rejected with 5010', '5', '5010', 'RECHAZADA'],
        ['expired with 5010', '6', '5010', 'VENCIDA'],
      ] as const
    ).map(([name, EstadoSolicitud, codigo, resultado]): [string, Record<string, string>, string[], object] => [
      name,
      { EstadoSolicitud, CodigoEstadoSolicitud: codigo, Mensaje: 'x' },
      [],
      { resultado, codigo, ...x },
    ]),
    [
      'expired, without a reason',
      { EstadoSolicitud: '6', Mensaje: 'x' },
      [],
      { resultado: 'VENCIDA', codigo: '5000', ...x },
    ],
    [
      'unknown',
      { CodEstatus: '5004', EstadoSolicitud: '0', Mensaje: 'x' },
      [],
      { resultado: 'DESCONOCIDA', codigo: '5004', ...x },
    ],
    ['unknown, without a state', { CodEstatus: '5004' }, [], { resultado: 'DESCONOCIDA', codigo: '5004', mensaje: '' }],
    [
      'unknown, its message with control characters and without end',
      { CodEstatus: '5004', Mensaje: `a\u0085\u202eb${'c'.repeat(600)}` },
      [],
      { resultado: 'DESCONOCIDA', codigo: '5004', mensaje: `a b${'c'.repeat(497)}` },
    ],
  ])('reads a request that is %s', async (_name, attrs, paquetes, expected) => {
    const { ask, fault } = await setUp();
    fault(VERIFICA, edited(says({ CodEstatus: '5000', ...attrs }, paquetes)));
    expect(await ask(VERIFICAR)).toEqual(expected);
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['a state that nobody documented', { EstadoSolicitud: '7', CodigoEstadoSolicitud: '5000' }, []],
    ['a state that is no number', { EstadoSolicitud: 'NaN', CodigoEstadoSolicitud: '5000' }, []],
    ['success without a state', {}, []],
    ['a reason that nobody documented', { EstadoSolicitud: '5', CodigoEstadoSolicitud: '9999' }, []],
    ['rows without packages', { EstadoSolicitud: '3', NumeroCFDIs: '5' }, []],
    ['no rows told and no packages', { EstadoSolicitud: '3' }, []],
    ['a count that is no number', { EstadoSolicitud: '3', NumeroCFDIs: '-1' }, ['A_01']],
    ['a package id that is a path', { EstadoSolicitud: '3', NumeroCFDIs: '5' }, ['../A_01']],
    ['an empty package id', { EstadoSolicitud: '3', NumeroCFDIs: '5' }, ['']],
  ])('does not believe %s', async (_name, attrs, paquetes) => {
    const { ask, fault } = await setUp();
    fault(VERIFICA, edited(says({ CodEstatus: '5000', ...attrs }, paquetes)));
    expect(await errorOf(ask(VERIFICAR))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });
});

const ZIP = Buffer.from('PK\x03\x04 no es un ZIP de verdad, pero son bytes');
const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const html = '<!DOCTYPE html><html><head><title>Mantenimiento</title></head><body><p>Vuelva<br></body></html>';
const soapFault = (codigo: string) =>
  `<s:Envelope xmlns:s="${SOAP}"><s:Body><s:Fault><faultcode xmlns:a="urn:prueba">${codigo}</faultcode>` +
  '<faultstring>Texto de la falla que no debe salir</faultstring></s:Fault></s:Body></s:Envelope>';

const CASES = [
  {
    consulta: SOLICITAR,
    change: says({ IdSolicitud: FOLIO, CodEstatus: '5000', Mensaje: 'sí' }),
    hecho: { resultado: 'ACEPTADA', folio: FOLIO },
  },
  {
    consulta: VERIFICAR,
    change: says({ CodEstatus: '5000', EstadoSolicitud: '3', CodigoEstadoSolicitud: '5000', NumeroCFDIs: '12' }, [
      'A_01',
      'A_02',
    ]),
    hecho: { resultado: 'TERMINADA', paquetes: ['A_01', 'A_02'], registros: 12 },
  },
  {
    consulta: DESCARGAR,
    change: says({ CodEstatus: '5000', Mensaje: 'Solicitud Aceptada' }, [], ZIP.toString('base64')),
    hecho: { resultado: 'PAQUETE', zip: ZIP },
  },
  {
    consulta: DESCARGAR,
    change: says({ CodEstatus: '5008', Mensaje: 'x' }),
    hecho: { resultado: 'AGOTADO', codigo: '5008', mensaje: 'x' },
  },
];

type Answer = (texto: string) => Response;
const answer = (texto: string | Uint8Array<ArrayBuffer>, status = 200) => new Response(texto, { status });

/** What becomes of the consulta when its right answer is spoiled so: the fact, its package read to the end; or the error. */
async function setUpCase({ consulta, change }: (typeof CASES)[number]) {
  const { ask, fault } = await setUp({ http: { breakerFailures: Number.POSITIVE_INFINITY } });
  return async (spoil: Answer): Promise<unknown> => {
    const edit = async (right: Response) => spoil(change(await right.text()));
    fault(OPERACIONES[consulta.consulta], { kind: 'edited', edit });
    try {
      const respuesta = await ask(consulta);
      return 'zip' in respuesta ? { ...respuesta, zip: await buffer(respuesta.zip) } : respuesta;
    } catch (error) {
      return error;
    }
  };
}

const bomb = Array.from({ length: 9 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('');
const inBody = (texto: string, what: string) => texto.replace('<s:Body>', `<s:Body>${what}`);

/** The same with one element of SOAP in a namespace of its own. */
const inNamespace = (texto: string, nombre: string) =>
  texto.replace(`<s:${nombre}`, `<x:${nombre} xmlns:x="urn:x"`).replace(`</s:${nombre}>`, `</x:${nombre}>`);

/** What may come instead of the right answer, and which error it is. */
const FALLAS: readonly [string, Answer, string][] = [
  ['a page with 200', () => answer(html), 'RESPUESTA_ILEGIBLE'],
  ['an XHTML page', () => answer('<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>'), 'RESPUESTA_ILEGIBLE'],
  ['an empty body', () => answer(''), 'RESPUESTA_ILEGIBLE'],
  ['a document type', (texto) => answer(`<!DOCTYPE x>${texto}`), 'RESPUESTA_ILEGIBLE'],
  [
    'an entity bomb',
    (texto) => answer(`<!DOCTYPE x [<!ENTITY e0 "ja">${bomb}]>${inBody(texto, '&e9;')}`),
    'RESPUESTA_ILEGIBLE',
  ],
  [
    'an external entity',
    (texto) => answer(`<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>${inBody(texto, '&f;')}`),
    'RESPUESTA_ILEGIBLE',
  ],
  ['another envelope', (texto) => answer(texto.replaceAll('/soap/envelope/', '/otra/')), 'RESPUESTA_ILEGIBLE'],
  [
    'the answer of another service',
    (texto) => answer(texto.replaceAll('http://DescargaMasivaTerceros', 'http://OtroServicio')),
    'RESPUESTA_ILEGIBLE',
  ],
  ['a body of another namespace', (texto) => answer(inNamespace(texto, 'Body')), 'RESPUESTA_ILEGIBLE'],
  ['something behind the envelope', (texto) => answer(`${texto}<b/>`), 'RESPUESTA_ILEGIBLE'],
  [
    'deep nesting',
    (texto) => answer(inBody(texto, '<a>'.repeat(20_000) + '</a>'.repeat(20_000))),
    'RESPUESTA_ILEGIBLE',
  ],
  ['a page with 500', () => answer(html, 500), 'SERVICIO_CON_ERROR'],
  ['a page with 503', () => answer(html, 503), 'SERVICIO_CON_ERROR'],
  ['a page with 404', () => answer(html, 404), 'SERVICIO_CON_ERROR'],
  ['a redirect', () => answer('', 302), 'SERVICIO_CON_ERROR'],
  ['a fault', () => answer(soapFault('s:Server'), 500), 'SERVICIO_CON_ERROR'],
  [
    'the fault of an operation that is gone',
    () => answer(soapFault('a:ActionNotSupported'), 500),
    'PETICION_RECHAZADA',
  ],
  ['an answer with 500', (texto) => answer(texto, 500), 'SERVICIO_CON_ERROR'],
];

describe.each(CASES)('$consulta.consulta $hecho.resultado', (testCase) => {
  it('is read, and nothing else taken for it', async () => {
    const spoiled = await setUpCase(testCase);
    expect(await spoiled((texto) => answer(texto))).toEqual(testCase.hecho);
    for (const [what, fault, motivo] of FALLAS) {
      const error = await spoiled(fault);
      expect([what, error]).toEqual([what, expect.any(SatError)]);
      expect([what, error]).toEqual([what, expect.objectContaining({ motivo })]);
    }
    // Of a package the body alone says what it is.
    const motivo = testCase.consulta === DESCARGAR ? 'RESPUESTA_ILEGIBLE' : 'SERVICIO_CON_ERROR';
    expect(await spoiled(() => answer(soapFault('s:Server')))).toMatchObject({ name: 'SatError', motivo });
  });

  it('says codes only in an error, never the text of an answer', async () => {
    const spoiled = await setUpCase(testCase);
    for (const text of [html, soapFault('s:Server'), null]) {
      const error = (await spoiled((texto) => answer(text ?? texto.slice(0, -20), 500))) as Error;
      const all = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
      expect(all).not.toMatch(/Mantenimiento|Texto de la falla|Envelope|token|access_token/);
      expect(error.cause).toBeUndefined();
    }
  });

  it('is never another fact with one byte changed', async () => {
    const spoiled = await setUpCase(testCase);
    const withoutWords = (fact: unknown) => ({ ...(fact as object), mensaje: undefined });
    let length = Number.POSITIVE_INFINITY;
    for (let at = 0; at < length; at += 5) {
      const outcome = await spoiled((texto) => {
        const changed = Buffer.from(texto);
        length = changed.length;
        changed[at] = '<>&"= '.charCodeAt((at / 5) % 6);
        return answer(changed);
      });
      if (outcome instanceof SatError) continue;
      expect(withoutWords(outcome), `changed at ${at}`).toEqual(withoutWords(testCase.hecho));
    }
  });

  it.each([
    ['blanks', () => Buffer.alloc(1 << 16, ' ')],
    ['elements', () => Buffer.from('<a/>'.repeat(1 << 14))],
    ['a comment', (i: number) => (i === 0 ? Buffer.from('<!--') : Buffer.alloc(1 << 16, 'x'))],
  ])('is not read to the end when it has 50 MB of %s', async (_name, piece) => {
    let sent = 0;
    function* pieces(texto: string) {
      yield Buffer.from(texto.slice(0, texto.indexOf('<s:Body>') + 8));
      for (let i = 0; i < 800; i += 1) {
        const chunk = piece(i);
        sent += chunk.length;
        yield chunk;
      }
    }
    const outcome = await (await setUpCase(testCase))((texto) => new Response(ReadableStream.from(pieces(texto))));
    expect(outcome).toMatchObject({ name: 'SatError', motivo: 'RESPUESTA_ILEGIBLE' });
    expect(sent).toBeLessThan(20 << 20);
  });
});

describe('a package', { timeout: 180_000 }, () => {
  const MIB = 1 << 20;
  const raw = randomBytes(3 * 64 * 1024);
  const piece = Buffer.from(raw.toString('base64'));
  const change = says({ CodEstatus: '5000', Mensaje: 'Solicitud Aceptada' });

  /** Opens a package for which the service sends these pieces, never faster than they are taken. */
  async function setUpPaquete(soap: { maxPackageBytes?: number } = {}) {
    const { ask, fault } = await setUp({ soap });
    return async (pieces: Iterable<Uint8Array>): Promise<Readable> => {
      const edit = async (right: Response) => {
        const [before = '', after = ''] = change(await right.text()).split(/(?=<\/Paquete>)/);
        async function* whole() {
          yield Buffer.from(before);
          yield* pieces;
          yield Buffer.from(after);
        }
        return new Response(ReadableStream.from(whole()));
      };
      fault('Descargar', { kind: 'edited', edit });
      const respuesta = await ask(DESCARGAR);
      if (respuesta.resultado !== 'PAQUETE') throw new Error(respuesta.resultado);
      return respuesta.zip;
    };
  }

  function* times(pieces: number, counted = { sent: 0 }) {
    for (; counted.sent < pieces * piece.length; counted.sent += piece.length) yield piece;
  }

  async function readAll(zip: Readable, see: (chunk: Buffer) => void = () => {}): Promise<number> {
    let bytes = 0;
    for await (const chunk of zip as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      see(chunk);
    }
    return bytes;
  }

  it('of 200 MB of base64 takes less than 64 MB of memory more than before', { tags: ['slow'] }, async () => {
    const open = await setUpPaquete();
    await readAll(await open(times(8)));
    setFlagsFromString('--expose-gc');
    const gc: () => void = runInNewContext('gc');
    gc();
    const start = process.memoryUsage().rss;
    let peak = 0;
    const [hash, expected] = [createHash('sha256'), createHash('sha256')];
    const bytes = await readAll(await open(times(800)), (chunk) => {
      hash.update(chunk);
      peak = Math.max(peak, process.memoryUsage().rss - start);
    });
    for (let i = 0; i < 800; i += 1) expected.update(raw);
    expect(bytes).toBe(800 * raw.length);
    expect(hash.digest('hex')).toBe(expected.digest('hex'));
    expect(peak / MIB).toBeLessThan(64);
  });

  it('is not read faster than it is taken', async () => {
    const open = await setUpPaquete();
    const unread = { sent: 0 };
    const waiting = await open(times(400, unread));
    expect(await readAll(await open(times(400)))).toBe(400 * raw.length);
    // The time in which another one came whole was enough for this one too.
    expect(unread.sent).toBeLessThan(40 * MIB);
    expect(await readAll(waiting)).toBe(400 * raw.length);
  });

  it('past the limit ends with an error', async () => {
    const open = await setUpPaquete({ maxPackageBytes: 5 * MIB });
    const counted = { sent: 0 };
    expect(await errorOf(open(times(800, counted)).then(readAll))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(counted.sent).toBeLessThan(100 * MIB);
  });

  it('that is cut ends with an error, and one whose reader leaves lets go of the connection', async () => {
    const open = await setUpPaquete();
    const left = gate();
    function* cut() {
      yield piece;
      throw new Error('cut');
    }
    function* endless() {
      try {
        for (;;) yield piece;
      } finally {
        left.open();
      }
    }
    expect(await errorOf(open(cut()).then(readAll))).toMatchObject({ clase: 'reintentable' });
    (await open(endless())).destroy();
    await left.opened;
  });
});
