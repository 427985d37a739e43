import { describe, expect, it } from 'vitest';
import { createKitWithSolicitud } from '../../../test/kit.ts';

const PATH = 'descarga/cancelar';

describe(PATH, () => {
  it.each(['EN_PROCESO', 'ESPERA_EFIRMA'] as const)(
    'ends a request that is %s and gives its credit back, once',
    async (estado) => {
      const { kit, a, id } = await createKitWithSolicitud({ estado });
      expect(await kit.saldo(a)).toBe(9);
      for (let time = 0; time < 2; time += 1) {
        const { status, json } = await kit.call(PATH, { solicitud_id: id }, { key: a.key });
        expect([status, json.data]).toEqual([200, { solicitud_id: id, estado: 'CANCELADA' }]);
      }
      expect(await kit.saldo(a)).toBe(10);
      const paquete = await kit.call('descarga/paquete', { solicitud_id: id }, { key: a.key });
      expect([paquete.status, paquete.json.cfdi_codigo]).toEqual([409, 3003]);
    },
  );

  it.each(['TERMINADA', 'ERROR', 'RECHAZADA', 'VENCIDA'] as const)(
    'answers 409/3005 for one that has ended as %s, and changes nothing',
    async (estado) => {
      const { kit, a, id } = await createKitWithSolicitud({ estado });
      const { status, json } = await kit.call(PATH, { solicitud_id: id }, { key: a.key });
      expect([status, json.cfdi_codigo]).toEqual([409, 3005]);
      expect(json.data).toEqual({ motivo: `Terminó como ${estado}.` });
      expect(await kit.filas('solicitud', a)).toMatchObject([{ estado }]);
      expect(await kit.saldo(a)).toBe(9);
    },
  );

  it('answers a foreign id byte for byte like a missing one, and leaves it running', async () => {
    const { kit, a, id } = await createKitWithSolicitud();
    const other = await kit.alta();
    const ids = [id, '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f', 'x'];
    const answers = await Promise.all(ids.map((solicitud_id) => kit.call(PATH, { solicitud_id }, { key: other.key })));
    for (const { status, text } of answers) expect([status, text]).toEqual([404, answers[0]?.text]);
    expect(answers[0]?.json.cfdi_codigo).toBe(2002);
    expect(await kit.filas('solicitud', a)).toMatchObject([{ estado: 'EN_PROCESO' }]);
  });
});
