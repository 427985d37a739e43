import { EVENTOS_WEBHOOK } from '@acuse/contract';
import { ejemploDe } from '@acuse/webhooks/api';
import { createWebhooks } from '@acuse/webhooks/db';
import { afterEach, expect, it } from 'vitest';
import { EVENTOS } from '../../../apps/api/src/deps.ts';
import { seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { waitFor } from '../fixtures/servicio.ts';
import { createEmisor } from './fixtures/destinos.ts';
import { startReceptor } from './fixtures/receptor.ts';

const t = useDatabase();
let closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

it('sends a signed example of every event, marked, also to whoever is not told of it; ten a minute', async () => {
  const emisor = createEmisor(t);
  const receptor = await startReceptor();
  closing = [() => emisor.close(), () => receptor.close()];
  const { cuentaId, rfc } = await seedTaxpayer(t.db);
  const { id, secreto } = await emisor.newWebhook(cuentaId, receptor.url, { eventos: ['saldo.bajo'], rfcs: [rfc] });
  receptor.trust(secreto);
  const { ping } = createWebhooks(t.db);
  const ask = (tipo: (typeof EVENTOS_WEBHOOK)[number]) => {
    const evento = EVENTOS[tipo];
    if (evento === undefined) throw new Error(`no event ${tipo}`);
    return ping({ cuentaId, rfc }, id, { tipo, datos: ejemploDe(evento, rfc) });
  };
  const tipos = EVENTOS_WEBHOOK.slice(0, 10);
  for (const tipo of tipos) expect(await ask(tipo)).toEqual({ entrega: expect.any(String) });
  expect(await ask('saldo.bajo')).toBe('PRUEBAS_DEMASIADAS');

  await emisor.startWorker();
  await waitFor(async () => receptor.recibidos.length === tipos.length || null);
  expect(receptor.recibidos.map(({ type }) => type).sort()).toEqual([...tipos].sort());
  for (const { type, data, isFirmado } of receptor.recibidos)
    expect([type, isFirmado, data['ejemplo'], data['rfc'] ?? rfc]).toEqual([type, true, true, rfc]);
});
