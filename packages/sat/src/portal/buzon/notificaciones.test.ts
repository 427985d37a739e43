import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSatHttp } from '../../http/sat-http.ts';
import { createPageClient } from '../page-client.ts';
import { readTags } from '../paginas/etiquetas.ts';
import { PORTAL_DEFAULTS } from '../settings.ts';
import {
  createListOnlyClient,
  guardHttp,
  HOST_NOTIFICACIONES,
  LISTA_NOTIFICACIONES,
  readNotificaciones,
} from './listar-notificaciones.ts';
import { type NotificacionDePrueba, paginaNotificaciones } from './testing/buzon-de-prueba.ts';

const LISTA = LISTA_NOTIFICACIONES.path;
const BROKER = '/app/seg/SessionBroker';

const UNA: NotificacionDePrueba = {
  folio: 'ABC-001',
  autoridad: 'Administración &amp; Recaudación',
  acto: 'Requerimiento',
  fecha: '31/08/2026',
};
const OTRA: NotificacionDePrueba = {
  folio: 'ABC-002',
  autoridad: 'SAT',
  acto: 'Oficio <script>x()</script>',
  fecha: '01-09-2026 10:00',
};
const read = (html: string) => readNotificaciones(readTags(html));
const ilegible = (html: string) => expect(() => read(html), html.slice(-80)).toThrow('RESPUESTA_ILEGIBLE');

describe('the guards', () => {
  const signal = new AbortController().signal;
  const http = createSatHttp({ baseUrl: 'http://127.0.0.1:9' });
  const rechaza = (promise: Promise<unknown>) =>
    expect(promise).rejects.toMatchObject({ motivo: 'PETICION_RECHAZADA' });

  it('let a browser GET the list and do nothing else', async () => {
    const pedidas: string[] = [];
    const pageClient = createListOnlyClient({
      ...createPageClient(http, PORTAL_DEFAULTS, signal),
      request: (peticion) => {
        pedidas.push(`${peticion.method} ${peticion.path}`);
        return Promise.reject(new Error('asked'));
      },
    });
    const get = { ...LISTA_NOTIFICACIONES, method: 'GET', expect: 'text' } as const;
    await expect(pageClient.request(get)).rejects.toThrow('asked');
    await rechaza(pageClient.open(LISTA_NOTIFICACIONES));
    await rechaza(pageClient.submit(LISTA_NOTIFICACIONES, Buffer.from('a=b')));
    await rechaza(pageClient.request({ ...get, method: 'POST' }));
    await rechaza(pageClient.request({ ...get, body: 'a=b' }));
    await rechaza(pageClient.request({ ...get, path: `${LISTA}?folio=1` }));
    await rechaza(pageClient.request({ ...get, path: '/' }));
    await rechaza(pageClient.request({ ...get, host: 'login.siat.sat.gob.mx' }));
    expect(pedidas).toEqual([`GET ${LISTA}`]);
  });

  it('let the log-in through to the list and to nothing else of the host', async () => {
    const pedidas: string[] = [];
    const guardado = guardHttp({
      ...http,
      request: (peticion) => {
        pedidas.push(`${peticion.method} ${peticion.path}`);
        return Promise.reject(new Error('asked'));
      },
    });
    const askFor = (method: 'GET' | 'POST', path: string, host = HOST_NOTIFICACIONES) =>
      guardado.request({ host, path, method, expect: 'text', signal });
    for (const path of [
      LISTA,
      `${LISTA}?parametro=c&idSessionBit=null`,
      `${BROKER}?url=${LISTA}`,
      '/app/seg/cont/accesoC',
    ]) {
      await expect(askFor('GET', path)).rejects.toThrow('asked');
    }
    await expect(askFor('POST', '/cloudc/saml2/sp/acs/post')).rejects.toThrow('asked');
    await expect(askFor('POST', '/otra', 'login.siat.sat.gob.mx')).rejects.toThrow('asked');
    const hechas = pedidas.length;
    await rechaza(askFor('POST', LISTA));
    for (const path of [
      '/',
      `${LISTA}?folio=1`,
      `${LISTA}x`,
      '/PTSC/otra',
      '/app/segx',
      '/app/seg/../../PTSC/otra',
      '/app/seg/%2e%2e/PTSC',
    ]) {
      await rechaza(askFor('GET', path));
    }
    expect(pedidas).toHaveLength(hechas);
  });
});

