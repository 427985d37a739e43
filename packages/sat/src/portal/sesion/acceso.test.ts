import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CIEC, ciecDe, errorOf, RESOLVEDOR, RFC, setUp, solicitar } from '../testing/canal-de-prueba.ts';
import { paginaPostIt } from '../testing/paginas-de-prueba.ts';
import { redirect, sendHtml } from '../testing/portal-de-prueba.ts';

const CLAVE = { portal: 'cfdi', rfc: RFC, tipo: 'ciec' } as const;

describe('log-in with the CIEC', () => {
  it('goes through captcha, form, WS-Federation and the portal, and keeps reserved characters of the CIEC', async () => {
    const { portal, canal } = await setUp();
    expect(await solicitar(canal)).toMatchObject({ resultado: 'ACEPTADA' });
    expect(portal.caminos().slice(0, 6)).toEqual([
      'cfdiau/nidp/app/login',
      'cfdiau/nidp/app/login',
      'portalcfdi/',
      'cfdiau/nidp/wsfed/ep',
      'portalcfdi/',
      'portalcfdi/',
    ]);
    expect(portal.envios()).toBe(1);
  });

  it('tries a refused captcha again with a new image', async () => {
    const seen: string[] = [];
    const captcha = {
      resolve: async (imagen: Buffer) => {
        seen.push(imagen.toString('hex'));
        return RESOLVEDOR.resolve(imagen, AbortSignal.abort());
      },
    };
    const { portal, canal } = await setUp({ captcha });
    portal.guion.captchasRechazados = 2;
    expect(await solicitar(canal)).toMatchObject({ resultado: 'ACEPTADA' });
    expect(portal.envios()).toBe(3);
    expect(new Set(seen).size).toBe(3);
  });

  it('gives up after captchaIntentos refused captchas', async () => {
    const { portal, canal } = await setUp({ settings: { captchaIntentos: 2 } });
    portal.guion.captchasRechazados = 9;
    expect(await errorOf(solicitar(canal))).toMatchObject({
      motivo: 'CAPTCHA_RECHAZADO',
      clase: 'reintentable',
    });
    expect(portal.envios()).toBe(2);
  });

  it('does not send the CIEC when the resolver answers nothing that could be a captcha', async () => {
    const { portal, canal } = await setUp({ captcha: { resolve: async () => ' ?? ' } });
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'CAPTCHA_RECHAZADO' });
    expect(portal.envios()).toBe(0);
  });

  it('gives up on a resolver that fails or does not answer, without sending the CIEC', async () => {
    const failing = await setUp({
      captcha: {
        resolve: async () => {
          throw new Error('https://secret.example/token');
        },
      },
    });
    const error = await errorOf(solicitar(failing.canal));
    expect(error).toMatchObject({ motivo: 'CAPTCHA_RECHAZADO', codigo: 'RESOLVEDOR' });
    expect(inspect(error)).not.toContain('secret');
    const silent = await setUp({
      captcha: { resolve: () => new Promise(() => {}) },
      settings: { captchaEsperaMs: 20 },
    });
    expect(await errorOf(solicitar(silent.canal))).toMatchObject({ codigo: 'RESOLVEDOR' });
    expect(failing.portal.envios() + silent.portal.envios()).toBe(0);
  });

  it('says so when there is no resolver, and asks the SAT nothing', async () => {
    const { portal, canal } = await setUp({ captcha: null });
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'SIN_RESOLVEDOR_DE_CAPTCHA' });
    expect(portal.peticiones).toEqual([]);
  });

  it('sends a refused CIEC exactly once, also when many ask at the same time and later', async () => {
    const { portal, canal, sesiones, advance } = await setUp();
    const wrong = () => solicitar(canal, { credencial: ciecDe(RFC, 'equivocada') });
    for (const error of await Promise.all([errorOf(wrong()), errorOf(wrong()), errorOf(wrong())])) {
      expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA', clase: 'credencial', codigo: 'CIEC' });
    }
    advance(400 * 24 * 3_600_000);
    await errorOf(wrong());
    expect(portal.envios()).toBe(1);
    await sesiones.forget(RFC);
    await errorOf(wrong());
    expect(portal.envios()).toBe(2);
  });

  it('does not hold a refused CIEC against another one of the same RFC', async () => {
    const { canal } = await setUp();
    await errorOf(solicitar(canal, { credencial: ciecDe(RFC, 'equivocada') }));
    expect(await solicitar(canal)).toMatchObject({ resultado: 'ACEPTADA' });
  });

  it.each([
    ['Su cuenta ha sido bloqueada por exceder el n\\u00famero de intentos', 'CUENTA_BLOQUEADA'],
    ['Algo que nadie ha visto', 'SIN_MOTIVO'],
    ['', 'SIN_MOTIVO'],
  ])('stops at once at the refusal %j', async (texto, codigo) => {
    const { portal, canal } = await setUp();
    portal.guion.textoCiec = texto;
    const error = await errorOf(solicitar(canal, { credencial: ciecDe(RFC, 'equivocada') }));
    expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA', codigo });
    expect(portal.envios()).toBe(1);
  });

  it('puts neither the CIEC nor the captcha nor cookies into errors', async () => {
    const { portal, canal } = await setUp();
    portal.guion.textoCiec = `${CIEC} no es`;
    const error = await errorOf(solicitar(canal, { credencial: ciecDe(RFC, 'Equivocada123456') }));
    const text = inspect(error, { depth: 20, showHidden: true });
    for (const secreto of ['Equivocada123456', CIEC, encodeURIComponent(CIEC), 'IDP']) {
      expect(text).not.toContain(secreto);
    }
  });

  it('zeroes the body that carried the CIEC', async () => {
    const bodies: Buffer[] = [];
    const { canal } = await setUp({
      observe: ({ body }) => {
        if (Buffer.isBuffer(body) && body.includes('Ecom_Password')) bodies.push(body);
      },
    });
    await solicitar(canal);
    expect(bodies).toHaveLength(1);
    expect(bodies[0]?.every((byte) => byte === 0)).toBe(true);
  });

  it('refuses a log-in form that goes to another host, even one of the SAT', async () => {
    for (const accion of ['https://malo.example/nidp', 'https://portalcfdi.facturaelectronica.sat.gob.mx/']) {
      const { portal, canal } = await setUp();
      portal.guion.accionAcceso = accion;
      expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'HOST_NO_PERMITIDO' });
      expect(portal.envios()).toBe(0);
    }
  });

  it('refuses a redirect or an auto-submitted form to a foreign host', async () => {
    const { portal, canal } = await setUp();
    portal.guion.trasElAcceso = (res) => redirect(res, 'https://malo.example/?token=1');
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'HOST_NO_PERMITIDO' });
    portal.guion.trasElAcceso = (res) => sendHtml(res, paginaPostIt('//malo.example/', { wresult: 'x' }));
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'HOST_NO_PERMITIDO' });
  });

  it('does not follow a redirect that would send the form with the CIEC again', async () => {
    const { portal, canal } = await setUp();
    portal.guion.trasElAcceso = (res) => res.writeHead(307, { location: '/cfdiau/nidp/app/login' }).end();
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(portal.envios()).toBe(1);
  });

  it('stops following a chain that does not end', async () => {
    const { portal, canal } = await setUp({ settings: { maxSaltos: 5 } });
    portal.guion.trasElAcceso = (res) => redirect(res, '/cfdiau/nidp/bucle');
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(portal.caminos().filter((camino) => camino.endsWith('bucle'))).toHaveLength(5);
  });

  it('follows a refresh page', async () => {
    const { portal, canal } = await setUp();
    portal.guion.trasElAcceso = (res) =>
      sendHtml(
        res,
        `<html><head><meta http-equiv="Refresh" content="0; URL='/cfdiau/nidp/wsfed/ep?x=1&amp;y=2'"></head></html>`,
      );
    expect(await solicitar(canal)).toMatchObject({ resultado: 'ACEPTADA' });
    expect(portal.peticiones.find((p) => p.query.get('y') === '2')).toBeDefined();
  });

  it('believes no session whose portal names another RFC, or none', async () => {
    const { portal, canal, sesiones } = await setUp();
    portal.guion.rfcMostrado = 'XAXX010101000';
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    portal.guion.muestraRfc = false;
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(await sesiones.load(CLAVE)).toBeNull();
    expect(portal.solicitudes).toEqual([]);
  });

  it('asks neither with an e.firma nor with the credential of another RFC', async () => {
    const { portal, canal } = await setUp();
    const signal = new AbortController().signal;
    const consulta = {
      consulta: 'verificar-metadata' as const,
      rfc: RFC,
      tipo: 'emitidos' as const,
      periodo: { inicio: '2026-01-01T00:00:00', fin: '2026-01-01T00:00:00' },
      folio: 'x',
    };
    const efirma = { tipo: 'efirma' as const, rfc: RFC, cer: Buffer.alloc(1), key: Buffer.alloc(1) };
    expect(await errorOf(canal.send(consulta, efirma, { signal }))).toMatchObject({
      motivo: 'CANAL_DESACTIVADO',
    });
    expect(await errorOf(canal.send(consulta, ciecDe('XAXX010101000'), { signal }))).toMatchObject({
      motivo: 'PETICION_RECHAZADA',
    });
    expect(portal.peticiones).toEqual([]);
  });
});
