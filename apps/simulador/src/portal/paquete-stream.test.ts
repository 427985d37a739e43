import { expect, test } from 'vitest';
import { download, logIn, lookAtDownloads, recibidos, requestMetadata, search } from '../testing/portal-client.ts';
import { startForTests } from '../testing/start-for-tests.ts';
import { parseWallTime } from '../world/wall-time.ts';

const RFC = 'MIL010101AAA';
const ROWS = 1_000_000;
const PAGINA = 'ConsultaReceptor.aspx';

const simulador = await startForTests({ settings: { verificaciones_hasta_terminar: 1 } });
const [desde = 0, hasta = 0] = ['2026-05-01', '2026-05-31'].map((day) => parseWallTime(day) ?? 0);
simulador.world.taxpayers.change(RFC, {
  filas: [{ documento: 'cfdi', tipo: 'recibidos', desde, hasta, cantidad: ROWS }],
});

test('a package of a million rows is made while it is read, and no further than that', async () => {
  const base = simulador.url;
  const browser = await logIn(base, RFC);
  const { html } = await search(base, browser, PAGINA, recibidos('2026-05-00'));
  await requestMetadata(base, browser, PAGINA, html);
  const { visit, links } = await lookAtDownloads(base, browser);
  const [folio = '', link = ''] = [...links][0] ?? [];

  const { taxpayers } = simulador.world;
  const original = taxpayers.rows;
  let made = 0;
  const stopped = new Promise<void>((resolve) => {
    taxpayers.rows = function* (...asked) {
      try {
        for (const row of original(...asked)) {
          made += 1;
          yield row;
        }
      } finally {
        resolve();
      }
    };
  });
  const response = await download(browser, visit, folio, link);
  const reader = response.body?.getReader();
  // The ZIP's header comes before the first row; unread rows are never released.
  while (made === 0) expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
  await reader?.cancel();
  await stopped;
  taxpayers.rows = original;
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(ROWS / 4);
});
