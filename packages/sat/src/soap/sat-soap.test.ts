import { buffer } from 'node:stream/consumers';
import type { Consulta, NombreDescarga } from '@acuse/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { descargaResponse, solicitaResponse, verificaResponse } from '../testing/respuestas-soap.ts';
import { type SoapRig, startSoapRig } from '../testing/soap-rig.ts';

const rfc = 'EKU9003173C9';
const periodo = { inicio: '2026-01-01T00:00:00', fin: '2026-01-31T23:59:59' };
const folio = '4e80345d-917f-40bb-a98f-4a73939343c5';
const paquete = '4E80345D-917F-40BB-A98F-4A73939343C5_01';
const signal = new AbortController().signal;

const solicitar = { consulta: 'solicitar-metadata', rfc, tipo: 'emitidos', periodo } as const;
const verificar = { consulta: 'verificar-metadata', rfc, tipo: 'emitidos', periodo, folio } as const;
const descargar = { consulta: 'descargar-paquete', rfc, tipo: 'emitidos', periodo, folio, paquete } as const;

let rig: SoapRig;
beforeEach(async () => {
  rig = await startSoapRig();
});
afterEach(() => rig.close());

const ask = <N extends NombreDescarga>(consulta: Consulta<N> & { consulta: N }) =>
  rig.sat.send<N>(consulta, rig.credencial, { signal });

describe('solicitar-metadata', () => {
  const answer = (atributos: Record<string, string>) =>
    rig.on('SolicitaDescargaEmitidos', solicitaResponse('SolicitaDescargaEmitidos', atributos));

  it.each([
    ['5001', { resultado: 'RECHAZADA', codigo: '5001', mensaje: 'no & no' }],
    ['5002', { resultado: 'REPETIDA', codigo: '5002', mensaje: 'no & no' }],
    ['5003', { resultado: 'DEMASIADOS' }],
    ['5004', { resultado: 'VACIA' }],
    ['5005', { resultado: 'REPETIDA', codigo: '5005', mensaje: 'no & no' }],
    ['5012', { resultado: 'RECHAZADA', codigo: '5012', mensaje: 'no & no' }],
  ])('reads the refusal %s', async (CodEstatus, expected) => {
    answer({ CodEstatus, Mensaje: 'no & no', IdSolicitud: '' });
    expect(await ask(solicitar)).toEqual(expected);
  });

  it.each([
    ['5000 without a folio', { CodEstatus: '5000' }],
    ['5000 with an empty folio', { CodEstatus: '5000', IdSolicitud: '' }],
    ['5000 with a folio that is a path', { CodEstatus: '5000', IdSolicitud: '../../otra' }],
    ['no code', { IdSolicitud: folio }],
    ['a code that is no number', { CodEstatus: 'NaN', IdSolicitud: folio }],
    ['a code that nobody documented', { CodEstatus: '5999', IdSolicitud: folio }],
  ])('does not believe %s', async (_name, atributos) => {
    answer(atributos);
    await expect(ask(solicitar)).rejects.toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });
});

describe('codes that are no answer', () => {
  it.each([
    ['301', 'PETICION_RECHAZADA', 'permanente'],
    ['302', 'PETICION_RECHAZADA', 'permanente'],
    ['303', 'EFIRMA_RECHAZADA', 'credencial'],
    ['304', 'EFIRMA_RECHAZADA', 'credencial'],
    ['305', 'EFIRMA_RECHAZADA', 'credencial'],
    ['404', 'SERVICIO_CON_ERROR', 'reintentable'],
    ['5006', 'SERVICIO_CON_ERROR', 'reintentable'],
    ['5011', 'SERVICIO_CON_ERROR', 'reintentable'],
  ])('%s is %s in every consulta', async (CodEstatus, motivo, clase) => {
    const { before, after } = descargaResponse({ CodEstatus, Mensaje: 'm' });
    rig.on('SolicitaDescargaEmitidos', solicitaResponse('SolicitaDescargaEmitidos', { CodEstatus }));
    rig.on('VerificaSolicitudDescarga', verificaResponse({ CodEstatus, EstadoSolicitud: '0' }));
    rig.on('Descargar', before + after);
    for (const consulta of [solicitar, verificar, descargar]) {
      await expect(ask(consulta)).rejects.toMatchObject({ motivo, clase, codigo: CodEstatus });
    }
  });
});

