import { expect, it } from 'vitest';
import { runOrder } from '../fixtures/cli.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { fail } from '../fixtures/pedidos.ts';
import { expectWhole, MES } from '../fixtures/resultado.ts';
import { type Caller, ciecOf, expectOk, useServicio, waitFor } from '../fixtures/servicio.ts';
import { startReceptor } from '../webhooks/fixtures/receptor.ts';

const own = useServicio({}, { WORKER_ROLES: 'descargas,ensambles,relay,reconciler,reaper,webhooks' });
const receptor = duringTests(() => startReceptor());

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

it('an operator is told the whole story of a request by the database alone, with no credential in it', async () => {
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
  const notas = pasos.map((paso) => paso['notas']);
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
