import { describe, expect, it } from 'vitest';
import type { ClaimedSolicitud, Parte } from '../ports/solicitudes.ts';
import { SatError } from '../sat-error.ts';
import { claimed, NOW, parte, released, step } from './testing/un-paso.ts';

const HOUR = 3_600;
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);
const sellada = (tipo: 'ciec' | 'efirma', ends = 7 * 24 * HOUR) => ({
  tipo,
  kid: 'k',
  sobre: Buffer.alloc(0),
  expiraEn: at(ends),
});
const both = { sellada: sellada('efirma', HOUR), otra: sellada('ciec'), deadlineAt: at(7 * 24 * HOUR) };
const empty = { 'verificar-metadata': { resultado: 'VACIA' } } as const;
const asked = (change: Partial<Parte> = {}) => parte({ estado: 'SOLICITADA', folio: 'F', ...change });
const look = (change: Partial<ClaimedSolicitud>, p: Parte, answers: Parameters<typeof step>[1] = empty) =>
  step(claimed({ ...change, partes: [p] }), answers);
const eventos = (result: Awaited<ReturnType<typeof step>>) => released(result).avance.eventos?.map(({ tipo }) => tipo);

describe('an answer without any CFDI', () => {
  it('is asked for again after an hour, as another request', async () => {
    const result = await look({ ...both, sellada: sellada('efirma') }, asked());
    const { avance, next } = released(result);
    expect(avance.partes).toMatchObject([
      { estado: 'PENDIENTE', canal: 'soap', vacias: ['soap'], folio: null, desfase: 1, dueInSeconds: HOUR },
    ]);
    expect(next).toEqual({ queue: 'descargas', inSeconds: HOUR });
    expect(eventos(result)).toEqual(['SIN_CFDI', 'VACIA_POR_CONFIRMAR']);
  });

  it('is asked for again while the e.firma is there: in half of the time that its key has left', async () => {
    const { next } = released(await look(both, asked()));
    expect(next.inSeconds).toBe(HOUR / 2);
  });

  it('is asked of the other channel when the same one said so twice, month by month where that takes months', async () => {
    const periodo = { inicio: '2025-01-10T00:00:00', fin: '2025-03-05T23:59:59' };
    const result = await look(both, asked({ vacias: ['soap'], periodo }));
    expect(released(result).avance.nuevas).toEqual({
      reemplaza: 'p1',
      contenidos: ['metadata'],
      canal: 'portal',
      vacias: ['soap', 'soap'],
      periodos: [
        { inicio: '2025-01-10T00:00:00', fin: '2025-01-31T23:59:59' },
        { inicio: '2025-02-01T00:00:00', fin: '2025-02-28T23:59:59' },
        { inicio: '2025-03-01T00:00:00', fin: '2025-03-05T23:59:59' },
      ],
    });
  });

  it('is a fact when both channels gave it', async () => {
    const p = parte({ canal: 'portal', vacias: ['soap', 'soap'] });
    const result = await look(both, p, { 'solicitar-metadata': { resultado: 'VACIA' } });
    const { avance, next } = released(result);
    expect(avance.partes).toMatchObject([{ estado: 'VACIA', vacias: ['soap', 'soap', 'portal'], registros: 0 }]);
    expect(next.queue).toBe('ensambles');
    expect(eventos(result)).toEqual(['SIN_CFDI', 'VACIA_CONFIRMADA']);
  });

  it('stays unconfirmed without another channel', async () => {
    const result = await look({ ...both, otra: null }, asked({ vacias: ['soap'] }));
    expect(released(result).avance.partes).toMatchObject([{ estado: 'VACIA', vacias: ['soap', 'soap'] }]);
    expect(eventos(result)).toEqual(['SIN_CFDI', 'VACIA_SIN_CONFIRMAR']);
  });
});

describe('a confirmation that cannot be had', () => {
  it('waits for no e.firma: the other channel is asked, or the answer stays unconfirmed', async () => {
    const p = parte({ vacias: ['soap'] });
    expect(eventos(await look({ ...both, sellada: null }, p))).toEqual(['VACIA_POR_CONFIRMAR']);
    expect(eventos(await look({ ...both, sellada: null, otra: null }, p))).toEqual(['VACIA_SIN_CONFIRMAR']);
  });

  it('does not end the solicitud: a refused CIEC is marked at its channel', async () => {
    const p = parte({ canal: 'portal', vacias: ['soap', 'soap'] });
    const result = await look(both, p, { 'solicitar-metadata': new SatError('CIEC_RECHAZADA') });
    expect(result.names).toEqual(['save', 'sat solicitar-metadata', 'markRefused', 'release']);
    expect(result.calls[2]).toEqual(['markRefused', 'portal']);
    expect(eventos(result)).toEqual(['VACIA_SIN_CONFIRMAR']);
  });

  it('is given up after some failures, and once the solicitud is late', async () => {
    const silent = { 'solicitar-metadata': new SatError('NO_RESPONDE') };
    const p = parte({ canal: 'portal', vacias: ['soap', 'soap'] });
    expect(eventos(await look(both, p, silent))).toEqual(['SAT_SIN_RESPUESTA']);
    expect(eventos(await look(both, { ...p, fallos: 8 }, silent))).toEqual(['VACIA_SIN_CONFIRMAR']);
    const late = { ...both, creadaEn: at(-72 * HOUR) };
    expect((await look(late, p)).names).toEqual(['release']);
  });
});
