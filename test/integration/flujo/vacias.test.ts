import { describe, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import {
  askFor,
  darFilas,
  eventosDe,
  llamadas,
  movimientosDe,
  openPaquete,
  openWhole,
  type Pedido,
  UN_DIA,
  verificar,
} from '../fixtures/pedidos.ts';
import { type Caller, ciecOf, expectOk, useServicio, waitForEnd } from '../fixtures/servicio.ts';

const MARZO = { tipo: 'recibidos', desde: '2025-03-01', hasta: '2025-03-31' } as const;
const QUARTER = { tipo: 'recibidos', desde: '2025-03-01', hasta: '2025-05-31' } as const;

describe('a SAT that says "no CFDI", truly or not', () => {
  const servicio = useServicio({}, {});

  const conAmbas = async (rfc: string): Promise<Caller> => {
    const caller = await newEfirmaCaller(servicio, { rfc });
    await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
    return caller;
  };
  const expectRows = async (caller: Caller, pedido: Pedido = MARZO) => {
    const id = await askFor(caller, pedido);
    const end = await waitForEnd(caller, id);
    const { csv, manifest } = await openWhole(servicio, caller, id, pedido);
    expect(csv.length).toBeGreaterThan(0);
    const whole = { estado: 'TERMINADA', registros: csv.length, confianza: 'confirmado', reembolsada: false };
    expect(end).toMatchObject(whole);
    expect(manifest).toMatchObject({ confianza: 'confirmado' });
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
    return id;
  };

  it('by e.firma: a false 5004 is asked for again, as another request, and the rows are there', async () => {
    const caller = await newEfirmaCaller(servicio, { rfc: 'FAL900215SIA' });
    const id = await expectRows(caller);
    expect(llamadas(servicio, caller, 'SolicitaDescargaRecibidos')).toHaveLength(2);
    expect(await eventosDe(servicio, id)).toContain('VACIA_POR_CONFIRMAR');
  });

  it('by CIEC: false zero rows are asked for again', async () => {
    await expectRows(await servicio.newCiecCaller({ rfc: 'FALS900215SI1' }));
  });

  it('by both: what one channel never shows comes from the other one, for one charge', async () => {
    await expectRows(await conAmbas('WEB900215SI4'), QUARTER);
  });

  it('is a fact, and charged, when both channels say it', async () => {
    const caller = await conAmbas('VAC900215SI6');
    const id = await askFor(caller, QUARTER);
    expect(await waitForEnd(caller, id)).toMatchObject({
      estado: 'TERMINADA',
      registros: 0,
      confianza: 'confirmado',
      reembolsada: false,
    });
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
    const { manifest } = await openPaquete(caller, id);
    expect(manifest).toMatchObject({ confianza: 'confirmado' });
    expect(await eventosDe(servicio, id)).toContain('VACIA_CONFIRMADA');
  });

  it('in some months only: these are asked for again, and the manifest tells how sure each is', async () => {
    const caller = await servicio.newCiecCaller();
    darFilas(servicio, caller.rfc, UN_DIA, 5);
    const id = await askFor(caller, QUARTER);
    expect(await waitForEnd(caller, id)).toMatchObject({ registros: 5, confianza: 'confirmado' });
    const { manifest } = await openPaquete(caller, id);
    expect(manifest).toMatchObject({
      confianza: 'confirmado',
      partes: ['sin_confirmar', 'sin_confirmar', 'confirmado'].map((confianza) => ({ confianza })),
    });
    expect((await eventosDe(servicio, id)).filter((tipo) => tipo === 'VACIA_POR_CONFIRMAR')).toHaveLength(2);
    expect(await verificar(caller, id)).toMatchObject({ reembolsada: false });
  });
});
