import type { Credencial, Sat } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { type CanalDesactivado, createSat } from './canales.ts';

const credenciales: Record<'soap' | 'portal', Credencial> = {
  soap: { tipo: 'efirma', rfc: 'EKU9003173C9', cer: Buffer.alloc(0), key: Buffer.alloc(0) },
  portal: { tipo: 'ciec', rfc: 'EKU9003173C9', ciec: Buffer.alloc(0) },
};
const consulta = {
  consulta: 'solicitar-metadata',
  rfc: 'EKU9003173C9',
  tipo: 'emitidos',
  periodo: { inicio: '2026-01-01T00:00:00', fin: '2026-01-31T23:59:59' },
} as const;
const envio = { signal: new AbortController().signal };

/** A channel whose folio is its name. */
const named = (folio: string): Sat => ({
  send: (() => Promise.resolve({ resultado: 'ACEPTADA', folio })) as unknown as Sat['send'],
});
const ask = (
  canal: 'soap' | 'portal',
  desactivados: CanalDesactivado[],
  sats = { soap: named('soap'), portal: named('portal') },
) => createSat({ ...sats, settings: { desactivados } }).send(consulta, credenciales[canal], envio);

describe('createSat', () => {
  it.each(['soap', 'portal'] as const)('sends the credential of %s there', async (canal) => {
    expect(await ask(canal, [])).toEqual({ resultado: 'ACEPTADA', folio: canal });
  });

  it.each([
    ['soap', 'soap'],
    ['portal', 'portal'],
    ['soap', 'soap:solicitar-metadata'],
  ] as const)('does not send by %s when %s is switched off, nor by the other', async (canal, off) => {
    await expect(ask(canal, [off])).rejects.toMatchObject({ motivo: 'CANAL_DESACTIVADO', clase: 'permanente' });
  });

  it('sends what is not switched off', async () => {
    expect(await ask('soap', ['portal', 'soap:descargar-paquete'])).toMatchObject({ folio: 'soap' });
  });

  it('has no channel that it was not given', async () => {
    const sat = createSat({ soap: named('soap') });
    await expect(sat.send(consulta, credenciales.portal, envio)).rejects.toMatchObject({ motivo: 'CANAL_DESACTIVADO' });
  });
});
