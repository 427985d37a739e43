import { describe, expect, it } from 'vitest';
import { eachAtLength } from '../fixtures/at-length.ts';
import { darNueve, expectNueve, FALLAS, useMalaHora } from '../fixtures/mala-hora.ts';
import { askFor, fail, llamadas, movimientosDe, waitForLlamadas } from '../fixtures/pedidos.ts';
import { type Caller, waitForEnd } from '../fixtures/servicio.ts';

/** Whether the portal knows by then who is there; before that a rule cannot name an RFC. */
const OPERATIONS = [
  ['cfdiau', 'PaginaCiec', false],
  ['cfdiau', 'EntrarCiec', true],
  ['cfdiau', 'EmitirToken', true],
  ['portalcfdi', 'RecibirToken', false],
  ['portalcfdi', 'Inicio', true],
  ['portalcfdi', 'AbrirConsulta', true],
  ['portalcfdi', 'ElegirFiltro', true],
  ['portalcfdi', 'Buscar', true],
  ['portalcfdi', 'DescargaMetadatos', true],
  ['portalcfdi', 'ConsultaDescargaMasiva.aspx', true],
  ['portalcfdi', 'DescargarPaquete', true],
] as const;

describe('the portal has a bad hour', () => {
  const servicio = useMalaHora();

  const expectWhole = (caller: Caller, id: string) => expectNueve(servicio, caller, id);
  const newCaller = async () => darNueve(servicio, await servicio.newCiecCaller());

  for (const [service, operation, isNamed] of OPERATIONS) {
    const tags = operation === 'Buscar' ? [] : ['slow'];
    it(`${service} ${operation}: every kind of fault in a row, a slow answer at last, then a result, charged once`, {
      tags,
    }, async () => {
      const caller = await newCaller();
      const { faults } = servicio.simulador.world;
      const rfc = isNamed ? caller.rfc : undefined;
      const rules = FALLAS.map((kind) => faults.add({ service, operation, rfc, kind, times: 1, ms: 200 }));
      try {
        await expectWhole(caller, await askFor(caller));
        // 70 % of a page may hold all that is wanted of it, so that the last one is not needed any more.
        const taken = rules.slice(0, -1).map((rule) => faults.list().find(({ id }) => id === rule.id)?.taken);
        expect(taken).toEqual(taken.map(() => 1));
      } finally {
        for (const { id } of rules) faults.remove(id);
      }
    });
  }

  eachAtLength(['wrong-content', 'cut', 'malformed'] as const)(
    'a package that is %s is fetched again',
    async (kind) => {
      const caller = await newCaller();
      fail(servicio, caller, { service: 'portalcfdi', operation: 'DescargarPaquete', kind, times: 2 });
      await expectWhole(caller, await askFor(caller));
      expect(llamadas(servicio, caller, 'DescargarPaquete')).toHaveLength(3);
      expect(llamadas(servicio, caller, 'DescargaMetadatos')).toHaveLength(1);
    },
  );

  it('an error of the page method without words about rows is tried again', async () => {
    const caller = await newCaller();
    const fault = { kind: 'code', times: 2, mensaje: 'Ocurrió un error al procesar su solicitud.' } as const;
    fail(servicio, caller, { service: 'portalcfdi', operation: 'DescargaMetadatos', ...fault });
    await expectWhole(caller, await askFor(caller));
  });

  it('a folio that never becomes a package: VENCIDA with a refund', async () => {
    const caller = await newCaller();
    fail(servicio, caller, { service: 'portalcfdi', operation: 'DescargaMetadatos', kind: 'stuck' });
    const id = await askFor(caller);
    await waitForLlamadas(servicio, caller, 'ConsultaDescargaMasiva.aspx', 3);
    await servicio.sql`UPDATE solicitud SET deadline_at = now() - interval '1 second' WHERE id = ${id}`;
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'VENCIDA', motivo: 'PLAZO_AGOTADO' });
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
  });

  it('a session that ended on its own is opened again, with one more log-in', async () => {
    const caller = await newCaller();
    const stuck = { service: 'portalcfdi', operation: 'ConsultaDescargaMasiva.aspx', kind: 'status' } as const;
    const rule = fail(servicio, caller, stuck);
    const id = await askFor(caller);
    await waitForLlamadas(servicio, caller, 'ConsultaDescargaMasiva.aspx', 1);
    servicio.simulador.world.clock.advance(25 * 60_000);
    servicio.simulador.world.faults.remove(rule.id);
    try {
      await expectWhole(caller, id);
      expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(2);
    } finally {
      servicio.simulador.world.clock.set(null);
    }
  });
});
