import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createCargaListas } from '@acuse/listas/db';
import { Acuse } from '@acuse/sdk';
import { OPERACIONES } from '@acuse/sdk/operaciones';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { ciecOf, LISTAS_TOO, useServicio, waitFor } from '../fixtures/servicio.ts';
import { LANGUAGES, type Language, resultadoDe, startProceso } from './clientes.ts';

const servicio = useServicio({ workerEnv: LISTAS_TOO }, {});
beforeAll(() => waitFor(async () => (await createCargaListas(servicio.db).estado()).vigente));

/** A proxy that records calls without an `Idempotency-Key`. */
async function noting(sinClave: Set<string>): Promise<string> {
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    if (!('idempotency-key' in request.headers)) sinClave.add(path.replace('/api/v1/', ''));
    const headers = Object.entries(request.headers).filter(
      ([name]) => !/^(host|connection|content-length)$/.test(name),
    );
    const body = await buffer(request);
    const answer = await fetch(servicio.api.url + path, {
      method: 'POST',
      headers: Object.fromEntries(headers) as Record<string, string>,
      body,
    });
    response.writeHead(answer.status).end(await answer.text());
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Calls a method of a client, as `tax.facturas`, or `esperar` with its argument. */
type Call = (metodo: string, args: object) => Promise<Record<string, unknown>>;

function typescript(url: string, llave: string): Call {
  const acuse = new Acuse({ url, llave });
  return async (metodo, args) => {
    if (metodo === 'esperar') return { ...(await acuse.esperar(Reflect.get(args, 'solicitudId'))) };
    const [grupo = '', accion = ''] = metodo.split('.');
    return Reflect.get(Reflect.get(acuse, grupo), accion)(args);
  };
}

const other =
  (language: Language) =>
  (url: string, llave: string): Call => {
    const proceso = startProceso(language);
    onTestFinished(() => proceso.close());
    const opciones = { cliente: { url, llave }, scale: 1 };
    return async (metodo, args) => resultadoDe(await proceso.call(opciones, metodo, args));
  };

const CLIENTS = [
  { nombre: 'TypeScript', falta: null, client: typescript },
  ...LANGUAGES.map((language) => ({ ...language, client: other(language) })),
] as const;

it.for(CLIENTS)(
  'calls every operation of the service by its own method in $nombre',
  { timeout: 300_000 },
  async ({ falta, client }, { skip }) => {
    if (falta !== null) return skip(falta);
    const { rfc, efirma, apiKey } = await newEfirmaCaller(servicio, { saldo: 50 });
    servicio.simulador.world.taxpayers.change(rfc, { perfil: { opinion: { autorizaPublicacion: true } } });
    const periodo = { rfc, desde: '2025-05-01', hasta: '2025-05-31' };
    const ejercicio = { rfc, ejercicio: 2025 };
    const sinClave = new Set<string>();
    const call = client(await noting(sinClave), apiKey);
    const answers: Record<string, Record<string, unknown>> = {};
    /** Calls an operation by its path; gives its `data`. */
    async function op(path: string, peticion: object = { rfc }): Promise<Record<string, unknown>> {
      const { grupo, metodo } = OPERACIONES.find((one) => one.path === path) ?? { grupo: '', metodo: '' };
      const answer = await call(`${grupo}.${metodo}`, peticion);
      answers[path] = answer;
      return (answer['data'] ?? {}) as Record<string, unknown>;
    }

    await op('vault/rfc-registrar');
    await op('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) });
    await op('vault/firma-registrar', { rfc, cer: efirma.cer });
    await op('vault/firma-guardar', { rfc, key: efirma.key, password: efirma.password });
    await op('vault/firma-estado');
    await op('vault/estado');
    await op('uso/consultar', {});
    await op('llamadas/listar', {});
    await op('estado/sat', {});
    const { items } = await op('tax/facturas', periodo);
    const [{ uuid, emisor_rfc, total } = {}] = items as Record<string, unknown>[];
    await op('descarga/consulta-cfdi', { rfc_emisor: emisor_rfc, rfc_receptor: rfc, uuid, total });
    await op('tax/facturas-fiel', periodo);
    await op('tax/retenciones', ejercicio);
    await op('tax/declaraciones-fiel', ejercicio);
    for (const path of ['tax/comunicados', 'tax/notificaciones', 'tax/informacion-fiscal']) await op(path);
    await op('tax/opinion-cumplimiento');
    await op('tax/opinion-cumplimiento-fiel');
    await op('tax/opinion-cumplimiento-publica');
    await op('usuario/datos-fiscales');
    await op('efos/consultar');
    await op('efos/consultar-lote', { rfcs: [rfc] });

    const { solicitud_id } = await op('tax/descarga-metadata', { ...periodo, tipo: 'recibidos' });
    await call('esperar', { solicitudId: solicitud_id });
    await op('descarga/verificar', { solicitud_id });
    await op('descarga/listar', { limite: 1 });
    await op('descarga/estimar', { rfc, tipo: 'recibidos', desde: '2025-05-14', hasta: '2025-05-14' });
    await op('descarga/paquete', { solicitud_id });
    await op('riesgo/paquete', { solicitud_id });
    const years = { rfc, tipo: 'recibidos', desde: '2022-01-01', hasta: '2026-10-31' };
    await op('descarga/cancelar', { solicitud_id: (await op('tax/descarga-metadata', years))['solicitud_id'] });

    await op('sincronizacion/estimar', { rfc, desde: '2026-11-01' });
    await op('sincronizacion/crear', { rfc, tipo: 'recibidos', desde: '2026-11-01' });
    await op('cfdi/consultar');
    await op('riesgo/proveedores');
    await op('cfdi/resumen', { rfc, tipo: 'recibidos' });
    for (const accion of ['listar', 'cambios', 'pausar', 'reanudar', 'borrar']) await op(`sincronizacion/${accion}`);

    const { conexion_id } = await op('conexion/crear', { rfc, solicitante: 'ERP', finalidad: 'Conciliación' });
    for (const accion of ['estado', 'revocar']) await op(`conexion/${accion}`, { rfc, conexion_id });

    const webhook = { rfc, url: 'http://127.0.0.1:9/', eventos: ['saldo.bajo'] };
    const { webhook_id } = await op('webhooks/crear', webhook);
    await op('webhooks/listar');
    await op('webhooks/actualizar', { webhook_id, descripcion: 'ERP' });
    await op('webhooks/rotar-secreto', { webhook_id });
    const { entrega_id } = await op('webhooks/probar', { webhook_id });
    await op('webhooks/entregas', { webhook_id });
    await op('webhooks/reenviar', { entrega_id });
    await op('webhooks/borrar', { webhook_id });

    expect(Object.keys(answers).sort()).toEqual(OPERACIONES.map(({ path }) => path).sort());
    for (const [path, answer] of Object.entries(answers))
      expect([path, answer]).toMatchObject([path, { cfdi_codigo: 1 }]);
    // Operations that change nothing are repeated without an Idempotency-Key.
    expect([...sinClave].sort()).toEqual(
      OPERACIONES.filter(({ cambia }) => !cambia)
        .map(({ path }) => path)
        .sort(),
    );
    expect(answers['usuario/datos-fiscales']).toMatchObject({ data: { rfc }, saldo: expect.any(Number) });
  },
);

it('makes one webhook when the answer to its making is lost, and gives its secret all the same', async () => {
  const { apiKey: llave, rfc } = await servicio.newCaller();
  let lost = 0;
  const acuse = new Acuse({
    url: servicio.api.url,
    llave,
    pausa: { esperar: async () => {} },
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
