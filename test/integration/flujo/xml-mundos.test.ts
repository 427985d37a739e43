import type { Fault, SettingsInput } from '@acuse/simulador';
import { describe, expect, it } from 'vitest';
import { createRandom, seed } from '../../faults/random.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor, darFilas, fail, filasDelSat, type Pedido, saldoDe } from '../fixtures/pedidos.ts';
import { askedOfSat } from '../fixtures/resultado.ts';
import { ciecOf, expectOk, useServicio, waitForEnd } from '../fixtures/servicio.ts';
import { expectXml } from '../fixtures/xml.ts';

const azar = createRandom(seed);

/** What may happen to the calls of one world: each passes in the end, or costs XML. */
const FAULTS: readonly Omit<Fault, 'rfc'>[] = [
  { service: '*', kind: 'status', times: 2 },
  { service: '*', kind: 'cut', times: 2, after: 1 },
  { service: '*', kind: 'malformed', times: 2, after: 2 },
  { service: '*', kind: 'empty200', times: 2, after: 3 },
  { service: 'portalcfdi', kind: 'expired', times: 1, after: 4 },
  { service: 'cfdidescargamasiva', kind: 'wrong-content', times: 1 },
  { service: 'cfdidescargamasivasolicitud', operation: 'VerificaSolicitudDescarga', kind: 'code', code: 404, times: 2 },
  { service: 'cfdidescargamasivasolicitud', operation: 'SolicitaDescargaEmitidos', kind: 'code', code: 5001, after: 1 },
  {
    service: 'cfdidescargamasivasolicitud',
    operation: 'SolicitaDescargaRecibidos',
    kind: 'code',
    code: 5002,
    after: 1,
  },
  { service: 'cfdidescargamasiva', operation: 'Descargar', kind: 'code', code: 5008, after: 1 },
];
const PACKAGES = ['normales', 'mayusculas', 'perdido', 'doble', 'renombrado', 'todo'] as const;

describe(`XML in random worlds (FAULTS_SEED=${seed})`, () => {
  const settings: SettingsInput = { filas_por_paquete: 17, max_filas_cfdi: 40, max_xml_por_dia: 2_000 };
  const servicio = useServicio({ simulador: settings }, { SAT_POLL_MAX_SECONDS: '0.2' });

  async function world(): Promise<void> {
    const credencial = azar.pick(['ciec', 'efirma', 'both'] as const);
    const caller = await (credencial === 'ciec'
      ? servicio.newCiecCaller({ saldo: 2 })
      : newEfirmaCaller(servicio, { saldo: 2 }));
    const { rfc } = caller;
    if (credencial === 'both') await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
    servicio.simulador.world.settings.paquetes_xml = azar.pick(PACKAGES);
    const tipo = azar.pick(['emitidos', 'recibidos'] as const);
    const filtros = azar.pick<Partial<Pedido>>([
      {},
      {},
      { estado_comprobante: 'vigente' },
      { tipo_comprobante: 'I' },
      ...(tipo === 'emitidos' ? [{ estado_comprobante: 'cancelado' } as const] : []),
    ]);
    const pedido: Pedido = {
      tipo,
      ...filtros,
      desde: '2025-02-27',
      hasta: azar.pick(['2025-02-27', '2025-03-02']),
      contenido: 'xml',
    };
    darFilas(servicio, rfc, pedido, azar.below(90));
    const faults = azar.shuffle(FAULTS).slice(0, azar.below(3));
    for (const fault of faults) fail(servicio, caller, fault);

    const id = await askFor(caller, pedido);
    const end = await waitForEnd(caller, id, 120);
    const told = JSON.stringify({ credencial, pedido, faults, end });
    // A solicitud whose metadata the SAT refuses ends without a package, and is refunded.
    if (end['estado'] !== 'TERMINADA') {
      expect([told, await saldoDe(servicio, caller)]).toEqual([told, 2]);
      return;
    }
    const reasons = await expectXml(servicio, caller, id, pedido);
    const cancelled = new Set(
      filasDelSat(servicio, rfc, pedido).flatMap((row) =>
        row.estatus === 'Cancelado' ? [row.uuid.toUpperCase()] : [],
      ),
    );
    for (const [uuid, motivo] of reasons)
      if (motivo === 'CANCELADO_RECIBIDO')
        expect([told, pedido.tipo, cancelled.has(uuid)]).toEqual([told, 'recibidos', true]);
    const expected = tipo === 'recibidos' ? [...cancelled] : [];
    const isCalm = faults.length === 0 && servicio.simulador.world.settings.paquetes_xml === 'normales';
    if (isCalm) expect([told, [...reasons.keys()]]).toEqual([told, expected]);
    expect([told, await saldoDe(servicio, caller)]).toEqual([told, end['confianza'] === 'sin_confirmar' ? 2 : 1]);
    expect([told, askedOfSat(servicio, rfc).thirds]).toEqual([told, []]);
  }

  it('is delivered byte for byte or named with a true reason, under one charge', { timeout: 300_000 }, async () => {
    for (let n = 0; n < 6; n += 1) await world();
  });

  it('is so in 60 worlds', { tags: ['slow'], timeout: 1_200_000 }, async () => {
    for (let n = 0; n < 60; n += 1) await world();
  });
});
