import { createCargaListas } from '@acuse/db';
import { Acuse } from '@acuse/sdk';
import { OPERACIONES } from '@acuse/sdk/operaciones';
import { beforeAll, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { ciecOf, LISTAS_TOO, useServicio, waitFor } from '../fixtures/servicio.ts';

const servicio = useServicio({ workerEnv: LISTAS_TOO }, {});
beforeAll(() => waitFor(async () => (await createCargaListas(servicio.db).estado()).vigente));

it('calls every operation of the service by its own method', { timeout: 300_000 }, async () => {
  const caller = await newEfirmaCaller(servicio, { saldo: 50 });
  const { rfc, efirma } = caller;
  servicio.simulador.world.taxpayers.change(rfc, { perfil: { opinion: { autorizaPublicacion: true } } });
  const sinClave = new Set<string>();
  const acuse = new Acuse({
    ...{ url: servicio.api.url, llave: caller.apiKey },
    fetch(address, init) {
      if (!new Headers(init?.headers).has('idempotency-key'))
        sinClave.add(String(address).replace(/.*\/api\/v1\//, ''));
      return fetch(address, init);
    },
  });
  const periodo = { rfc, desde: '2025-05-01', hasta: '2025-05-31' };
  const ejercicio = { rfc, ejercicio: 2025 };

  const { vault, tax, descarga } = acuse;
  const answers: Readonly<Record<string, object>> = {
    'vault/rfc-registrar': await vault.rfcRegistrar({ rfc }),
    'vault/rfc-guardar': await vault.rfcGuardar({ rfc, ciec: ciecOf(rfc) }),
    'vault/firma-registrar': await vault.firmaRegistrar({ rfc, cer: efirma.cer }),
    'vault/firma-guardar': await vault.firmaGuardar({ rfc, key: efirma.key, password: efirma.password }),
    'vault/firma-estado': await vault.firmaEstado({ rfc }),
    'vault/estado': await vault.estado({ rfc }),
    'uso/consultar': await acuse.uso.consultar({}),
    'tax/facturas': await tax.facturas(periodo),
    'tax/facturas-fiel': await tax.facturasFiel(periodo),
    'tax/retenciones': await tax.retenciones(ejercicio),
    'tax/declaraciones-fiel': await tax.declaracionesFiel(ejercicio),
    'tax/comunicados': await tax.comunicados({ rfc }),
    'tax/notificaciones': await tax.notificaciones({ rfc }),
    'tax/informacion-fiscal': await tax.informacionFiscal({ rfc }),
    'tax/opinion-cumplimiento': await tax.opinionCumplimiento({ rfc }),
    'tax/opinion-cumplimiento-fiel': await tax.opinionCumplimientoFiel({ rfc }),
    'tax/opinion-cumplimiento-publica': await tax.opinionCumplimientoPublica({ rfc }),
    'usuario/datos-fiscales': await acuse.usuario.datosFiscales({ rfc }),
    'efos/consultar': await acuse.efos.consultar({ rfc }),
    'descarga/consulta-cfdi': await cfdi(),
    ...(await downloads()),
    ...(await webhooks()),
  };
  expect(Object.keys(answers).sort()).toEqual(OPERACIONES.map(({ path }) => path).sort());
  for (const [path, answer] of Object.entries(answers))
    expect([path, answer]).toMatchObject([path, { cfdi_codigo: 1 }]);
  // Only what changes nothing is repeated without one.
  expect([...sinClave].sort()).toEqual([
    ...['descarga/listar', 'descarga/paquete', 'descarga/verificar', 'efos/consultar'],
    ...['tax/opinion-cumplimiento-publica', 'uso/consultar', 'vault/estado', 'vault/firma-estado'],
    ...['webhooks/entregas', 'webhooks/listar'],
  ]);
  expect(answers['usuario/datos-fiscales']).toMatchObject({ data: { rfc }, saldo: expect.any(Number) });

  async function cfdi() {
    const [{ uuid, emisor_rfc, total } = { uuid: '', emisor_rfc: '', total: 0 }] = (await tax.facturas(periodo)).data
      .items;
    return descarga.consultaCfdi({ rfc_emisor: emisor_rfc, rfc_receptor: rfc, uuid, total });
  }
  async function webhooks() {
    const { webhooks } = acuse;
    const crear = await webhooks.crear({ rfc, url: 'http://127.0.0.1:9/', eventos: ['saldo.bajo'] });
    const { webhook_id } = crear.data;
    const probar = await webhooks.probar({ webhook_id });
    return {
      'webhooks/crear': crear,
      'webhooks/listar': await webhooks.listar({ rfc }),
      'webhooks/actualizar': await webhooks.actualizar({ webhook_id, descripcion: 'ERP' }),
      'webhooks/rotar-secreto': await webhooks.rotarSecreto({ webhook_id }),
      'webhooks/probar': probar,
      'webhooks/entregas': await webhooks.entregas({ webhook_id }),
      'webhooks/reenviar': await webhooks.reenviar({ entrega_id: probar.data.entrega_id }),
      'webhooks/borrar': await webhooks.borrar({ webhook_id }),
    };
  }
  async function downloads() {
    const asked = await tax.descargaMetadata({ ...periodo, tipo: 'recibidos' });
    const { solicitud } = await acuse.esperar(asked.data.solicitud_id);
    const { solicitud_id } = solicitud;
    const other = await tax.descargaMetadata({ rfc, tipo: 'recibidos', desde: '2021-01-01', hasta: '2025-12-31' });
    return {
      'tax/descarga-metadata': asked,
      'descarga/verificar': await descarga.verificar({ solicitud_id }),
      'descarga/listar': await descarga.listar({ limite: 1 }),
      'descarga/paquete': await descarga.paquete({ solicitud_id }),
      'descarga/cancelar': await descarga.cancelar({ solicitud_id: other.data.solicitud_id }),
    };
  }
});

it('makes one webhook when the answer to its making is lost, and gives its secret all the same', async () => {
  const { apiKey: llave, rfc } = await servicio.newCaller();
  let lost = 0;
  const acuse = new Acuse({
    ...{ url: servicio.api.url, llave, pausa: { esperar: async () => {} } },
    async fetch(address, init) {
      const answer = await fetch(address, init);
      if (!String(address).endsWith('webhooks/crear') || lost > 0) return answer;
      lost += 1;
      await answer.arrayBuffer();
      throw new TypeError('fetch failed');
    },
  });
  const { data } = await acuse.webhooks.crear({ rfc, url: 'https://erp.example/acuse', eventos: ['saldo.bajo'] });
  expect([lost, data.secreto]).toEqual([1, expect.stringMatching(/^whsec_/)]);
  const { data: stored } = await acuse.webhooks.listar({ rfc });
  expect(stored.items.map(({ webhook_id }) => webhook_id)).toEqual([data.webhook_id]);
});
