import { expect, it } from 'vitest';
import { createLectorPdf } from '../../../sat/src/pdf/lector-pdf.ts';
import type { Conexion } from '../db.ts';
import { pdfOf, reciboOf } from './recibo.ts';

const EN = new Date('2026-11-29T12:00:00.000Z');
const conexion: Conexion = {
  id: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  cuentaId: 'c',
  rfc: 'ÑUÑ010203AB1',
  solicitante: 'Peña (y) \\ Hijos',
  finalidad: 'Descargar sus CFDI cada mes y '.repeat(6).trim(),
  regreso: null,
  marca: {},
  estado: 'CONECTADA',
  motivo: null,
  intentos: 1,
  terminadaEn: null,
  expiraEn: EN,
  hasta: new Date('2027-11-29T12:00:00.000Z'),
  creadaEn: EN,
  conectadaEn: EN,
};

it('writes who, what, until when and how to revoke, as JSON and as a PDF', async () => {
  const link = 'https://api.example.com/conectar/retirar#tokentokentokentokentokentokentokentokentok';
  const recibo = reciboOf(conexion, link);
  expect(recibo).toMatchObject({
    rfc: conexion.rfc,
    solicitante: conexion.solicitante,
    hasta: '2027-11-29T12:00:00.000Z',
  });
  const lector = createLectorPdf({ timeoutMs: 60_000 });
  try {
    const text = JSON.stringify(await lector.read(pdfOf(recibo), { signal: new AbortController().signal })).replaceAll(
      '\\\\',
      '\\',
    );
    for (const each of [conexion.rfc, conexion.solicitante, '2027-11-29', 'Retirar el permiso', 'tokentoken'])
      expect(text).toContain(each);
  } finally {
    await lector.close();
  }
});
