import { uuidV7 } from '@acuse/runtime';
import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Panel, startPanel } from './fixtures/panel.ts';
import { createSolicitudesDePrueba, RESUMEN, textOf } from './fixtures/solicitudes.ts';

let panel: Panel;
let owner: ReturnType<typeof createSolicitudesDePrueba>['owner'];
let accepted: ReturnType<typeof createSolicitudesDePrueba>['accepted'];
let failed: ReturnType<typeof createSolicitudesDePrueba>['failed'];
let finished: ReturnType<typeof createSolicitudesDePrueba>['finished'];

beforeAll(async () => {
  panel = await startPanel();
  ({ owner, accepted, failed, finished } = createSolicitudesDePrueba(panel));
});

afterAll(() => panel.close());

describe('the download', () => {
  test('signs an address at the click, and notes who downloaded', async () => {
    const { persona, taxpayer } = await owner();
    const id = await finished(taxpayer);
    const answer = await persona.enviar(`/solicitudes/${id}`, `/solicitudes/${id}/descargar`);
    expect(answer.status).toBe(200);
    const url = load(answer.text)('a[href*="X-Amz-Signature"]').attr('href') ?? '';
    expect(url).toContain(`solicitudes/${id}/paquete.zip`);
    expect(answer.headers.get('refresh')).toBe(`0; url=${url}`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { rows } = await panel.db.pool.query(
      `SELECT actor FROM auditoria WHERE accion = 'descargar-paquete' AND detalle->>'solicitud' = $1`,
      [id],
    );
    expect(rows).toEqual([{ actor: `usuario:${persona.usuarioId}` }]);
  });

  test('says why there is nothing to download: unfinished, ended without a package, past its retention', async () => {
    const { persona, taxpayer } = await owner();
    const csrf = await persona.csrf('/solicitudes/nueva');
    const gone = await finished(taxpayer);
    await panel.db.pool.query('UPDATE solicitud SET paquete_borrado_en = now() WHERE id = $1', [gone]);
    const ask = (id: string) => persona.post(`/solicitudes/${id}/descargar`, { _csrf: csrf });
    const without = await failed(taxpayer, 'PLAZO_AGOTADO', 'VENCIDA');
    const unfinished = await accepted(taxpayer);
    for (const [id, status, code] of [
      [unfinished, 409, '3002'],
      [without, 409, '3003'],
      [gone, 410, '3004'],
    ] as const) {
      const answer = await ask(id);
      expect([answer.status, textOf(answer.text).includes(`código ${code}`)]).toEqual([status, true]);
      expect(answer.text).not.toContain('X-Amz-Signature');
    }
    const page = load((await persona.get(`/solicitudes/${gone}`)).text);
    expect(page('form[action$="/descargar"]')).toHaveLength(0);
    expect(page('main').text()).toContain('El ZIP ya se borró');
  });
});

describe('cancelling', () => {
  test('asks first, then ends the solicitud, gives the credit back and notes who did it', async () => {
    const { persona, taxpayer } = await owner();
    const id = await accepted(taxpayer);
    const detail = load((await persona.get(`/solicitudes/${id}`)).text);
    expect(detail(`a[href="/solicitudes/${id}/cancelar"]`)).toHaveLength(1);
    const asked = textOf((await persona.get(`/solicitudes/${id}/cancelar`)).text);
    expect(asked).toContain('Se devuelve 1 crédito');
    const answer = await persona.enviar(`/solicitudes/${id}/cancelar`, `/solicitudes/${id}/cancelar`);
    expect(answer.headers.get('location')).toBe(`/solicitudes/${id}`);
    const page = textOf((await persona.get(`/solicitudes/${id}`)).text);
    expect(page).toContain('Se canceló antes de terminar');
    expect(page).toContain('Se devolvió 1 crédito');
    expect((await persona.get(`/solicitudes/${id}/cancelar`)).headers.get('location')).toBe(`/solicitudes/${id}`);
    const { rows } = await panel.db.pool.query(
      `SELECT actor FROM auditoria WHERE accion = 'cancelar-solicitud' AND detalle->>'solicitud' = $1`,
      [id],
    );
    expect(rows).toEqual([{ actor: `usuario:${persona.usuarioId}` }]);
  });

  test('leaves one that has ended as it is', async () => {
    const { persona, taxpayer } = await owner();
    const id = await finished(taxpayer);
    const csrf = await persona.csrf('/solicitudes/nueva');
    await persona.post(`/solicitudes/${id}/cancelar`, { _csrf: csrf });
    expect(textOf((await persona.get(`/solicitudes/${id}`)).text)).toContain('Terminada');
  });
});

describe("another account's solicitud", () => {
  test('is answered like one that does not exist, on every address', async () => {
    const [mine, foreign] = [await owner(), await owner()];
    const [theirs, missing] = [await finished(foreign.taxpayer, {}, RESUMEN), uuidV7()];
    const csrf = await mine.persona.csrf('/solicitudes/nueva');
    const look = async (id: string) => {
      const answers = [
        await mine.persona.get(`/solicitudes/${id}`),
        await mine.persona.get(`/solicitudes/${id}?eventos=99999`),
        await mine.persona.get(`/solicitudes/${id}/avance`),
        await mine.persona.post(`/solicitudes/${id}/descargar`, { _csrf: csrf }),
        await mine.persona.get(`/solicitudes/nueva?como=${id}`),
      ];
      return answers.map(({ status, text }) => [
        status,
        text.replaceAll(id, 'ID').replaceAll(/nonce="[^"]+"|name="intento" value="[^"]+"/g, ''),
      ]);
    };
    const [a, b] = [await look(theirs), await look(missing)];
    expect(a).toEqual(b);
    expect(a.map(([status]) => status)).toEqual([404, 404, 404, 404, 200]);
    for (const odd of ['x', `${theirs}x`, '%00', "'%20OR%201=1"])
      expect((await mine.persona.get(`/solicitudes/${odd}`)).status).toBe(404);
    expect((await mine.persona.get(`/solicitudes?id=${theirs}`)).text).not.toContain(`/solicitudes/${theirs}`);
  });
});
