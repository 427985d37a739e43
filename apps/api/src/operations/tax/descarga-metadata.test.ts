import { describe, expect, it } from 'vitest';
import { guardaEfirma } from '../../../test/consulta.ts';
import { type Alta, CIEC, createKitWithAlta, guardaCiec, type Kit, NOW, opener } from '../../../test/kit.ts';

const PATH = 'tax/descarga-metadata';
const ENERO = { tipo: 'recibidos', desde: '2026-01-01', hasta: '2026-01-31' };
const HOUR_MS = 3_600_000;

const ask = (kit: Kit, a: Alta, body: Record<string, unknown> = {}) =>
  kit.call(PATH, { rfc: a.rfc, ...ENERO, ...body }, { key: a.key });

interface Accepted {
  readonly id: string;
  readonly canal: string;
  readonly formato: string;
}
interface Sellada {
  readonly solicitudId: string;
  readonly tipo: 'ciec' | 'efirma';
  readonly kid: string;
  readonly sobre: Buffer;
  readonly expiraEn: Date;
}

const accepted = (kit: Kit, a: Alta) => kit.filas<Accepted>('solicitud', a);

/** Sealed copies of its solicitudes: the first is that of the channel. */
const selladas = ({ sql }: Kit, { contribuyenteId }: Alta) => sql<Sellada>`
  SELECT c.solicitud_id AS "solicitudId", c.tipo, c.kid, c.sobre, c.expira_en AS "expiraEn"
  FROM credencial_sellada c JOIN solicitud s ON s.id = c.solicitud_id
  WHERE s.contribuyente_id = ${contribuyenteId} ORDER BY (c.tipo = 'efirma') = (s.canal = 'soap') DESC`;

function openSealed({ solicitudId, tipo, expiraEn, sobre }: Sellada, { cuentaId: cuenta, rfc }: Alta) {
  return opener.open(sobre, { solicitudId, cuenta, rfc, tipo, expiraEn });
}

describe(PATH, () => {
  it('accepts, charges one credit and seals the CIEC until the deadline', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    const answer = await ask(kit, a);
    const solicitudId = answer.json.data?.['solicitud_id'];
    expect(answer.json.data).toEqual({ solicitud_id: expect.stringMatching(/^[0-9a-f-]{36}$/), estado: 'EN_PROCESO' });
    expect(await kit.saldo(a)).toBe(9);
    expect(await accepted(kit, a)).toMatchObject([{ id: solicitudId, canal: 'portal' }]);
    const [sellada, ...more] = await selladas(kit, a);
    expect(sellada).toMatchObject({ tipo: 'ciec', kid: 'w1', expiraEn: new Date(NOW.getTime() + 168 * HOUR_MS) });
    if (sellada === undefined || more.length > 0) throw new Error('not exactly one sealed copy');
    const credencial = openSealed(sellada, a);
    expect(credencial.tipo === 'ciec' && credencial.ciec.toString()).toBe(CIEC);
  });

  it('prefers a live e.firma, sealed no longer than its hour', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    await guardaEfirma(kit, a);
    expect((await ask(kit, a)).status).toBe(200);
    expect(await accepted(kit, a)).toMatchObject([{ canal: 'soap' }]);
    const [sellada, otra] = await selladas(kit, a);
    expect(sellada).toMatchObject({ tipo: 'efirma', expiraEn: new Date(NOW.getTime() + HOUR_MS) });
    // The CIEC goes along, for the day that the SAT refuses the e.firma.
    expect(otra).toMatchObject({ tipo: 'ciec', expiraEn: new Date(NOW.getTime() + 168 * HOUR_MS) });
    if (sellada === undefined) throw new Error('no sealed copy');
    expect(openSealed(sellada, a).tipo).toBe('efirma');
  });

  it('falls back to the CIEC from the very second in which the hour of the key is over', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    await guardaEfirma(kit, a);
    await kit.setNow(new Date(NOW.getTime() + HOUR_MS - 1));
    expect((await ask(kit, a)).status).toBe(200);
    await kit.setNow(new Date(NOW.getTime() + HOUR_MS));
    expect((await ask(kit, a, { tipo: 'emitidos' })).status).toBe(200);
    expect((await accepted(kit, a)).map(({ canal }) => canal)).toEqual(['soap', 'portal']);
  });

  it('counts a stored credential that does not open as not stored', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    await kit.sql`UPDATE credencial SET sobre = set_bit(sobre, 8 * length(sobre) - 8, 1 - get_bit(sobre, 8 * length(sobre) - 8))
      WHERE contribuyente_id = ${a.contribuyenteId}`;
    const answer = await ask(kit, a);
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([400, 4003]);
    expect(await accepted(kit, a)).toEqual([]);
  });

  it.each([
    [{ tipo: 'otros' }, 'tipo'],
    [{ tipo: undefined }, 'tipo'],
    [{ desde: '2026-02-30' }, 'desde'],
    [{ desde: '01/01/2026' }, 'desde'],
    [{ desde: '2026-02-01' }, 'desde'],
    [{ desde: '2020-11-19' }, 'desde'],
    [{ hasta: '2026-11-21' }, 'hasta'],
    [{ hasta: null }, 'hasta'],
    [{ formato: 'xls' }, 'formato'],
    [{ formato: '' }, 'formato'],
    [{ formato: null }, 'formato'],
  ])('answers 2001 to %j', async (body, campo) => {
    const { kit, a } = await createKitWithAlta();
    const answer = await ask(kit, a, body);
    expect([answer.status, answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([400, 2001, campo]);
  });

  it('asks for csv unless another format is named; another format is another request', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    const ids = [];
    for (const body of [{}, { formato: 'csv' }, { formato: 'parquet' }, { formato: 'parquet' }, { formato: 'xlsx' }])
      ids.push((await ask(kit, a, body)).json.data?.['solicitud_id']);
    expect([ids[1], ids[3]]).toEqual([ids[0], ids[2]]);
    expect((await accepted(kit, a)).map(({ formato }) => formato)).toEqual(['csv', 'parquet', 'xlsx']);
    expect(await kit.saldo(a)).toBe(7);
  });

  it('says which formats there are', async () => {
    const { kit, a } = await createKitWithAlta();
    const { json } = await ask(kit, a, { formato: 'xls' });
    expect(json.data?.['motivo']).toBe('debe ser csv, xlsx, ndjson o parquet');
  });

  it('takes six years up to today', async () => {
    const { kit, a } = await createKitWithAlta();
    await guardaCiec(kit, a);
    expect((await ask(kit, a, { desde: '2020-11-20', hasta: '2026-11-20' })).status).toBe(200);
  });
});
