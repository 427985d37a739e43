import { describe, expect, it } from 'vitest';
import { issueEfirma, newEfirmaCaller, registrarCer, storeKey } from '../fixtures/efirma.ts';
import {
  askFor,
  darFilas,
  llamadas,
  movimientosDe,
  openWhole,
  type Pedido,
  saldoDe,
  UN_DIA,
} from '../fixtures/pedidos.ts';
import { expectOk, startServicio, useServicio, waitForEnd } from '../fixtures/servicio.ts';

/** A legal entity and a natural person, both with the characters that break encodings. */
const RFCS = [
  ['persona moral', 'Ñ&A010203AB1'],
  ['persona física', 'ÑU&O850412H73'],
] as const;

describe('the main job with an e.firma, over the SAT’s web service', () => {
  const servicio = useServicio({ simulador: { filas_por_paquete: 20 } }, {});

  describe.each(RFCS)('%s', (_name, rfc) => {
    const tags = rfc === RFCS[0][1] ? [] : ['slow'];
    it.each(['emitidos', 'recibidos'] as const)('%s: several SAT packages, one ZIP', { tags }, async (tipo) => {
      const own = `${rfc.slice(0, -3)}${tipo === 'emitidos' ? 'E' : 'R'}${rfc.slice(-2)}`;
      const pedido: Pedido = { tipo, desde: '2025-02-27', hasta: '2025-03-02' };
      const caller = await newEfirmaCaller(servicio, { rfc: own, saldo: 3 });
      darFilas(servicio, own, pedido, 107);

      const id = await askFor(caller, pedido);
      expect(await waitForEnd(caller, id)).toMatchObject({
        estado: 'TERMINADA',
        registros: 107,
        progreso: 1,
        motivo: null,
        tipo,
      });
      const { csv, names, manifest } = await openWhole(servicio, caller, id, pedido);
      expect(new Set(csv.map((row) => row[tipo === 'emitidos' ? 'rfc_emisor' : 'rfc_receptor']))).toEqual(
        new Set([own]),
      );
      expect(names.filter((name) => name.startsWith('originales/')).length).toBeGreaterThanOrEqual(6);
      expect(manifest).toMatchObject({ rfc: own });

      const operation = tipo === 'emitidos' ? 'SolicitaDescargaEmitidos' : 'SolicitaDescargaRecibidos';
      expect(llamadas(servicio, caller, operation)).toHaveLength(1);
      expect(llamadas(servicio, caller, 'Descargar')).toHaveLength(6);
      expect(llamadas(servicio, caller).filter(({ service }) => service.includes('portal'))).toEqual([]);
      expect(await saldoDe(servicio, caller)).toBe(2);
      expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
    });
  });

  it('shows in firma-estado the stored e.firma, and whether it is in force', async () => {
    const caller = await servicio.newCaller();
    const estado = () => expectOk(caller.call('vault/firma-estado', { rfc: caller.rfc }));
    expect(await estado()).toEqual({
      rfc: caller.rfc,
      tiene_cer: false,
      tiene_key: false,
      vigente: false,
      expira_en: null,
      key_expira_en: null,
      rechazos: [],
      advertencias: [],
    });

    const efirma = await issueEfirma(servicio, { rfc: caller.rfc });
    expect(await expectOk(registrarCer(caller, efirma))).toEqual({
      rfc: caller.rfc,
      no_serie: efirma.numero,
      advertencias: [],
    });
    expect(await estado()).toMatchObject({ tiene_cer: true, tiene_key: false, vigente: true });
    const missing = await caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...UN_DIA });
    expect([missing.status, missing.body.cfdi_codigo]).toEqual([400, 4003]);

    const before = Date.now();
    const { expira_en: expiraEn } = await expectOk(storeKey(caller, efirma));
    const hour = Date.parse(String(expiraEn)) - before;
    expect(hour).toBeGreaterThan(3_500_000);
    expect(hour).toBeLessThanOrEqual(3_700_000);
    expect(await estado()).toMatchObject({ tiene_cer: true, tiene_key: true, vigente: true });

    const renewed = await issueEfirma(servicio, { rfc: caller.rfc });
    await expectOk(registrarCer(caller, renewed));
    expect(await estado()).toMatchObject({ tiene_cer: true, tiene_key: false });
  });

  it('ends with a refund when the SAT refuses the certificate, and needs it stored again', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 5 });
    servicio.simulador.world.pki.revoke(caller.efirma.numero);
    const id = await askFor(caller);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'ERROR', motivo: 'EFIRMA_RECHAZADA' });
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
    expect(llamadas(servicio, caller, 'SolicitaDescargaRecibidos')).toHaveLength(2);

    const estado = await expectOk(caller.call('vault/firma-estado', { rfc: caller.rfc }));
    expect(estado).toMatchObject({ tiene_cer: true, vigente: true, rechazos: [{ canal: 'soap' }] });
    const refused = await caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...UN_DIA });
    expect([refused.status, refused.body.cfdi_codigo]).toEqual([400, 4002]);
    expect(llamadas(servicio, caller, 'SolicitaDescargaRecibidos')).toHaveLength(2);
    expect(await saldoDe(servicio, caller)).toBe(5);

    const renewed = await issueEfirma(servicio, { rfc: caller.rfc });
    await expectOk(registrarCer(caller, renewed));
    await expectOk(storeKey(caller, renewed));
    expect(await waitForEnd(caller, await askFor(caller))).toMatchObject({ estado: 'TERMINADA' });
  });
});

