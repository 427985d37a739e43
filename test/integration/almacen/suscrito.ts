import { randomUUID } from 'node:crypto';
import { createAlmacenes, createSincronizaciones } from '@acuse/sincronizacion/db';
import { expect } from 'vitest';
import { seedTaxpayer, type TestDatabase } from '../fixtures/database.ts';
import { expectPublicados } from '../webhooks/fixtures/mensajes.ts';
import { csvOf, type FilaCfdi } from './csv.ts';

/** A subscription with its store, and a webhook of its account that hears of one kind of event. */
export async function subscribeTo(t: TestDatabase, evento: string) {
  const taxpayer = await seedTaxpayer(t.db);
  const { cuentaId, contribuyenteId, apiKeyId, rfc } = taxpayer;
  const [row] = await t.sql<{ version: string }>`SELECT version::text FROM contribuyente WHERE id = ${contribuyenteId}`;
  const expiraEn = new Date(Date.now() + 86_400_000);
  const hecho = await createSincronizaciones(t.db).subscribe({
    id: randomUUID(),
    cuentaId,
    contribuyenteId,
    apiKeyId,
    rfc,
    version: BigInt(row?.version ?? 0),
    actor: 'prueba',
    ip: null,
    primeraReciente: expiraEn,
    tipos: ['emitidos', 'recibidos'],
    desde: '2026-01-01',
    frecuencia: 'DIARIA',
    minuto: 1,
    meses: [],
    consentimiento: { kid: 'w1', sobre: Buffer.alloc(9), finalidad: 'probar', expiraEn },
  });
  expect(hecho).toBe('CREADA');
  const vista = await createSincronizaciones(t.db).find(contribuyenteId, null);
  const almacenId = vista?.almacenId ?? 0;
  await t.sql`INSERT INTO webhook (id, cuenta_id, url, eventos) VALUES (gen_random_uuid(), ${cuentaId}, 'https://erp.example/', ${[evento]})`;
  const read = (filas: readonly FilaCfdi[], tipo: 'emitidos' | 'recibidos' = 'recibidos') =>
    createAlmacenes(t.db).merge(
      {
        almacenId,
        solicitudId: randomUUID(),
        tipo,
        desde: '2026-01-01',
        hasta: '2026-12-31',
        pedidaEn: new Date(),
        isConfirmada: true,
      },
      csvOf(filas),
      new AbortController().signal,
    );
  /** What its webhook was told, in order. */
  const told = async () => {
    await expectPublicados(t);
    const eventos = await t.sql<{ datos: Record<string, unknown> }>`
      SELECT e.datos FROM webhook_evento e JOIN webhook_entrega w ON w.evento_id = e.id WHERE e.cuenta_id = ${cuentaId} ORDER BY w.secuencia`;
    return eventos.map(({ datos }) => datos);
  };
  return { ...taxpayer, almacenId, read, told };
}

/** A CFDI received from this RFC. */
export function cfdi(n: number, con: string, rest: Partial<FilaCfdi> = {}): FilaCfdi {
  const uuid = `00000000-0000-4000-8000-${n.toString(16).toUpperCase().padStart(12, '0')}`;
  const emitida = `2026-03-${String(1 + (n % 28)).padStart(2, '0')}T10:00:00`;
  return {
    uuid,
    emisor: [con, `Nombre de ${con}`],
    receptor: ['YOO010101AB1', 'Yo'],
    emitida,
    monto: '100.50',
    ...rest,
  };
}
