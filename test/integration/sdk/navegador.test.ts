import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saldoDe, UN_DIA } from '../fixtures/pedidos.ts';
import { useServicio } from '../fixtures/servicio.ts';
import { type Browser, CHROMIUM, openBrowser } from '../panel/browser/fixtures/browser.ts';
import { type Published, publishSdk } from './published.ts';

const SECRETO = `whsec_${Buffer.from('a secret of this test').toString('base64')}`;

describe.runIf(CHROMIUM !== null)('the client in a browser', () => {
  const servicio = useServicio({}, {});
  let [sdk, browser]: [Published?, Browser?] = [];
  /** A page's own server: a proxy to the service and to its object store. */
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url ?? '/';
    if (path === '/')
      return response.setHeader('content-type', 'text/html').end('<!doctype html><title>prueba</title>');
    if (path.startsWith('/sdk/')) {
      const text = await readFile(join(sdk?.paquete ?? '', 'dist', path.slice('/sdk/'.length)), 'utf8');
      return response.setHeader('content-type', 'text/javascript').end(text);
    }
    const target = path.startsWith('/paquete?')
      ? decodeURIComponent(path.slice('/paquete?'.length))
      : servicio.api.url + path;
    const { authorization = '', 'content-type': type = '', 'user-agent': agent = '', ...headers } = request.headers;
    const key = headers['idempotency-key'];
    const passed = await fetch(target, {
      method: request.method ?? 'GET',
      ...(request.method === 'POST'
        ? {
            headers: {
              authorization,
              'content-type': type,
              'user-agent': agent,
              ...(key ? { 'idempotency-key': String(key) } : {}),
            },
            body: Buffer.concat(chunks),
          }
        : {}),
    });
    response.writeHead(passed.status).end(Buffer.from(await passed.arrayBuffer()));
  });
  beforeAll(async () => {
    sdk = await publishSdk();
    browser = await openBrowser();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await browser?.close();
    await sdk?.close();
  });

  it('downloads and checks a package, and reads a webhook, as a page imports it', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 2 });
    const tab = await browser?.abrir();
    if (tab === undefined) throw new Error('no browser');
    const { page, complaints } = tab;
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const now = new Date();
    const cuerpo = JSON.stringify({ type: 'solicitud.terminada', timestamp: now.toISOString(), data: {} });
    const aviso = {
      cuerpo,
      encabezados: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': new Webhook(SECRETO).sign('msg_1', now, cuerpo),
      },
    };
    const program = `(async ({ llave, peticion, aviso, secreto }) => {
      const { Acuse, AcuseError, verificarWebhook } = await import('/sdk/index.js');
      const acuse = new Acuse({
        url: location.origin, llave,
        fetch: (url, init) => fetch(String(url).startsWith(location.origin) ? url : '/paquete?' + encodeURIComponent(url), init),
      });
      const { solicitud, paquete } = await acuse.descargarYEsperar(peticion);
      const { flujo } = await acuse.abrirPaquete(solicitud.solicitud_id);
      const { byteLength } = await new Response(flujo).arrayBuffer();
      const { type } = await verificarWebhook(aviso, secreto);
      const altered = await verificarWebhook({ ...aviso, cuerpo: aviso.cuerpo + ' ' }, secreto).catch((error) => error);
      return { estado: solicitud.estado, isWhole: byteLength === paquete.bytes, type, altered: altered instanceof AcuseError && altered.nombre };
    })(${JSON.stringify({ llave: caller.apiKey, peticion: { rfc: caller.rfc, ...UN_DIA }, aviso, secreto: SECRETO })})`;
    expect(await page.evaluate(program)).toEqual({
      estado: 'TERMINADA',
      isWhole: true,
      type: 'solicitud.terminada',
      altered: 'WEBHOOK_INVALIDO',
    });
    expect(complaints.scripts).toEqual([]);
    expect(await saldoDe(servicio, caller)).toBe(1);
    await tab.close();
  });
});