describe('verificar-metadata', () => {
  const table: [string, Record<string, string>, string[], object][] = [
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
    [
      'finished with nothing',
      { EstadoSolicitud: '3', CodigoEstadoSolicitud: '5000', NumeroCFDIs: '0' },
      [],
      { resultado: 'VACIA' },
    ],
    ['rejected as empty', { EstadoSolicitud: '5', CodigoEstadoSolicitud: '5004' }, [], { resultado: 'VACIA' }],
    ['rejected as too many', { EstadoSolicitud: '5', CodigoEstadoSolicitud: '5003' }, [], { resultado: 'DEMASIADOS' }],
    [
      'rejected',
      { EstadoSolicitud: '5', CodigoEstadoSolicitud: '5001', Mensaje: 'x' },
      [],
      { resultado: 'RECHAZADA', codigo: '5001', mensaje: 'x' },
    ],
    [
      'error',
      { EstadoSolicitud: '4', CodigoEstadoSolicitud: '404', Mensaje: 'x' },
      [],
      { resultado: 'ERROR', codigo: '404', mensaje: 'x' },
    ],
    [
      'error 5010',
      { EstadoSolicitud: '4', CodigoEstadoSolicitud: '5010', Mensaje: 'x' },
      [],
      { resultado: 'ERROR', codigo: '5010', mensaje: 'x' },
    ],
    [
      'rejected with 5010',
      { EstadoSolicitud: '5', CodigoEstadoSolicitud: '5010', Mensaje: 'x' },
      [],
      { resultado: 'RECHAZADA', codigo: '5010', mensaje: 'x' },
    ],
    [
      'expired with 5010',
      { EstadoSolicitud: '6', CodigoEstadoSolicitud: '5010', Mensaje: 'x' },
      [],
      { resultado: 'VENCIDA', codigo: '5010', mensaje: 'x' },
    ],
    [
      'expired, without a reason',
      { EstadoSolicitud: '6', Mensaje: 'x' },
      [],
      { resultado: 'VENCIDA', codigo: '5000', mensaje: 'x' },
    ],
    [
      'unknown',
      { CodEstatus: '5004', EstadoSolicitud: '0', Mensaje: 'x' },
      [],
      { resultado: 'DESCONOCIDA', codigo: '5004', mensaje: 'x' },
    ],
    ['unknown, without a state', { CodEstatus: '5004' }, [], { resultado: 'DESCONOCIDA', codigo: '5004', mensaje: '' }],
  ];

  it.each(table)('reads a request that is %s', async (_name, atributos, paquetes, expected) => {
    rig.on('VerificaSolicitudDescarga', verificaResponse({ CodEstatus: '5000', ...atributos }, paquetes));
    expect(await ask(verificar)).toEqual(expected);
  });

  it.each([
    ['a state that nobody documented', { EstadoSolicitud: '7', CodigoEstadoSolicitud: '5000' }, []],
    ['a state that is no number', { EstadoSolicitud: 'NaN', CodigoEstadoSolicitud: '5000' }, []],
    ['success without a state', {}, []],
    ['a reason that nobody documented', { EstadoSolicitud: '5', CodigoEstadoSolicitud: '9999' }, []],
    ['rows without packages', { EstadoSolicitud: '3', NumeroCFDIs: '5' }, []],
    ['no rows told and no packages', { EstadoSolicitud: '3' }, []],
    ['a count that is no number', { EstadoSolicitud: '3', NumeroCFDIs: '-1' }, ['A_01']],
    ['a package id that is a path', { EstadoSolicitud: '3', NumeroCFDIs: '5' }, ['../A_01']],
    ['an empty package id', { EstadoSolicitud: '3', NumeroCFDIs: '5' }, ['']],
  ])('does not believe %s', async (_name, atributos, paquetes) => {
    rig.on('VerificaSolicitudDescarga', verificaResponse({ CodEstatus: '5000', ...atributos }, paquetes));
    await expect(ask(verificar)).rejects.toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('keeps control characters of the message out', async () => {
    rig.on(
      'VerificaSolicitudDescarga',
      verificaResponse({
        CodEstatus: '5004',
        Mensaje: `a&#10;\u202eb${'c'.repeat(600)}`.replace('&#10;', '\u0085'),
      }),
    );
    const respuesta = await ask(verificar);
    expect(respuesta).toMatchObject({ resultado: 'DESCONOCIDA', mensaje: `a b${'c'.repeat(497)}` });
  });
});

describe('descargar-paquete', () => {
  const zip = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) % 256));

  it.each(['5004', '5007', '5008'])('says AGOTADO for %s', async (codigo) => {
    const { before, after } = descargaResponse({ CodEstatus: codigo, Mensaje: 'm' });
    rig.on('Descargar', before + after);
    expect(await ask(descargar)).toEqual({ resultado: 'AGOTADO', codigo, mensaje: 'm' });
  });

  it('errors the stream when the connection is cut', async () => {
    const { before } = descargaResponse({ CodEstatus: '5000', Mensaje: 'm' });
    rig.on('Descargar', (response) => {
      response.writeHead(200);
      response.write(before + zip.toString('base64'), () => response.destroy());
    });
    const respuesta = await ask(descargar);
    if (respuesta.resultado !== 'PAQUETE') throw new Error(respuesta.resultado);
    await expect(buffer(respuesta.zip)).rejects.toMatchObject({ name: 'SatError', clase: 'reintentable' });
  });

  it('lets go of the connection when the reader leaves', async () => {
    const { before } = descargaResponse({ CodEstatus: '5000', Mensaje: 'm' });
    const closed = new Promise((resolve) => {
      rig.on('Descargar', (response) => {
        response.on('close', resolve);
        response.writeHead(200);
        response.write(before + zip.toString('base64'));
      });
    });
    const respuesta = await ask(descargar);
    if (respuesta.resultado !== 'PAQUETE') throw new Error(respuesta.resultado);
    respuesta.zip.destroy();
    await closed;
  });
});
