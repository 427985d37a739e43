import { describe, expect, it } from 'vitest';
import { createKit, createKitWithSolicitud, NOW } from '../../../test/kit.ts';

const PATH = 'descarga/paquete';

const SHA256 = 'a'.repeat(64);
const TERMINADA = {
  ...({ estado: 'TERMINADA', confianza: 'confirmado', object_key: 'solicitudes/x/paquete.zip' } as const),
  bytes: 1234,
  sha256: SHA256,
};

describe(PATH, () => {
  it('signs a URL at the moment of the call, and tells size and SHA-256 of what it gives', async () => {
    const { kit, a, id } = await createKitWithSolicitud(TERMINADA);
    const { json } = await kit.call(PATH, { solicitud_id: id }, { key: a.key });
    expect(json.data).toEqual({
      solicitud_id: id,
      paquete_url: expect.stringContaining(`${a.rfc}_emitidos_2026-01-01_2026-01-31.zip`),
      expira_en: '2026-11-20T19:00:00.000Z',
      bytes: 1234,
      sha256: SHA256,
      confianza: 'confirmado',
      contrapartes_listadas: null,
      xml: null,
    });
  });

  it.each([
    ['EN_PROCESO', 90, '90'],
    ['EN_PROCESO', 0.5, '5'],
    ['EN_PROCESO', -600, '5'],
    ['EN_PROCESO', 86_400, '3600'],
    ['ESPERA_EFIRMA', 0, '300'],
  ] as const)(
    'tells how long to wait while it is %s and looked at in %s seconds: Retry-After %s',
    async (estado, seconds, expected) => {
      const due_at = new Date(NOW.getTime() + seconds * 1_000);
      const { kit, a, id } = await createKitWithSolicitud({ estado, due_at });
      const answer = await kit.call(PATH, { solicitud_id: id }, { key: a.key });
      expect([answer.status, answer.json.cfdi_codigo]).toEqual([409, 3002]);
      expect(answer.headers.get('retry-after')).toBe(expected);
      expect(answer.json.data).toEqual({ reintentar_en: Number(expected) });
    },
  );

  it.each(['ERROR', 'RECHAZADA', 'VENCIDA'] as const)('answers 409/3003 with the reason after %s', async (estado) => {
    const { kit, a, id } = await createKitWithSolicitud({ estado, motivo: 'SERVICIO_CON_ERROR' });
    const answer = await kit.call(PATH, { solicitud_id: id }, { key: a.key });
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([409, 3003]);
    expect(answer.json.data).toEqual({ motivo: 'SERVICIO_CON_ERROR' });
  });

  it('answers 503/5041 when no URL can be signed', async () => {
    const { kit, a, id } = await createKitWithSolicitud(TERMINADA);
    const paquetes = { ...kit.deps.paquetes, presign: () => Promise.reject(new Error('no credentials')) };
    const other = await createKit({ beside: kit, deps: { paquetes } });
    const answer = await other.call(PATH, { solicitud_id: id }, { key: a.key });
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
    expect(answer.json.cfdi_texto).toContain('almacén');
  });

  it.each([PATH, 'descarga/verificar'])('%s answers a foreign id byte for byte like a missing one', async (path) => {
    const { kit, id } = await createKitWithSolicitud(TERMINADA);
    const other = await kit.alta();
    const missing = '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f';
    const answers = await Promise.all(
      [id, missing, 'x', "' OR 1=1 --", '../../etc'].map((solicitud_id) =>
        kit.call(path, { solicitud_id }, { key: other.key }),
      ),
    );
    const withoutId = answers.map(({ status, text, headers }) => ({
      status,
      text,
      headers: [...headers].filter(([name]) => name !== 'x-request-id'),
    }));
    expect(withoutId[0]?.status).toBe(404);
    expect(withoutId[0]?.text).toContain('"cfdi_codigo":2002');
    for (const answer of withoutId) expect(answer).toEqual(withoutId[0]);
  });

  it.each([{}, { solicitud_id: 1 }, { solicitud_id: '' }, { solicitud_id: 'x'.repeat(65) }])(
    'answers 2001 to %j',
    async (body) => {
      const kit = await createKit();
      const answer = await kit.call(PATH, body, { key: (await kit.alta()).key });
      expect([answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([2001, 'solicitud_id']);
    },
  );
});
