import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Consulta, type NombreDescarga, SatError } from '@acuse/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  autenticaResponse,
  descargaResponse,
  soapFault,
  solicitaResponse,
  verificaResponse,
} from '../testing/respuestas-soap.ts';
import { drained } from '../testing/servidor.ts';
import { type Operacion, type RigAnswer, type SoapRig, startSoapRig } from '../testing/soap-rig.ts';

const signal = new AbortController().signal;
const folio = '4e80345d-917f-40bb-a98f-4a73939343c5';
const base = {
  rfc: 'EKU9003173C9',
  tipo: 'emitidos',
  periodo: { inicio: '2026-01-01T00:00:00', fin: '2026-01-31T23:59:59' },
  folio,
  paquete: 'A_01',
} as const;
const zip = Buffer.from('PK\x03\x04 no es un ZIP de verdad, pero son bytes');

interface Caso {
  readonly operacion: Operacion;
  readonly consulta: Consulta<NombreDescarga>;
  readonly texto: string;
  readonly hecho: unknown;
}
const descarga = descargaResponse({ CodEstatus: '5000', Mensaje: 'Solicitud Aceptada' });
const agotada = descargaResponse({ CodEstatus: '5008', Mensaje: 'x' });
const casos: Caso[] = [
  {
    operacion: 'SolicitaDescargaEmitidos',
    consulta: { ...base, consulta: 'solicitar-metadata' },
    texto: solicitaResponse('SolicitaDescargaEmitidos', {
      IdSolicitud: folio,
      CodEstatus: '5000',
      Mensaje: 'sí',
    }),
    hecho: { resultado: 'ACEPTADA', folio },
  },
  {
    operacion: 'VerificaSolicitudDescarga',
    consulta: { ...base, consulta: 'verificar-metadata' },
    texto: verificaResponse(
      { CodEstatus: '5000', EstadoSolicitud: '3', CodigoEstadoSolicitud: '5000', NumeroCFDIs: '12' },
      ['A_01', 'A_02'],
    ),
    hecho: { resultado: 'TERMINADA', paquetes: ['A_01', 'A_02'], registros: 12 },
  },
  {
    operacion: 'Descargar',
    consulta: { ...base, consulta: 'descargar-paquete' },
    texto: descarga.before + zip.toString('base64') + descarga.after,
    hecho: { resultado: 'PAQUETE', zip },
  },
  {
    operacion: 'Descargar',
    consulta: { ...base, consulta: 'descargar-paquete' },
    texto: agotada.before + agotada.after,
    hecho: { resultado: 'AGOTADO', codigo: '5008', mensaje: 'x' },
  },
];

let rig: SoapRig;
beforeAll(async () => {
  rig = await startSoapRig({ http: { breakerFailures: Number.POSITIVE_INFINITY } });
});
afterAll(() => rig.close());
beforeEach(() => rig.on('Autentica', autenticaResponse('token', new Date())));

/** The fact that a query ends with, its package read to the end; or the error. */
async function ask(consulta: Consulta<NombreDescarga>): Promise<unknown> {
  try {
    const respuesta = await rig.sat.send(consulta, rig.credencial, { signal });
    return 'zip' in respuesta ? { ...respuesta, zip: await buffer(respuesta.zip) } : respuesta;
  } catch (error) {
    return error;
  }
}

async function expectMotivo(caso: Caso, respuesta: RigAnswer, motivo: string): Promise<void> {
  rig.on(caso.operacion, respuesta);
  const outcome = await ask(caso.consulta);
  expect(outcome).toBeInstanceOf(SatError);
  expect(outcome).toMatchObject({ motivo });
}

const page = (status: number, text: string) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end(text);
};
const html = '<!DOCTYPE html><html><head><title>Mantenimiento</title></head><body><p>Vuelva<br></body></html>';

