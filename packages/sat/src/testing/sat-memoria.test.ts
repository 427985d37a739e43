import { type Credencial, SatError } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { conformSat, type EscenarioSat } from './conformance.ts';
import { createSatMemoria, type GuionSat } from './sat-memoria.ts';

const credencial: Credencial = { tipo: 'ciec', rfc: 'EKU9003173C9', ciec: Buffer.from('0123456789abcdef') };
const folio = '4e80345d-917f-40bb-a98f-4a73939343c5';
const base = {
  rfc: 'EKU9003173C9',
  tipo: 'emitidos',
  periodo: { inicio: '2026-01-01T00:00:00', fin: '2026-01-31T23:59:59' },
  folio,
  paquete: `${folio}_01`,
} as const;
const zip = Buffer.from('PK'.repeat(50_000));
const mensaje = 'm';

const all = (error: SatError): GuionSat => ({
  'solicitar-metadata': [error],
  'verificar-metadata': [error],
  'descargar-paquete': [error],
});
const guiones: Record<EscenarioSat, GuionSat> = {
  aceptada: { 'solicitar-metadata': [{ resultado: 'ACEPTADA', folio }] },
  repetida: { 'solicitar-metadata': [{ resultado: 'REPETIDA', codigo: '5005', mensaje }] },
  rechazada: { 'solicitar-metadata': [{ resultado: 'RECHAZADA', codigo: '5001', mensaje }] },
  'en-proceso': { 'verificar-metadata': [{ resultado: 'EN_PROCESO' }] },
  terminada: { 'verificar-metadata': [{ resultado: 'TERMINADA', paquetes: [base.paquete], registros: 3 }] },
  vacia: { 'verificar-metadata': [{ resultado: 'VACIA' }] },
  demasiados: { 'verificar-metadata': [{ resultado: 'DEMASIADOS' }] },
  vencida: { 'verificar-metadata': [{ resultado: 'VENCIDA', codigo: '5000', mensaje }] },
  desconocida: { 'verificar-metadata': [{ resultado: 'DESCONOCIDA', codigo: '5004', mensaje }] },
  paquete: { 'descargar-paquete': [{ resultado: 'PAQUETE', zip }] },
  'paquete-cancelado': { 'descargar-paquete': [{ resultado: 'PAQUETE', zip }] },
  agotado: { 'descargar-paquete': [{ resultado: 'AGOTADO', codigo: '5008', mensaje }] },
  'credencial-rechazada': all(new SatError('CIEC_RECHAZADA')),
  'servicio-con-error': all(new SatError('SERVICIO_CON_ERROR', { codigo: 'HTTP 503' })),
  cancelada: {},
};

conformSat('createSatMemoria', async (escenario) => ({
  sat: createSatMemoria({ guion: guiones[escenario] }),
  credencial,
  base,
  zip,
  close: () => Promise.resolve(),
}));

describe('createSatMemoria', () => {
  const { signal } = new AbortController();

  it('gives its answers in order, stays with the last, and tells what it was asked', async () => {
    const sat = createSatMemoria({
      guion: {
        'verificar-metadata': [
          { resultado: 'EN_PROCESO' },
          new SatError('NO_RESPONDE'),
          (consulta) => ({ resultado: 'TERMINADA', paquetes: [`${consulta.folio}_01`], registros: null }),
        ],
      },
    });
    const ask = () => sat.send({ ...base, consulta: 'verificar-metadata' }, credencial, { signal });
    expect(await ask()).toEqual({ resultado: 'EN_PROCESO' });
    await expect(ask()).rejects.toMatchObject({ motivo: 'NO_RESPONDE' });
    expect(await ask()).toMatchObject({ resultado: 'TERMINADA', paquetes: [base.paquete] });
    expect(await ask()).toMatchObject({ resultado: 'TERMINADA' });
    expect(sat.consultas).toEqual(Array(4).fill({ ...base, consulta: 'verificar-metadata' }));
  });

  it('does not make up what the script does not say', async () => {
    const sat = createSatMemoria({ guion: {} });
    const answer = sat.send({ ...base, consulta: 'solicitar-metadata' }, credencial, { signal });
    await expect(answer).rejects.toThrow('the script has no answer to solicitar-metadata');
  });
});
