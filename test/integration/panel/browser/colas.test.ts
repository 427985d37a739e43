import { randomBytes } from 'node:crypto';
import { createQueue } from '@acuse/queue';
import { beforeAll, describe, expect, it } from 'vitest';
import { duringTests } from '../../fixtures/during-tests.ts';
import { usePanel } from '../fixtures/panel.ts';
import { CHROMIUM, expectNoComplaints, lookAt, openBrowser } from './fixtures/browser.ts';
import { irA, signIn } from './fixtures/persona.ts';

const COLAS = ['descargas', 'ensambles', 'listas'];

const queues = () => {
  const namespace = `t-${randomBytes(6).toString('hex')}`;
  const panel = usePanel({ env: { QUEUE_NAMESPACE: namespace } });
  const browser = duringTests(openBrowser);

  beforeAll(async () => {
    const queue = createQueue({ url: panel.databaseUrl, namespace });
    await queue.wake([{ solicitudId: 'una-solicitud', gen: 1, queue: 'descargas' }], new AbortController().signal);
    await queue.close();
  });

  it('load and are shown within their policy, without requests to other hosts', async () => {
    const tab = await browser.abrir();
    const { page } = tab;
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== panel.url)
        foreign.push(request.url());
    });
    await signIn(page, panel.url, await panel.registrar({ rol: 'OPERADOR' }));
    await page.goto(`${panel.url}/operador`);
    await page.getByRole('navigation', { name: 'Operación' }).getByRole('link', { name: 'Colas', exact: true }).click();
    await page.waitForURL(/\/operador\/colas/);
    const colas = page.frameLocator('iframe');
    for (const queue of COLAS) await colas.getByText(`${namespace}-${queue}`).first().waitFor();
    await lookAt(tab, 'operador-colas');
    await colas
      .getByRole('link', { name: `${namespace}-descargas` })
      .first()
      .click();
    await colas.getByRole('link', { name: /en espera/i }).click();
    await colas.getByText('una-solicitud').first().waitFor();
    await lookAt(tab, 'operador-colas-trabajo');
    await irA(page, 'Operación');
    await page.getByRole('heading', { level: 1, name: 'Operación' }).waitFor();
    expectNoComplaints(tab);
    expect(foreign).toEqual([]);
    await tab.close();
  });

  it('say that the session is over, and lead back in', { tags: ['slow'] }, async () => {
    const tab = await browser.abrir();
    const { page } = tab;
    await signIn(page, panel.url, await panel.registrar({ rol: 'OPERADOR' }));
    const colas = page.frameLocator('iframe');
    const terminada = colas.getByRole('heading', { name: 'Su sesión terminó' });
    const leave = async () => {
      await page.goto(`${panel.url}/operador/colas`);
      await colas.getByText(`${namespace}-ensambles`).first().waitFor();
      const cookies = await page.context().cookies();
      await page.context().clearCookies();
      return cookies;
    };
    // The tool refreshes every few seconds by itself.
    const cookies = await leave();
    await terminada.waitFor();
    await page.context().addCookies(cookies);
    await leave();
    await page.frame({ url: /tablero/ })?.evaluate('location.reload()');
    await terminada.waitFor();
    await lookAt(tab, 'operador-colas-sesion');
    await colas.getByRole('link', { name: 'Entre de nuevo' }).click();
    await page.waitForURL('**/entrar?a=%2Foperador%2Fcolas');
    expectNoComplaints(tab);
    await tab.close();
  });
};

describe.runIf(CHROMIUM !== null)('the queues, in the operator’s browser', queues);
describe.runIf(CHROMIUM !== null)('the queues, in both palettes on both', { tags: ['slow'] }, queues);
