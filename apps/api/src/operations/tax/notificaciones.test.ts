import { expect, it } from 'vitest';
import { conRenglones, describeConsulta, expectCharged, prepare } from '../../../test/consulta.ts';

const PATH = 'tax/notificaciones';
const asks = ['listar-notificaciones'] as const;

describeConsulta({ path: PATH, cost: 1, needs: 'any', asks, body: (rfc) => ({ rfc }) });

it('lists what waits in the mailbox', async () => {
  const pending = { folio: '500-1', autoridad: 'SAT', asunto: 'Requerimiento', fecha: '2026-11-02' };
  const guion = { 'listar-notificaciones': [{ notificaciones: [pending] }] };
  const { kit, a } = await prepare(guion, 'efirma');
  const answer = await kit.call(PATH, { rfc: a.rfc }, { key: a.key });
  expectCharged(kit, a, answer);
  const item = { id: '500-1', autoridad: 'SAT', asunto: 'Requerimiento', fecha: '2026-11-02' };
  expect(answer.json.data).toEqual({ total: 1, items: [item], ...conRenglones('efirma') });
});
