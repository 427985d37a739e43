import { describe, expect, it } from 'vitest';
import { prepare } from '../../test/consulta.ts';
import { type Alta, createKitWithAlta, type Kit } from '../../test/kit.ts';

const PATH = 'tax/comunicados';
const comunicado = (n: number) => ({ id: `c-${n}`, asunto: `Aviso ${n}`, fecha: '2026-11-01', leido: false });
const comunicados = Array.from({ length: 1_203 }, (_, n) => comunicado(n));
/** The SAT has another list by the time of a second question. */
const ANSWERS = { 'listar-comunicados': [{ comunicados }, { comunicados: [comunicado(9_999)] }] };

const ask = (kit: Kit, { key, rfc }: Alta, campos: object = {}, headers: Record<string, string> = {}) =>
  kit.call(PATH, { rfc, ...campos }, { key, headers });
const dataOf = (answer: Awaited<ReturnType<typeof ask>>) => {
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json.data as { total: number; items: { id: string }[]; siguiente: string | null };
};

describe('a list from the SAT', () => {
  it('is given all at once, with no page to follow and nothing kept, unless a limit is asked for', async () => {
    const { kit, a } = await prepare(ANSWERS, 'ciec');
    const { total, items, siguiente } = dataOf(await ask(kit, a));
    expect([total, items.length, siguiente]).toEqual([1_203, 1_203, null]);
    expect(await kit.filas('idempotencia', a)).toEqual([]);
  });

  it.each([1, 100, 401, 500])(
    'in pages of %i shows each element once, asks the SAT once, and is charged once',
    async (limite) => {
      const { kit, a, sat } = await prepare(ANSWERS, 'ciec');
      const found: string[] = [];
      let cursor: string | null = null;
      // With pages of one, the first and those around a border between two pieces are enough.
      for (let pages = 0; pages < 14; pages += 1) {
        const page = dataOf(await ask(kit, a, { limite, ...(cursor === null ? {} : { cursor }) }));
        expect(page).toMatchObject({ total: 1_203, confianza: 'confirmado', canal: 'portal', credencial: 'ciec' });
        found.push(...page.items.map(({ id }) => id));
        cursor = page.siguiente;
        if (cursor === null) break;
      }
      expect(found).toEqual(comunicados.slice(0, limite === 1 ? 14 : 1_203).map(({ id }) => id));
      expect(sat.consultas).toHaveLength(1);
      expect(await kit.movimientos(a)).toEqual(['cargo']);
    },
  );

  it('goes on from its cursor in pages of another length, past the credential that obtained it', async () => {
    const { kit, a } = await prepare(ANSWERS, 'ciec');
    const { siguiente } = dataOf(await ask(kit, a, { limite: 10 }));
    await kit.sql`DELETE FROM credencial WHERE contribuyente_id = ${a.contribuyenteId}`;
    await kit.update('cuenta', a.cuentaId, { saldo: 0 });
    const next = dataOf(await ask(kit, a, { limite: 3, cursor: siguiente }));
    expect(next.items.map(({ id }) => id)).toEqual(['c-10', 'c-11', 'c-12']);
    const rest = dataOf(await ask(kit, a, { cursor: next.siguiente }));
    expect([rest.items[0]?.id, rest.items.length, rest.siguiente !== null]).toEqual(['c-13', 500, true]);
  });

  it('that fits is the whole list, and nothing is kept', async () => {
    const { kit, a } = await prepare({ 'listar-comunicados': [{ comunicados: comunicados.slice(0, 5) }] }, 'ciec');
    expect(dataOf(await ask(kit, a, { limite: 5 }))).toMatchObject({ total: 5, siguiente: null });
    expect(await kit.filas('idempotencia', a)).toEqual([]);
  });

  it('is not there for another key, another question, another list, after its end or after a day', async () => {
    const { kit, a } = await prepare(ANSWERS, 'ciec');
    const cursor = String(dataOf(await ask(kit, a, { limite: 2 })).siguiente);
    const [id] = cursor.split('.');
    const refused = async (answer: ReturnType<typeof ask>) => {
      const { status, json } = await answer;
      expect([status, json.cfdi_codigo, json.data?.['campo']]).toEqual([400, 2001, 'cursor']);
      return String(json.data?.['motivo']);
    };
    const other = await kit.alta();
    expect(await refused(ask(kit, other, { cursor }))).toMatch(/24 horas.*primera/);
    // The same question by another path, and another one by this.
    expect(await refused(kit.call('tax/notificaciones', { rfc: a.rfc, cursor }, { key: a.key }))).toMatch(/campos/);
    await refused(ask(kit, a, { cursor, desde: '2026-11-01' }));
    await refused(ask(kit, a, { cursor: `${crypto.randomUUID()}.2` }));
    await refused(ask(kit, a, { cursor: `${id}.1203` }));
    await refused(ask(kit, a, { cursor: `${id}.9999999` }));
    for (const wrong of ['', 'x', id, `${id}.`, `${id}.-1`, `${id}.1.2`])
      expect(await refused(ask(kit, a, { cursor: wrong }))).toMatch(/siguiente de la página anterior/);
    expect(dataOf(await ask(kit, a, { cursor, limite: 1 })).items).toEqual([comunicado(2)]);
    await kit.setNow(new Date(kit.now().getTime() + 86_400_001));
    await refused(ask(kit, a, { cursor }));
  });

  it('refuses a cursor into a piece that is gone', async () => {
    const { kit, a } = await prepare(ANSWERS, 'ciec');
    const cursor = String(dataOf(await ask(kit, a, { limite: 400 })).siguiente);
    await kit.sql`DELETE FROM idempotencia WHERE api_key_id = ${a.keyId} AND clave LIKE '% 1'`;
    expect((await ask(kit, a, { cursor, limite: 200 })).status).toBe(400);
    expect(dataOf(await ask(kit, a, { cursor, limite: 100 })).items).toHaveLength(100);
  });

  it('keeps its first page under an Idempotency-Key like other answers, and no caller reads its pieces by one', async () => {
    const { kit, a, sat } = await prepare(ANSWERS, 'ciec');
    const headers = { 'idempotency-key': 'pedido-1' };
    const first = await ask(kit, a, { limite: 2 }, headers);
    expect((await ask(kit, a, { limite: 2 }, headers)).text).toBe(first.text);
    expect(sat.consultas).toHaveLength(1);
    const filas = await kit.filas<{ clave: string; sobre: Buffer }>('idempotencia', a);
    expect(filas.filter(({ clave }) => / \d$/.test(clave))).toHaveLength(3);
    for (const { sobre } of filas) expect(sobre.toString()).not.toContain('Aviso');
  });

  it.each([0, 501, 1.5, '10', null])('refuses the limit %j', async (limite) => {
    const { kit, a } = await createKitWithAlta();
    const { status, json } = await ask(kit, a, { limite });
    expect([status, json.data?.['campo']]).toEqual([400, 'limite']);
  });
});
