import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { runOrder } from '../fixtures/cli.ts';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { fail } from '../fixtures/pedidos.ts';
import { logOf } from '../fixtures/procesos.ts';
import { startReceptorTrazas } from '../fixtures/receptor-trazas.ts';
import { expectWhole, MES } from '../fixtures/resultado.ts';
import { type Caller, ciecOf, expectOk, useServicio, waitFor } from '../fixtures/servicio.ts';
import { startReceptor } from '../webhooks/fixtures/receptor.ts';

flowOnEachDriver('the story of a request', (queueUrl) => {
  const otlp = duringTests(() => startReceptorTrazas());
  const receptor = duringTests(() => startReceptor());
  const env = () => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${otlp.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-prueba=a%20b',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  // As in an installation: a process with both roles would assemble a small package in the step that fetched it.
  const workers = ['descargas,relay,reconciler,reaper,webhooks', 'ensambles'].map((WORKER_ROLES) => ({ WORKER_ROLES }));
  const own = useServicio(() => ({ queueUrl, apiEnv: env(), workerEnv: env() }), ...workers);

  const traza = (...args: string[]) => runOrder({ DATABASE_URL: own.databaseUrl }, ['traza', ...args]);

  /** Asks for a month whose first look finds the SAT down, and waits until its owner was told of the end. */
  async function ask(caller: Caller): Promise<string> {
    fail(own, caller, { service: 'portalcfdi', operation: 'Buscar', kind: 'status', status: 503, times: 1 });
    const data = await expectOk(caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...MES }));
    const id = String(data['solicitud_id']);
    await expectWhole(own, caller, id);
    await waitFor(async () => (receptor.recibidos.some(({ data: told }) => told['solicitud_id'] === id) ? true : null));
    return id;
  }

  it('an operator gets the whole history of a request from the database alone, without credentials', async () => {
    const caller = await own.newCiecCaller({ saldo: 3 });
    const url = `${receptor.url}ruta-secreta?token=no-se-muestra`;
    await expectOk(caller.call('webhooks/crear', { rfc: caller.rfc, url, eventos: ['solicitud.terminada'] }));
    const id = await ask(caller);
    // The note of its outcome follows the answer of the receiver.
    await waitFor(async () => {
      const [row] = await own.sql`SELECT FROM webhook_entrega WHERE estado = 'ENTREGADA'`;
      return row === undefined ? null : true;
    });

    const [seen, ...others] = (await traza(id, '--json')).rows;
    expect(others).toEqual([]);
    expect(seen).toMatchObject({
      solicitud: { id, rfc: caller.rfc, estado: 'TERMINADA', api_key: caller.apiKeyId, canal: 'portal', costo: 1 },
      movimientos: [{ tipo: 'cargo', importe: -1 }],
      partes: [{ estado: 'DESCARGADA', paquetes: [{ guardado_en: expect.any(String), relecturas: 0 }] }],
      copias_selladas: [],
      webhooks: [{ tipo: 'solicitud.terminada', receptor: `127.0.0.1:${receptor.port}`, estado: 'ENTREGADA' }],
    });
    const pasos = seen?.['pasos'] as Record<string, unknown>[];
    const notas = pasos.flatMap((paso) => String(paso['notas']).split(','));
    for (const nota of ['ACEPTADA', 'SOLICITADA', 'TERMINADA']) expect(notas).toContain(nota);
    expect(pasos.at(-1)).toMatchObject({ cola: 'ensambles', proceso: expect.stringMatching(/:\d+$/) });
    const asked = pasos.flatMap((paso) => (paso['consultas'] ?? []) as Record<string, unknown>[]);
    expect(asked.some(({ resultado, ms }) => resultado === 'exito' && Number(ms) > 0)).toBe(true);
    expect(asked).toContainEqual(expect.objectContaining({ resultado: 'fallo', codigo: 'HTTP 503' }));

    const { lines, said } = await traza(id);
    expect(said).toBe('');
    const story = lines.join('\n');
    for (const part of [
      'Aceptada: recibidos',
      'Cargo de 1 crédito',
      'de descargas',
      'de ensambles',
      'Envío 1',
      'TERMINADA',
    ])
      expect(story).toContain(part);
    // In the order of time.
    const times = lines.map((line) => /^\d{4}-\S+Z/.exec(line)?.[0]).filter((time) => time !== undefined);
    expect(times).toEqual([...times].sort());
    expect(times.length).toBeGreaterThan(10);
    for (const text of [story, JSON.stringify(seen)])
      for (const secret of [ciecOf(caller.rfc), caller.apiKey, 'ruta-secreta', 'no-se-muestra', 'whsec_', 'sobre'])
        expect(text).not.toContain(secret);
  });

  it('says of one that is waiting where it waits, and of one that does not exist that it does not', async () => {
    const caller = await own.newCiecCaller({ saldo: 1 });
    fail(own, caller, { service: 'portalcfdi', operation: 'Buscar', kind: 'status', status: 503 });
    const data = await expectOk(caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...MES }));
    const id = String(data['solicitud_id']);
    const story = await waitFor(async () => {
      const { lines } = await traza(id);
      return lines.some((line) => line.includes('SAT_SIN_RESPUESTA')) ? lines.join('\n') : null;
    });
    for (const part of [
      'Estado: EN_PROCESO',
      'Plazo: ',
      'Copia sellada de la credencial (ciec) hasta',
      'Parte 2025-01-01',
    ])
      expect(story).toContain(part);
    await expectOk(caller.call('descarga/cancelar', { rfc: caller.rfc, solicitud_id: id }));
    const after = (await traza(id)).lines.join('\n');
    for (const part of ['CANCELADA', 'Devolución de 1 crédito', 'Estado: CANCELADA']) expect(after).toContain(part);

    await expect(traza('01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f')).rejects.toThrow(/No existe la solicitud 01936f5e/);
    expect((await traza('otra')).said).toContain('debe ser un solicitud_id');
  });

  /** The parent of each span, by its name: of those of one trace. */
  const parentsOf = (traceId: string) => {
    const spans = otlp.ofTrace(traceId);
    const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
    return (name: string) => [
      ...new Set(
        spans.filter((span) => span.name === name).map((span) => names.get(span.parentSpanId) ?? span.parentSpanId),
      ),
    ];
  };
  const CALL = 'POST /api/v1/tax/descarga-metadata';
  const STEPS = ['send descargas', 'receive descargas', 'process descargas', 'process ensambles'];

  it('is one trace from the call to the assembled package, which goes on with that of the caller', async () => {
    const [caller, unsampled, alone] = [
      await own.newCiecCaller({ saldo: 1 }),
      await own.newCiecCaller({ saldo: 1 }),
      await own.newCiecCaller({ saldo: 1 }),
    ];
    const [traceId, callerSpan, other] = [randomBytes(16), randomBytes(8), randomBytes(16)].map((id) =>
      id.toString('hex'),
    );
    await expectOk(
      caller.call('webhooks/crear', { rfc: caller.rfc, url: receptor.url, eventos: ['solicitud.terminada'] }),
    );
    const begin = async (by: Caller, headers: Record<string, string>) => {
      const data = await expectOk(by.call('tax/descarga-metadata', { rfc: by.rfc, ...MES }, headers));
      return String(data['solicitud_id']);
    };
    const id = await begin(caller, { traceparent: `00-${traceId}-${callerSpan}-01` });
    const unseen = await begin(unsampled, { traceparent: `00-${other}-${callerSpan}-00` });
    const begunHere = await begin(alone, { traceparent: 'not one' });
    for (const [by, each] of [
      [caller, id],
      [unsampled, unseen],
      [alone, begunHere],
    ] as const)
      await expectWhole(own, by, each);

    const ofTrace = (trace: string) =>
      waitFor(async () =>
        otlp.ofTrace(trace).some(({ name }) => name === 'assemble package') ? otlp.ofTrace(trace) : null,
      );
    // So does whoever is told of its end.
    const told = await waitFor(async () => receptor.recibidos.find(({ data }) => data['solicitud_id'] === id) ?? null);
    const sent = await waitFor(
      async () => otlp.ofTrace(traceId ?? '').find(({ name }) => name === 'POST webhook') ?? null,
    );
    expect(told.headers['traceparent']).toBe(`00-${traceId}-${sent.spanId}-01`);
    const spans = await ofTrace(traceId ?? '');
    expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['acuse-api', 'acuse-worker']));
    const parents = parentsOf(traceId ?? '');
    expect(parents(CALL)).toEqual([callerSpan]);
    for (const name of STEPS) expect(parents(name), name).toEqual([CALL]);
    expect(parents('SAT portal')).toEqual(['process descargas']);
    expect(parents('POST webhook')).toEqual([CALL]);
    expect(parents('save package')).toEqual(['process descargas']);
    expect(parents('assemble package')).toEqual(['process ensambles']);
    const call = spans.find(({ name }) => name === CALL);
    expect(call?.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.response.status_code': 200 });
    for (const span of spans.filter(({ name }) => STEPS.includes(name))) {
      expect(span.attributes).toMatchObject({ 'acuse.solicitud.id': id, 'messaging.system': 'bullmq' });
      expect(span.endedAt).toBeGreaterThanOrEqual(span.startedAt);
    }

    // Without a caller's trace one begins here, under the id that the operator is shown.
    const [seen] = (await traza(begunHere, '--json')).rows;
    const [, begun = ''] = String((seen?.['solicitud'] as Record<string, unknown> | undefined)?.['traceparent']).split(
      '-',
    );
    expect((await ofTrace(begun)).find(({ name }) => name === CALL)?.parentSpanId).toBe('');
    // What its caller does not record is recorded by nobody, but kept in the row.
    expect(otlp.ofTrace(other ?? '')).toEqual([]);
    const [row] = await own.sql`SELECT traceparent FROM solicitud WHERE id = ${unseen}`;
    expect(row?.['traceparent']).toMatch(new RegExp(`^00-${other}-[0-9a-f]{16}-00$`));

    expect([...otlp.paths]).toEqual(['POST /v1/traces application/json a b']);
    for (const secret of [caller.rfc, ciecOf(caller.rfc), caller.apiKey]) expect(otlp.raw()).not.toContain(secret);
    // The lines of the log lead to the trace.
    const lines = (await logOf(own, 'worker-1'))
      .split('\n')
      .filter((line) => line.includes(id) && line.includes('step_done'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.length).toBeGreaterThan(2);
    const steps = new Map(spans.map(({ spanId, name }) => [spanId, name]));
    for (const line of lines) {
      expect(line['trace_id']).toBe(traceId);
      expect(steps.get(String(line['span_id']))).toMatch(/^process /);
    }
  });

  it('delays no call for a receiver of spans that never answers', async () => {
    otlp.fallSilent();
    const caller = await own.newCiecCaller({ saldo: 1 });
    const before = otlp.asked();
    const data = await expectOk(caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...MES }));
    await expectWhole(own, caller, String(data['solicitud_id']));
    await waitFor(async () => (otlp.asked() > before ? true : null));
  });
});