describe('an e.firma that cannot be used is refused when it is stored, with the reason', () => {
  const servicio = useServicio();

  it('4001: a CSD, an expired one, one of another RFC, one of an unknown authority, no certificate', async () => {
    const caller = await servicio.newCaller();
    const { rfc } = caller;
    const stranger = await startServicio();
    const foreign = await issueEfirma(stranger, { rfc }).finally(() => stranger.close());
    const cases: [string, RegExp][] = [
      [(await issueEfirma(servicio, { rfc, csd: true })).cer, /sello digital/],
      [(await issueEfirma(servicio, { rfc, vence: '2025-01-01' })).cer, /ya venció/],
      [(await issueEfirma(servicio, { rfc: 'EKU9003173C9' })).cer, /otro RFC/],
      [foreign.cer, /ninguna autoridad conocida/],
      [Buffer.from('no es un certificado').toString('base64'), /no es un certificado/],
    ];
    for (const [cer, motivo] of cases) {
      const { status, body } = await registrarCer(caller, { cer });
      expect([status, body.cfdi_codigo]).toEqual([400, 4001]);
      expect(body.data).toMatchObject({ campo: 'cer', motivo: expect.stringMatching(motivo) });
    }
    const estado = await expectOk(caller.call('vault/firma-estado', { rfc }));
    expect(estado).toMatchObject({ tiene_cer: false, vigente: false });
  });

  it('4002: no certificate yet, wrong password, the key of another certificate, no key', async () => {
    const caller = await servicio.newCaller();
    const { rfc } = caller;
    const efirma = await issueEfirma(servicio, { rfc });
    const other = await issueEfirma(servicio, { rfc });
    const early = await storeKey(caller, efirma);
    expect([early.status, early.body.cfdi_codigo]).toEqual([400, 4002]);
    expect(early.body.data).toMatchObject({ motivo: expect.stringMatching(/primero el certificado/) });

    await expectOk(registrarCer(caller, efirma));
    const cases: [{ key: string; password: string }, 'key' | 'password', RegExp][] = [
      [{ key: efirma.key, password: 'otra' }, 'password', /contraseña no abre/],
      [{ key: other.key, password: other.password }, 'key', /no corresponde al \.cer/],
      [{ key: Buffer.from('no es una llave').toString('base64'), password: 'x' }, 'key', /no es una llave/],
    ];
    for (const [input, campo, motivo] of cases) {
      const { status, body } = await storeKey(caller, input);
      expect([status, body.cfdi_codigo]).toEqual([400, 4002]);
      expect(body.data).toMatchObject({ campo, motivo: expect.stringMatching(motivo) });
    }
    const estado = await expectOk(caller.call('vault/firma-estado', { rfc }));
    expect(estado).toMatchObject({ tiene_cer: true, tiene_key: false });
    await expectOk(storeKey(caller, efirma));
  });
});
