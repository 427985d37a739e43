import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import type { Credencial } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPageClient } from '../../packages/sat/src/portal/page-client.ts';
import { readTags } from '../../packages/sat/src/portal/paginas/etiquetas.ts';
import { logIn, signAcceso } from '../../packages/sat/src/portal/sesion/log-in.ts';
import { PORTAL_DEFAULTS } from '../../packages/sat/src/portal/settings.ts';
import { createEfirma } from '../../packages/sat/src/testing/certificados.ts';
import { answered, ciecDe, edited, efirmaDe, errorOf, type Mount, SOLICITAR, setUp } from './setup.ts';

const FACTURAS = { consulta: 'listar-facturas', periodo: SOLICITAR.periodo, maximo: 10 } as const;
const CIEC = 'ñ&=+ %1';
const HOST = 'cfdiau.sat.gob.mx';
const { signal } = new AbortController();

const script = (destino: string) => answered(`<html><script>top.location.href='${destino}';</script></html>`);
const redirect = (location: string, status = 302) => answered(null, { status, headers: { location } });

describe('log-in with the CIEC', () => {
  it('keeps reserved characters of the CIEC, and zeroes the body that carried it', async () => {
    const m = await setUp();
    m.world.taxpayers.change(m.rfc, { ciec: CIEC });
    expect(await m.ask(SOLICITAR, ciecDe(m.rfc, CIEC))).toMatchObject({ resultado: 'ACEPTADA' });
    const bodies = m.requests.filter(({ host, body }) => host === HOST && Buffer.isBuffer(body) && body.length > 40);
    expect(bodies.length).toBeGreaterThan(0);
    for (const { body } of bodies) expect((body as Buffer).every((byte) => byte === 0)).toBe(true);
  });

  it('tries a refused captcha again with a new image, and gives up after captchaIntentos', async () => {
    const m = await setUp({ settings: { captchaIntentos: 3 } });
    const seen = new Set<string>();
    const canal = m.another({
      captcha: {
        resolve: (imagen, until) => {
          seen.add(createHash('sha256').update(imagen).digest('hex'));
          return m.resolvedor.resolve(imagen, until);
        },
      },
    });
    m.world.settings.captchas_rechazados = 5;
    const refused = { motivo: 'CAPTCHA_RECHAZADO', clase: 'reintentable' };
    expect(await errorOf(m.ask(SOLICITAR, undefined, { canal }))).toMatchObject(refused);
    expect([m.accesos(), seen.size]).toEqual([3, 3]);
    expect(await m.ask(SOLICITAR, undefined, { canal })).toMatchObject({ resultado: 'ACEPTADA' });
    expect([m.accesos(), seen.size]).toEqual([6, 6]);
  });

  it('sends no CIEC when the resolver answers nothing that could be a captcha, fails, or does not answer', async () => {
    const m = await setUp({ settings: { captchaEsperaMs: 20 } });
    const asked = (resolve: () => Promise<string>) =>
      errorOf(m.ask(SOLICITAR, undefined, { canal: m.another({ captcha: { resolve } }) }));
    expect(await asked(async () => ' ?? ')).toMatchObject({ motivo: 'CAPTCHA_RECHAZADO' });
    const error = await asked(() => Promise.reject(new Error('https://secret.example/token')));
    expect(error).toMatchObject({ motivo: 'CAPTCHA_RECHAZADO', codigo: 'RESOLVEDOR' });
    expect(inspect(error)).not.toContain('secret');
    expect(await asked(() => new Promise(() => {}))).toMatchObject({ codigo: 'RESOLVEDOR' });
    const before = m.requests.length;
    const nobody = m.ask(SOLICITAR, undefined, { canal: m.another({ captcha: null }) });
    expect(await errorOf(nobody)).toMatchObject({ motivo: 'SIN_RESOLVEDOR_DE_CAPTCHA' });
    expect([m.accesos(), m.requests.length]).toEqual([0, before]);
  });

  it.each([
    ['Su cuenta ha sido bloqueada por exceder el n\\u00famero de intentos', 'CUENTA_BLOQUEADA'],
    ['Algo que nadie ha visto', 'SIN_MOTIVO'],
    ['', 'SIN_MOTIVO'],
  ])('stops at once at the refusal %j, and tells no secret', async (texto, codigo) => {
    const m = await setUp();
    m.fault(
      'cfdiau',
      'EntrarCiec',
      edited((html) => html.replace(/var error = '[^']*'/, `var error = '${texto}'`)),
    );
    const error = await errorOf(m.ask(SOLICITAR, ciecDe(m.rfc, 'Equivocada123456')));
    expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA', codigo });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/Equivocada123456|JSESSIONID/);
    expect(m.accesos()).toBe(1);
  });

  it.each([
    ['a redirect to a foreign host', redirect('https://malo.example/?token=1'), 'HOST_NO_PERMITIDO'],
    ['a script to a foreign host', script('https://malo.example/'), 'HOST_NO_PERMITIDO'],
    [
      'a form that sends itself to a foreign host',
      answered(
        '<body onload="document.forms[0].submit()"><form method="POST" action="//malo.example/"><input type="hidden" name="wresult" value="x"></form></body>',
      ),
      'HOST_NO_PERMITIDO',
    ],
    [
      'a redirect that would send the form with the CIEC again',
      redirect('/cfdiau/nidp/app/login', 307),
      'RESPUESTA_ILEGIBLE',
    ],
    ['a redirect to itself', redirect('/cfdiau/nidp/app/logout?x'), 'RESPUESTA_ILEGIBLE'],
  ] as const)('does not follow %s', async (_name, fault, motivo) => {
    const m = await setUp({ settings: { maxSaltos: 5 } });
    m.fault('cfdiau', 'EntrarCiec', fault);
    m.fault('cfdiau', 'Salir', redirect('/cfdiau/nidp/app/logout?x'));
    expect(await errorOf(m.ask(SOLICITAR))).toMatchObject({ motivo });
    expect(m.accesos()).toBe(1);
    expect(m.calls('Salir', 'cfdiau').length).toBeLessThanOrEqual(6);
    expect(m.requests.every(({ host }) => host.endsWith('.sat.gob.mx'))).toBe(true);
  });

  it('takes a script that leads back to the log-in page for a refusal, and follows none for ever', async () => {
    const m = await setUp();
    m.fault('cfdiau', 'EntrarCiec', script('/cfdiau/nidp/app/login?id=SATUPCFDiCon&amp;error=1'));
    expect(await errorOf(m.ask(SOLICITAR))).toMatchObject({ motivo: 'CIEC_RECHAZADA', codigo: 'SIN_MOTIVO' });
    m.world.faults.remove();
    const other = await setUp();
    other.fault('cfdiau', 'EntrarCiec', script('/cfdiau/nidp/app/logout'));
    other.fault('cfdiau', 'Salir', script('/cfdiau/nidp/app/logout'));
    expect(await errorOf(other.ask(SOLICITAR))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(other.calls('Salir', 'cfdiau')).toHaveLength(PORTAL_DEFAULTS.maxSaltos + 1);
  });

  it.each([
    [
      'refresh page',
      `<html><head><meta http-equiv="Refresh" content="0; URL='/cfdiau/nidp/wsfed/ep?x=1&amp;y=2'"></head></html>`,
    ],
    [
      'script',
      `<html><head><script>setTimeout(function () { window.location.href="https://${HOST}/nidp/wsfed/ep?x=1&amp;y=2"; }, 9);</script></head></html>`,
    ],
    [
      'script that names no window',
      `<html><head><script>location.href = '/cfdiau/nidp/wsfed/ep?x=1&amp;y=2';</script></head></html>`,
    ],
  ])('follows a %s', async (_name, html) => {
    const m = await setUp();
    m.fault('cfdiau', 'EntrarCiec', {
      kind: 'edited',
      edit: ({ headers }) => new Response(html, { headers: { 'set-cookie': headers.get('set-cookie') ?? '' } }),
    });
    expect(await m.ask(SOLICITAR)).toMatchObject({ resultado: 'ACEPTADA' });
    expect(m.requests.some(({ path }) => path.endsWith('y=2'))).toBe(true);
  });
});

describe('log-in with the e.firma', () => {
  const RFC = 'EKU9003173C9';

  it('signs as UTF-8 for an RFC with Ñ and &', async () => {
    const m = await setUp({ rfc: 'Ñ&A010101AB1', captcha: null });
    await m.ask(FACTURAS, await efirmaDe(m.rfc));
    expect(m.calls('EntrarFiel')).toHaveLength(1);
  });

  it('goes over to it from the page of the CIEC by its button', async () => {
    const m = await setUp({ rfc: RFC });
    const pagina = await show(m, '/nidp/app/login?id=SATUPCFDiCon&sid=0', await efirmaDe(RFC));
    expect(pagina.direccion.host).toBe('portalcfdi.facturaelectronica.sat.gob.mx');
  });

  it('sends a refused e.firma once, tells no secret, and zeroes the body', async () => {
    const m = await setUp({ rfc: RFC });
    const ajena = createEfirma({ rfc: RFC });
    const error = await errorOf(m.ask(FACTURAS, ajena));
    expect(error).toMatchObject({ motivo: 'EFIRMA_RECHAZADA', clase: 'credencial' });
    const text = inspect(error, { depth: 20, showHidden: true });
    expect(text).not.toContain(ajena.key.toString('base64').slice(40, 80));
    expect(text).not.toContain('token');
    const bodies = m.requests.flatMap(({ body }) => (Buffer.isBuffer(body) && body.length > 1000 ? [body] : []));
    expect(bodies.map((body) => body.every((byte) => byte === 0))).toEqual([true]);
    await errorOf(m.ask(FACTURAS, ajena));
    expect(m.calls('EntrarFiel')).toHaveLength(1);
    const sinPar = { ...createEfirma({ rfc: RFC }), key: ajena.key };
    expect(await errorOf(m.ask(FACTURAS, sinPar))).toMatchObject({ motivo: 'EFIRMA_RECHAZADA' });
    expect(m.calls('EntrarFiel')).toHaveLength(1);
  });

  it.each([
    ['El servicio no est&aacute; disponible, intente m&aacute;s tarde', 'SERVICIO_CON_ERROR', 'ACCESO'],
    ['Tu e.firma est&aacute; revocada.', 'EFIRMA_RECHAZADA', 'REVOCADA'],
    ['El certificado no est&aacute; vigente', 'EFIRMA_RECHAZADA', 'NO_VIGENTE'],
  ])('reads the reason %s', async (texto, motivo, codigo) => {
    const m = await setUp({ rfc: RFC });
    const change = (html: string) => html.replace(/(id="msgError">)[^<]*/, `$1${texto}`);
    m.fault('cfdiau', 'EntrarFiel', edited(change));
    expect(await errorOf(m.ask(FACTURAS, createEfirma({ rfc: RFC })))).toMatchObject({ motivo, codigo });
  });

  it.each(['', 'uno|DOS010101AAA|1', 'con blanco', 'x'.repeat(513)])('does not sign the challenge %j', async (guid) => {
    const m = await setUp({ rfc: RFC });
    m.fault(
      'cfdiau',
      'PaginaFiel',
      edited((html) => html.replace(/(id="guid" value=")[^"]*/, `$1${guid}`)),
    );
    expect(await errorOf(m.ask(FACTURAS, await efirmaDe(RFC)))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(m.accesos()).toBe(0);
  });

  it('writes the token and the end of the certificate as the page wants them', () => {
    const numero = '30001000000500003416';
    const efirma = createEfirma({ rfc: RFC, numero, validoHasta: new Date('2027-05-17T11:43:51Z') });
    const { token, fert } = signAcceso(efirma, 'reto-1');
    const [texto = ''] = Buffer.from(token, 'base64').toString().split('#');
    expect(Buffer.from(texto, 'base64').toString()).toBe(`reto-1|${RFC}|${numero}`);
    expect(fert).toBe('270517114351Z');
  });
});

describe('a navigation', () => {
  it('names the page that it comes from, at every hop of a log-in and of what follows', async () => {
    const m = await setUp({ rfc: 'EKU9003173C9', captcha: null });
    const opinion = await m.ask({ consulta: 'consultar-opinion' }, await efirmaDe(m.rfc));
    expect(opinion).toMatchObject({ sentido: 'POSITIVO' });
    const isNamed = ({ headers }: (typeof m.requests)[number]) => headers?.['referer'] !== undefined;
    // Two windows, that of the log-in and that of the question: each begins at an address that nothing leads to.
    const unnamed = m.requests.flatMap((request, i) => (isNamed(request) ? [] : [i]));
    const first = m.requests.findIndex(isNamed);
    const second = unnamed.find((i) => i > first) ?? 0;
    expect(m.requests[second]).toMatchObject({ host: m.requests[0]?.host, path: m.requests[0]?.path });
    expect(m.requests.slice(second).findLastIndex((request) => !isNamed(request))).toBeLessThan(3);
    const efirma = m.requests.find(({ host, path }) => host.startsWith('loginda') && /[?&]id=fiel(?:&|$)/.test(path));
    expect(efirma?.headers?.['referer']).toMatch(/^https:\/\/loginda\.siat\.sat\.gob\.mx\/nidp\/.*id=/);
  });

  it('ends with an error of the SAT at a page without a text', async () => {
    const m = await setUp({ rfc: 'EKU9003173C9', captcha: null });
    m.fault('loginda', 'PaginaFiel', answered(''));
    const outcome = errorOf(m.ask({ consulta: 'consultar-opinion' }, await efirmaDe(m.rfc)));
    expect(await outcome).toMatchObject({ motivo: 'SERVICIO_CON_ERROR', codigo: 'PAGINA_VACIA' });
    expect([m.calls('PaginaFiel').length, m.accesos()]).toEqual([1, 0]);
  });
});

describe('any log-in page', () => {
  const PAGINAS = { PaginaCiec: ciecDe('EKU9003173C9'), PaginaFiel: createEfirma({ rfc: 'EKU9003173C9' }) };

  it.each(['PaginaCiec', 'PaginaFiel'] as const)(
    'whose form goes to another host gets nothing (%s)',
    async (pagina) => {
      for (const accion of ['https://malo.example/nidp', 'https://portalcfdi.facturaelectronica.sat.gob.mx/']) {
        const m = await setUp({ rfc: 'EKU9003173C9' });
        m.fault(
          'cfdiau',
          pagina,
          edited((html) => html.replace(/action="[^"]*"/, `action="${accion}"`)),
        );
        expect(await errorOf(m.ask(FACTURAS, PAGINAS[pagina]))).toMatchObject({ motivo: 'HOST_NO_PERMITIDO' });
        expect(m.accesos()).toBe(0);
      }
    },
  );

  it('must be on the log-in host, and be no page of the e.firma for a CIEC', async () => {
    const m = await setUp();
    const pageClient = createPageClient(m.http, PORTAL_DEFAULTS, signal);
    const deps = { captcha: m.resolvedor, settings: PORTAL_DEFAULTS };
    const pagina = await pageClient.open({ host: HOST, path: '/nidp/app/login?id=SATUPCFDiCon&sid=0' });
    const direccion = { host: 'portalcfdi.facturaelectronica.sat.gob.mx', path: '/' };
    const fiel = await pageClient.open({ host: HOST, path: '/nidp/app/login?id=SATx509Custom&sid=0' });
    for (const otra of [{ ...pagina, direccion }, fiel]) {
      const outcome = errorOf(logIn({ ...deps, pageClient, credencial: ciecDe(m.rfc) }, otra, HOST));
      expect(await outcome).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    }
    expect(m.accesos()).toBe(0);
  });

  it('leads to a typed error or nowhere when it comes cut, doubled or with noise', async () => {
    const m = await setUp({ http: { breakerFailures: Number.POSITIVE_INFINITY } });
    const deps = { captcha: m.resolvedor, settings: PORTAL_DEFAULTS };
    const opened = createPageClient(m.http, PORTAL_DEFAULTS, signal);
    const paths = ['/nidp/app/login?id=SATUPCFDiCon&sid=0', '/nidp/app/login?id=SATx509Custom&sid=0'];
    const paginas = await Promise.all(paths.map((path) => opened.open({ host: HOST, path })));
    const noise = fc.string({ maxLength: 40, unit: 'binary' });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paginas),
        fc.nat(2_000),
        noise,
        fc.boolean(),
        async (pagina, at, add, cut) => {
          const texto = pagina.texto.slice(0, at) + (cut ? '' : add + pagina.texto.slice(at));
          for (const credencial of [ciecDe(m.rfc, 'equivocada'), PAGINAS.PaginaFiel]) {
            const pageClient = createPageClient(m.http, PORTAL_DEFAULTS, signal);
            const before = m.accesos();
            const damaged = { ...pagina, texto, etiquetas: readTags(texto) };
            await errorOf(logIn({ ...deps, pageClient, credencial }, damaged, HOST));
            expect(m.accesos() - before).toBeLessThanOrEqual(PORTAL_DEFAULTS.captchaIntentos);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

/** Answers a page of the log-in host with a credential. */
async function show({ http, resolvedor }: Mount, path: string, credencial: Credencial) {
  const pageClient = createPageClient(http, PORTAL_DEFAULTS, signal);
  const pagina = await pageClient.open({ host: HOST, path });
  await logIn({ pageClient, credencial, captcha: resolvedor, settings: PORTAL_DEFAULTS }, pagina, HOST);
  return pageClient.open({ host: 'portalcfdi.facturaelectronica.sat.gob.mx', path: '/' });
}
