import { inspect } from 'node:util';
import type { Credencial, CredencialEfirma } from '@acuse/core';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createSatHttp, type SatHttpRequest } from '../../http/sat-http.ts';
import { createEfirma } from '../../testing/certificados.ts';
import { createPageClient } from '../page-client.ts';
import { readEtiquetas } from '../paginas/etiquetas.ts';
import { PORTAL_CFDI } from '../portal-cfdi.ts';
import { PORTAL_DEFAULTS } from '../settings.ts';
import { ciecDe, errorOf, RESOLVEDOR, RFC } from '../testing/canal-de-prueba.ts';
import { PAGINA_EFIRMA, paginaAcceso, paginaEfirma } from '../testing/paginas-de-prueba.ts';
import { redirect, sendHtml, startPortalDePrueba } from '../testing/portal-de-prueba.ts';
import { acceder, firmarAcceso } from './acceder.ts';

const HOST = 'cfdiau.sat.gob.mx';
const closing: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function setUp(observe: (request: SatHttpRequest) => void = () => {}) {
  const portal = await startPortalDePrueba();
  const real = createSatHttp({ baseUrl: portal.baseUrl });
  closing.push(
    () => real.close(),
    () => portal.close(),
  );
  const http: typeof real = {
    ...real,
    request(request) {
      observe(request);
      return real.request(request);
    },
  };
  const deps = { http, captcha: RESOLVEDOR, settings: PORTAL_DEFAULTS };
  const signal = new AbortController().signal;
  return {
    portal,
    deps,
    signal,
    async open(credencial: Credencial) {
      const pageClient = createPageClient(http, PORTAL_DEFAULTS);
      await PORTAL_CFDI.enter(deps, pageClient, credencial, signal);
      return pageClient;
    },
    async show(path: string, credencial: Credencial) {
      const pageClient = createPageClient(http, PORTAL_DEFAULTS);
      const pagina = await pageClient.open({ host: HOST, path }, signal);
      return acceder(deps, pageClient, pagina, credencial, HOST, signal);
    },
  };
}

function conEfirma(portal: Awaited<ReturnType<typeof setUp>>['portal'], rfc = RFC): CredencialEfirma {
  const efirma = createEfirma({ rfc });
  portal.guion.efirmas.set(rfc, efirma.cer);
  return efirma;
}