describe('readNotificaciones', () => {
  it('reads every cell, newest first, and an empty list', () => {
    expect(read(paginaNotificaciones([UNA, OTRA]))).toEqual([
      { folio: 'ABC-002', autoridad: 'SAT', asunto: 'Oficio', fecha: '2026-09-01' },
      { folio: 'ABC-001', autoridad: 'Administración & Recaudación', asunto: 'Requerimiento', fecha: '2026-08-31' },
    ]);
    expect(read(paginaNotificaciones([]))).toEqual([]);
  });

  it('leaves those already notified out', () => {
    const notificados =
      '<table><caption>Notificados</caption><tr><th>Folio</th><th>Autoridad</th><th>Tipo de acto</th><th>Fecha</th></tr><tr><td>Z-9</td><td>SAT</td><td>Oficio</td><td>2026-01-02</td></tr></table>';
    const porFecha = notificados
      .replace('<caption>Notificados</caption>', '')
      .replace('>Fecha<', '>Fecha de notificación<');
    for (const despues of [notificados, porFecha]) {
      expect(read(paginaNotificaciones([UNA], { despues })).map((n) => n.folio)).toEqual(['ABC-001']);
    }
    const soloNotificados = `<html><body>${notificados}</body></html>`;
    expect(read(soloNotificados)).toEqual([]);
    ilegible(soloNotificados.replace(/<tr><td>.*<\/tr>/, ''));
  });

  it('gives the same rows whatever the order of the columns', () => {
    const esperadas = read(paginaNotificaciones([UNA, OTRA]));
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5, maxLength: 5 }), (orden) => {
        expect(read(paginaNotificaciones([UNA, OTRA], { orden }))).toEqual(esperadas);
      }),
    );
  });

  it('refuses what it cannot read whole', () => {
    const good = paginaNotificaciones([UNA]);
    ilegible(good.replace('Fecha de aviso', 'Otra'));
    ilegible(good.replace('Autoridad emisora', 'Folio'));
    ilegible(good.replace('31/08/2026', '31/09/2026'));
    ilegible(good.replace('<td>Requerimiento</td>', ''));
    ilegible(good.replace('<td>Requerimiento</td>', '<td></td>'));
    ilegible(paginaNotificaciones([UNA, { ...UNA, acto: 'Otro' }]));
    ilegible(paginaNotificaciones([UNA], { despues: '<a href="?page=2">2</a>' }));
    ilegible(
      paginaNotificaciones([UNA], {
        despues: '<span class="ui-paginator-page ui-state-active">1</span><span class="ui-paginator-page">2</span>',
      }),
    );
    ilegible(
      paginaNotificaciones([UNA], {
        despues: '<script>PrimeFaces.cw("DataTable","w",{paginator:{rows:1,rowCount:7}});</script>',
      }),
    );
    ilegible(`<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>&b;`);
  });

  it('is an error wherever the page is cut, and never a row that was not there', () => {
    const html = paginaNotificaciones([UNA, OTRA]);
    for (let corte = 0; corte < html.indexOf('</body>'); corte += 1) ilegible(html.slice(0, corte));
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z <>"'=&;áñ\n]{0,200}$/), fc.nat({ max: html.length }), (basura, donde) => {
        try {
          for (const { fecha } of read(html.slice(0, donde) + basura + html.slice(donde))) {
            expect(['2026-08-31', '2026-09-01']).toContain(fecha);
          }
        } catch (error) {
          expect(error).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
        }
      }),
    );
  });
});