describe.each(casos)('$operacion $hecho.resultado', { timeout: 120_000 }, (caso) => {
  it('reads its answer', async () => {
    rig.on(caso.operacion, caso.texto);
    expect(await ask(caso.consulta)).toEqual(caso.hecho);
  });

  it('takes an answer that is cut at any byte for none', async () => {
    const bytes = Buffer.from(caso.texto);
    for (let length = 0; length < bytes.length; length += 1) {
      rig.on(caso.operacion, (response) => void response.end(bytes.subarray(0, length)));
      const outcome = await ask(caso.consulta);
      expect(outcome, `cut at ${length}`).toBeInstanceOf(SatError);
      expect(outcome).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    }
  });

  it('never takes a wrong fact from an answer with one byte changed', async () => {
    const bytes = Buffer.from(caso.texto);
    for (let at = 0; at < bytes.length; at += 5) {
      const changed = Buffer.from(bytes);
      changed[at] = '<>&"= '.charCodeAt((at / 5) % 6);
      rig.on(caso.operacion, (response) => void response.end(changed));
      const outcome = await ask(caso.consulta);
      if (outcome instanceof SatError) continue;
      expect(withoutWords(outcome), `changed at ${at}`).toEqual(withoutWords(caso.hecho));
    }
  });

  it.each([
    ['a page with 200', page(200, html), 'RESPUESTA_ILEGIBLE'],
    [
      'an XHTML page with 200',
      page(200, '<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>'),
      'RESPUESTA_ILEGIBLE',
    ],
    ['an empty body', '', 'RESPUESTA_ILEGIBLE'],
    ['a document type', `<!DOCTYPE x>${caso.texto}`, 'RESPUESTA_ILEGIBLE'],
    ['an entity bomb', bomb(caso.texto), 'RESPUESTA_ILEGIBLE'],
    ['an external entity', external(caso.texto), 'RESPUESTA_ILEGIBLE'],
    ['another envelope', caso.texto.replaceAll('/soap/envelope/', '/otra/'), 'RESPUESTA_ILEGIBLE'],
    ['something behind the envelope', `${caso.texto}<b/>`, 'RESPUESTA_ILEGIBLE'],
    ['a page with 500', page(500, html), 'SERVICIO_CON_ERROR'],
    ['a page with 503', page(503, html), 'SERVICIO_CON_ERROR'],
    ['a page with 404', page(404, html), 'SERVICIO_CON_ERROR'],
    ['a redirect', page(302, ''), 'SERVICIO_CON_ERROR'],
    ['a fault', page(500, soapFault('s:Server')), 'SERVICIO_CON_ERROR'],
    [
      'a fault with 200',
      page(200, soapFault('s:Server')),
      caso.operacion === 'Descargar' ? 'RESPUESTA_ILEGIBLE' : 'SERVICIO_CON_ERROR',
    ],
    ['a fault for an operation that is gone', page(500, soapFault('a:ActionNotSupported')), 'PETICION_RECHAZADA'],
    ['an answer with 500', page(500, caso.texto), 'SERVICIO_CON_ERROR'],
  ] as const)('meets %s with a typed error', async (_name, respuesta, motivo) => {
    await expectMotivo(caso, respuesta as RigAnswer, motivo);
  });

  it('meets deep nesting with a typed error', async () => {
    const deep = '<a>'.repeat(20_000) + '</a>'.repeat(20_000);
    await expectMotivo(caso, caso.texto.replace('<s:Body>', `<s:Body>${deep}`), 'RESPUESTA_ILEGIBLE');
  });

  it.each([
    ['blanks', () => Buffer.alloc(1 << 16, ' ')],
    ['elements', () => Buffer.from('<a/>'.repeat(1 << 14))],
    ['a comment', (i: number) => (i === 0 ? Buffer.from('<!--') : Buffer.alloc(1 << 16, 'x'))],
  ])('stops reading an answer of 50 MB of %s', async (_name, piece) => {
    let sent = 0;
    let closed = false;
    const respuesta: RigAnswer = async (response) => {
      response.on('close', () => {
        closed = true;
      });
      response.write(caso.texto.slice(0, caso.texto.indexOf('<s:Body>') + 8));
      for (let i = 0; i < 800 && !closed; i += 1) {
        const chunk = piece(i);
        sent += chunk.length;
        if (!response.write(chunk)) await drained(response);
      }
      response.end();
    };
    await expectMotivo(caso, respuesta, 'RESPUESTA_ILEGIBLE');
    expect(sent).toBeLessThan(20 << 20);
  });
});

describe('what an error carries', () => {
  it('is codes only, never the text of an answer', async () => {
    for (const caso of casos) {
      for (const text of [html, soapFault('s:Server'), caso.texto.slice(0, -20)]) {
        rig.on(caso.operacion, page(500, text));
        const error = (await ask(caso.consulta)) as Error;
        const all = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
        expect(all).not.toMatch(/Mantenimiento|Texto de la falla|Envelope|token|access_token/);
        expect(error.cause).toBeUndefined();
      }
    }
  });
});

function withoutWords(fact: unknown): unknown {
  return { ...(fact as object), mensaje: undefined };
}

function bomb(text: string): string {
  const levels = Array.from({ length: 9 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('');
  return `<!DOCTYPE x [<!ENTITY e0 "ja">${levels}]>${text.replace('<s:Body>', '<s:Body>&e9;')}`;
}

function external(text: string): string {
  return `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>${text.replace('<s:Body>', '<s:Body>&f;')}`;
}