describe('log-in with the e.firma', () => {
  it('signs the challenge of the page and ends in the portal, with no captcha', async () => {
    const { portal, open } = await setUp();
    const pageClient = await open(conEfirma(portal));
    expect(pageClient.cookies()).toContain('ASP.NET_SessionId');
    expect([portal.firmas(), portal.envios()]).toEqual([1, 0]);
  });

  it('signs as UTF-8 for an RFC with Ñ and &', async () => {
    const { portal, open } = await setUp();
    await open(conEfirma(portal, 'Ñ&A010101AB1'));
    expect(portal.firmas()).toBe(1);
  });

  it('goes over to it from the page of the CIEC by its button', async () => {
    const { portal, show } = await setUp();
    const pagina = await show('/nidp/app/login?id=SATUPCFDiCon&sid=0', conEfirma(portal));
    expect(pagina.direccion.host).toBe('portalcfdi.facturaelectronica.sat.gob.mx');
  });

  it('sends a refused e.firma exactly once', async () => {
    const { portal, open } = await setUp();
    const error = await errorOf(open(createEfirma({ rfc: RFC })));
    expect(error).toMatchObject({ motivo: 'EFIRMA_RECHAZADA', clase: 'credencial' });
    expect(portal.firmas()).toBe(1);
  });

  it('does not blame the e.firma when the page says that the service is down', async () => {
    const { portal, open } = await setUp();
    portal.guion.textoEfirma = 'El servicio no est&aacute; disponible, intente m&aacute;s tarde';
    expect(await errorOf(open(createEfirma()))).toMatchObject({ motivo: 'SERVICIO_CON_ERROR' });
  });

  it.each([
    ['Tu e.firma est&aacute; revocada.', 'EFIRMA_RECHAZADA', 'REVOCADA'],
    ['El certificado no est&aacute; vigente', 'EFIRMA_RECHAZADA', 'NO_VIGENTE'],
    ['Servicio no disponible por el momento', 'SERVICIO_CON_ERROR', 'ACCESO'],
  ])('reads the reason %s in #divError', async (texto, motivo, codigo) => {
    const { portal, open } = await setUp();
    portal.guion.textoEfirma = `</div></div><div id="divError"><p>${texto}</p></div><div><div>`;
    expect(await errorOf(open(createEfirma()))).toMatchObject({ motivo, codigo });
    expect(portal.firmas()).toBe(1);
  });

  it('refuses a form that goes to another host', async () => {
    for (const accion of ['https://malo.example/nidp', 'https://portalcfdi.facturaelectronica.sat.gob.mx/']) {
      const { portal, open } = await setUp();
      portal.guion.accionAcceso = accion;
      expect(await errorOf(open(conEfirma(portal)))).toMatchObject({ motivo: 'HOST_NO_PERMITIDO' });
      expect(portal.firmas()).toBe(0);
    }
  });

  it.each(['', 'uno|DOS010101AAA|1', 'con blanco', 'x'.repeat(513)])('does not sign the challenge %j', async (guid) => {
    const { portal, open } = await setUp();
    portal.guion.guid = guid;
    expect(await errorOf(open(conEfirma(portal)))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(portal.firmas()).toBe(0);
  });

  it('puts neither key nor token into errors, and zeroes the body', async () => {
    const bodies: Buffer[] = [];
    const { open } = await setUp(({ body }) => {
      if (Buffer.isBuffer(body) && body.includes('token=')) bodies.push(body);
    });
    const efirma = createEfirma({ rfc: RFC });
    const text = inspect(await errorOf(open(efirma)), { depth: 20, showHidden: true });
    expect(text).not.toContain(efirma.key.toString('base64').slice(40, 80));
    expect(text).not.toContain('token');
    expect(bodies).toHaveLength(1);
    expect(bodies[0]?.every((byte) => byte === 0)).toBe(true);
  });

  it('refuses a key that is not the pair of the certificate before the SAT sees it', async () => {
    const { portal, open } = await setUp();
    const error = await errorOf(open({ ...createEfirma(), key: createEfirma().key }));
    expect(error).toMatchObject({ motivo: 'EFIRMA_RECHAZADA' });
    expect(portal.firmas()).toBe(0);
  });

  it('writes the token and the end of the certificate as the page wants them', () => {
    const efirma = createEfirma({
      rfc: RFC,
      numero: '30001000000500003416',
      validoHasta: new Date('2027-05-17T11:43:51Z'),
    });
    const { token, fert } = firmarAcceso(efirma, 'reto-1');
    const [texto = ''] = Buffer.from(token, 'base64').toString().split('#');
    expect(Buffer.from(texto, 'base64').toString()).toBe(`reto-1|${RFC}|30001000000500003416`);
    expect(fert).toBe('270517114351Z');
  });
});

describe('any log-in page', () => {
  it('must be on the log-in host', async () => {
    const { deps, signal, portal } = await setUp();
    const pageClient = createPageClient(deps.http, PORTAL_DEFAULTS);
    const pagina = {
      direccion: { host: 'portalcfdi.facturaelectronica.sat.gob.mx', path: '/' },
      texto: paginaAcceso('ABC123'),
      etiquetas: readEtiquetas(paginaAcceso('ABC123')),
    };
    expect(await errorOf(acceder(deps, pageClient, pagina, ciecDe(), HOST, signal))).toMatchObject({
      motivo: 'RESPUESTA_ILEGIBLE',
    });
    expect(portal.envios()).toBe(0);
  });

  it('is not answered with a CIEC when it asks for the e.firma', async () => {
    const { portal, show, deps, signal } = await setUp();
    const pageClient = createPageClient(deps.http, PORTAL_DEFAULTS);
    await pageClient.open({ host: HOST, path: '/nidp/app/login?id=SATUPCFDiCon' }, signal);
    const pagina = await pageClient.open({ host: HOST, path: PAGINA_EFIRMA }, signal);
    expect(await errorOf(acceder(deps, pageClient, pagina, ciecDe(), HOST, signal))).toMatchObject({
      motivo: 'RESPUESTA_ILEGIBLE',
    });
    expect(await errorOf(show('/nidp/bucle', ciecDe()))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(portal.envios()).toBe(0);
  });

  it('is left by the script that a provider answers a good log-in with', async () => {
    const { portal, show } = await setUp();
    portal.guion.ciecs.set(RFC, 'ñ&=+ %1');
    portal.guion.trasElAcceso = (res) =>
      sendHtml(
        res,
        `<html><head><script>setTimeout(function () { window.location.href="${'https://cfdiau.sat.gob.mx/nidp/wsfed/ep?a=1&amp;b=2'}"; }, 9);</script></head></html>`,
      );
    const pagina = await show('/nidp/app/login?id=SATUPCFDiCon&sid=0', ciecDe());
    expect(pagina.direccion.host).toBe('portalcfdi.facturaelectronica.sat.gob.mx');
    expect(portal.peticiones.find((p) => p.query.get('b') === '2')).toBeDefined();
  });

  it('counts as a refusal when that script only leads back to it', async () => {
    const { portal, show } = await setUp();
    portal.guion.ciecs.set(RFC, 'ñ&=+ %1');
    portal.guion.trasElAcceso = (res) =>
      sendHtml(res, `<script>top.location.href='/cfdiau/nidp/app/login?id=SATUPCFDiCon&amp;error=1';</script>`);
    const error = await errorOf(show('/nidp/app/login?id=SATUPCFDiCon&sid=0', ciecDe()));
    expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA', codigo: 'SIN_MOTIVO' });
    expect(portal.envios()).toBe(1);
  });

  it('does not follow such a script to a foreign host, nor for ever', async () => {
    const { portal, show } = await setUp();
    portal.guion.ciecs.set(RFC, 'ñ&=+ %1');
    portal.guion.trasElAcceso = (res) => sendHtml(res, `<script>top.location.href='https://malo.example/';</script>`);
    const entrar = () => show('/nidp/app/login?id=SATUPCFDiCon&sid=0', ciecDe());
    expect(await errorOf(entrar())).toMatchObject({ motivo: 'HOST_NO_PERMITIDO' });
    let vueltas = 0;
    const again = portal.peticiones.push.bind(portal.peticiones);
    portal.peticiones.push = (...items) => {
      vueltas += items.filter(({ donde }) => donde.endsWith('vuelta')).length;
      return again(...items);
    };
    portal.guion.trasElAcceso = (res) => redirect(res, '/cfdiau/nidp/vuelta');
    expect(await errorOf(entrar())).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(vueltas).toBe(PORTAL_DEFAULTS.maxSaltos + 2);
  });

  it('leads to a typed error or nowhere when it comes cut, doubled or with noise', async () => {
    const { deps, signal, portal } = await setUp();
    const efirma = createEfirma({ rfc: RFC });
    const paginas = [paginaAcceso('ABC123'), paginaEfirma('reto')];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paginas),
        fc.nat(2_000),
        fc.string({ maxLength: 40, unit: 'binary' }),
        fc.boolean(),
        async (html, at, noise, cut) => {
          const texto = cut ? html.slice(0, at) : html.slice(0, at) + noise + html.slice(at);
          const pagina = {
            direccion: { host: HOST, path: '/nidp/app/login?id=SATUPCFDiCon&sid=0' },
            texto,
            etiquetas: readEtiquetas(texto),
          };
          for (const credencial of [ciecDe(RFC, 'equivocada'), efirma]) {
            const pageClient = createPageClient(deps.http, PORTAL_DEFAULTS);
            const before = portal.envios() + portal.firmas();
            await errorOf(acceder(deps, pageClient, pagina, credencial, HOST, signal));
            expect(portal.envios() + portal.firmas() - before).toBeLessThanOrEqual(PORTAL_DEFAULTS.captchaIntentos);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
