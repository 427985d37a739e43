import { type Credencial, SatError } from '@acuse/core';
import { afterEach, describe, expect, it } from 'vitest';
import { FISICA, MORAL, makeConstancia } from '../../constancia/testing/constancia-de-prueba.ts';
import { createSatHttp } from '../../http/sat-http.ts';
import { createLectorPdf } from '../../pdf/lector-pdf.ts';
import { createEfirma } from '../../testing/certificados.ts';
import { createPortalCanal } from '../create-portal-canal.ts';
import { CIEC, ciecDe, RESOLVEDOR } from '../testing/canal-de-prueba.ts';
import { createSelladoEfimero } from '../testing/sellado-efimero.ts';
import { createSesionesEnMemoria } from '../testing/sesiones-en-memoria.ts';
import { startSiat } from './testing/siat-de-prueba.ts';

const RFC = MORAL.rfc;
const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function setUp(options: { captcha?: null } = {}) {
  const siat = await startSiat({ rfc: RFC, ciec: CIEC, pdf: await makeConstancia(MORAL) });
  const http = createSatHttp({ baseUrl: siat.url });
  const lector = createLectorPdf({ maxHilos: 1 });
  closing.push(siat.close, http.close, lector.close);
  const captcha = options.captcha === null ? null : RESOLVEDOR;
  const sesiones = createSesionesEnMemoria();
  const canal = createPortalCanal({ sellado: createSelladoEfimero(), http, captcha, sesiones, readPdf: lector.read });
  const ask = (credencial: Credencial = ciecDe(RFC)) =>
    canal.send({ consulta: 'descargar-constancia', rfc: RFC }, credencial, {
      signal: new AbortController().signal,
    });
  const motivo = async (credencial?: Credencial) => {
    const outcome = await ask(credencial).catch((error: unknown) => error);
    return outcome instanceof SatError ? outcome.motivo : outcome;
  };
  return { siat, canal, ask, motivo };
}

describe('descargar-constancia', () => {
  it('logs in with the CIEC, has the document made and reads it', async () => {
    const { siat, ask } = await setUp();
    const { constancia, pdf } = await ask();
    expect(constancia).toMatchObject({ rfc: RFC, estatus: 'ACTIVO', regimenes: [{ clave: '601' }] });
    expect(constancia.obligaciones).toHaveLength(2);
    expect(pdf.equals(siat.guion.pdf as Buffer)).toBe(true);
    expect(siat.accesos()).toBe(1);
  });

  it('logs in with the e.firma by the broker, without a captcha', async () => {
    const { siat, ask } = await setUp({ captcha: null });
    const { constancia } = await ask(createEfirma({ rfc: RFC }));
    expect(constancia.rfc).toBe(RFC);
    expect(siat.accesos()).toBe(1);
    expect(siat.peticiones.some(({ url }) => url.includes('lanzador'))).toBe(false);
  });

  it('keeps the session, and opens another one when it has ended', async () => {
    const { siat, ask } = await setUp();
    await ask();
    await ask();
    expect(siat.accesos()).toBe(1);
    siat.expire();
    await ask();
    expect(siat.accesos()).toBe(2);
  });

  it('finds the button by what it says when its number is another', async () => {
    const { siat, ask } = await setUp();
    siat.guion.boton = 'formReimpAcuse:j_idt77';
    await expect(ask()).resolves.toMatchObject({ constancia: { rfc: RFC } });
    siat.guion.boton = 'formReimpAcuse:j_idt50';
    siat.guion.rotulo = 'Imprimir';
    await expect(ask()).resolves.toMatchObject({ constancia: { rfc: RFC } });
  });

  it('refuses the constancia of somebody else', async () => {
    const { siat, motivo } = await setUp();
    siat.guion.pdf = await makeConstancia(FISICA);
    expect(await motivo()).toBe('RESPUESTA_ILEGIBLE');
  });

  it.each([
    ['a page', '<html>No disponible</html>'],
    ['nothing', ''],
    ['the beginning of a document', '%PDF-1.7\n1 0 obj'],
    ['50 MB', '%PDF-1.7\n'.padEnd(50 * 1024 * 1024, 'a')],
  ])('does not take %s for a constancia', async (_what, pdf) => {
    const { siat, motivo } = await setUp();
    siat.guion.pdf = pdf;
    expect(await motivo()).toBe('RESPUESTA_ILEGIBLE');
  });

  it.each([
    ['another page', '<h1>Estamos en mantenimiento</h1>'],
    ['a frame of nowhere', '<iframe id="iframetoload" src=""></iframe>'],
    ['a form to fill in', '<form method="post"><input name="SAMLResponse"/><input type="text" name="a"/></form>'],
  ])('does not go on from %s', async (_what, pagina) => {
    const { siat, motivo } = await setUp();
    siat.guion.enLugarDeReimpresion = pagina;
    expect(await motivo()).toBe('RESPUESTA_ILEGIBLE');
  });

  it('stays within the hosts of the SAT', async () => {
    const { siat, motivo } = await setUp();
    siat.guion.enLugarDeReimpresion = '<iframe id="iframetoload" src="https://example.com/x"></iframe>';
    expect(await motivo()).toBe('HOST_NO_PERMITIDO');
  });

  it('tells an error of the page from a session that has ended', async () => {
    const { siat, motivo } = await setUp();
    siat.guion.parcial =
      '<partial-response><error><error-name>java.lang.NullPointerException</error-name></error></partial-response>';
    expect(await motivo()).toBe('SERVICIO_CON_ERROR');
    expect(siat.accesos()).toBe(1);
    siat.guion.parcial = '<partial-response><redirect url="/login"/></partial-response>';
    expect(await motivo()).toBe('RESPUESTA_ILEGIBLE');
    expect(siat.accesos()).toBe(2);
  });

  it('sends a refused CIEC once', async () => {
    const { siat, motivo } = await setUp();
    expect(await motivo(ciecDe(RFC, 'otra'))).toBe('CIEC_RECHAZADA');
    expect(await motivo(ciecDe(RFC, 'otra'))).toBe('CIEC_RECHAZADA');
    expect(siat.accesos()).toBe(1);
  });
});
