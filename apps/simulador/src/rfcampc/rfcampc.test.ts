import { describe, expect, test } from 'vitest';
import { type Browser, createBrowser, readForm, type Visit } from '../testing/browser.ts';
import { follow, isCiecPage } from '../testing/idp-client.ts';
import { enterByFiel, frameOf, sendForm, visitByCiec, visitByFiel } from '../testing/single-sign-on.ts';
import { startForTests } from '../testing/start-for-tests.ts';

const RFC = 'EKU9003173C9';
const BUTTON = 'formReimpAcuse:j_idt50';
const simulador = await startForTests();
const base = simulador.url;

const launcher = (tipoLogeo: 'c' | 'f') =>
  `${base}/wwwmat/app/seg/faces/pages/lanzador.jsf?url=/operacion/53027/genera-tu-constancia-de-situacion-fiscal&tipoLogeo=${tipoLogeo}&target=principal&hostServer=https://wwwmat.sat.gob.mx`;
const broker = () =>
  `${base}/rfcampc/app/seg/SessionBroker?url=/PTSC/IdcSiat/autc/ReimpresionTramite/ConsultaTramite.jsf&parametro=c&idSessionBit=&idSessionBit=null`;
const pdfAddress = () => `${base}/rfcampc/PTSC/IdcSiat/IdcGeneraConstancia.jsf`;
const tramite = () => `${base}/rfcampc/PTSC/IdcSiat/autc/ReimpresionTramite/ConsultaTramite.jsf`;

/** Presses the button as the page's script does. */
function press(browser: Browser, page: Visit, change: Record<string, string> = {}): Promise<Visit> {
  const { action, fields } = readForm(page, '#formReimpAcuse');
  return browser.post(action, {
    ...fields,
    'javax.faces.partial.ajax': 'true',
    'javax.faces.source': BUTTON,
    'javax.faces.partial.execute': '@all',
    [BUTTON]: BUTTON,
    ...change,
  });
}

async function reprintPage(rfc = RFC): Promise<{ browser: Browser; page: Visit }> {
  const browser = createBrowser();
  return { browser, page: await visitByCiec(simulador, browser, broker(), rfc) };
}

describe('the way to the constancia', () => {
  test('by e.firma: session broker and exactly the addresses that python-satcfdi insists on', async () => {
    const browser = createBrowser();
    await enterByFiel(simulador, browser, `${base}/login/nidp/idff/sso?id=fiel_Aviso`, RFC);
    const request = await browser.get(broker());
    expect(readForm(request, 'form').action).toBe(`${base}/login/nidp/saml2/sso`);
    const answer = await sendForm(browser, request);
    expect(readForm(answer, 'form').action).toBe(`${base}/rfcampc/saml2/sp/acs/post`);
    const page = await sendForm(browser, answer);
    expect(readForm(page, 'form').action).toBe(tramite());
    await press(browser, page);
    expect((await browser.raw(pdfAddress())).headers.get('content-type')).toBe('application/pdf');
  });

  test('the launcher with tipoLogeo=f shows the e.firma first; both log-ins come back to the frame', async () => {
    const page = await follow(createBrowser(), await createBrowser().get(launcher('c')));
    expect(isCiecPage(page)).toBe(true);
    const framed = await visitByFiel(simulador, createBrowser(), launcher('f'), RFC);
    expect(frameOf(framed)).toContain('/rfcampc/app/seg/SessionBroker?');
  });

  test('an assertion is good once and at its own host only', async () => {
    const browser = createBrowser();
    await visitByCiec(simulador, browser, `${base}/login/nidp/app/login?id=ptsc-ciec`, RFC);
    const answer = await sendForm(browser, await browser.get(broker()));
    const { action, fields } = readForm(answer, 'form');
    const elsewhere = await createBrowser().post(`${base}/agr/cloudc/saml2/sp/acs/post`, fields);
    expect(elsewhere.status).toBe(403);
    expect((await createBrowser().post(action, fields)).text).toContain('Reimpresión de Acuses');
    expect((await createBrowser().post(action, fields)).status).toBe(403);
  });

  test('a RelayState that leads elsewhere is not followed', async () => {
    const browser = createBrowser();
    await visitByCiec(simulador, browser, `${base}/login/nidp/app/login?id=ptsc-ciec`, RFC);
    const answer = await sendForm(browser, await browser.get(broker()));
    const { action, fields } = readForm(answer, 'form');
    const landed = await browser.post(action, { ...fields, RelayState: '//example.com/' });
    expect(landed.url).toBe(tramite());
  });
});

describe('the application', () => {
  test('has no constancia before the button was pressed', async () => {
    const { browser } = await reprintPage();
    const { text, headers } = await browser.get(pdfAddress());
    expect(headers.get('content-type')).toContain('text/html');
    expect(text).toContain('No hay una constancia generada');
  });

  test('refuses the view state of an older page', async () => {
    const { browser, page } = await reprintPage();
    await browser.get(tramite());
    const { text } = await press(browser, page);
    expect(text).toContain('javax.faces.application.ViewExpiredException');
    expect((await browser.get(pdfAddress())).text).toContain('No hay una constancia generada');
  });

  test('forgets a browser after 20 idle minutes: pages lead to the log-in, partial requests are redirected', async () => {
    const { browser, page } = await reprintPage();
    simulador.world.clock.advance(21 * 60_000);
    const partial = await press(browser, page);
    expect(partial.text).toMatch(/<partial-response><redirect url="[^"]+ConsultaTramite\.jsf">/);
    const pdf = await browser.get(pdfAddress());
    expect(pdf.text).toContain('name="SAMLRequest"');
    expect(isCiecPage(await follow(browser, pdf))).toBe(true);
  });

  test('a code fault shows a message in place of the constancia', async () => {
    const { browser, page } = await reprintPage();
    const fault = { service: 'rfcampc', operation: 'GenerarConstancia', rfc: RFC } as const;
    simulador.world.faults.add({ ...fault, kind: 'code', mensaje: 'Servicio <no> disponible', times: 1 });
    const { text } = await press(browser, page);
    expect(text).toContain('ui-messages-error-detail">Servicio &lt;no&gt; disponible<');
    expect((await browser.get(pdfAddress())).text).toContain('No hay una constancia generada');
  });
});

test('the site logs out', async () => {
  const browser = createBrowser();
  const home = await visitByCiec(
    simulador,
    browser,
    `${base}/wwwmat/app/seg/cont/accesoC?url=/buzon&idSessionBit=0`,
    RFC,
  );
  expect(home.text).toContain('Mis expedientes');
  await browser.get(`${base}/wwwmat/app/seg/cerrarSesion`);
  expect((await browser.get(`${base}/wwwmat/buzon`)).text).toContain('name="SAMLRequest"');
});

test.each(['//example.com', 'https://example.com/', '/cs/Satellite'])(
  'the launcher does not lead to %s',
  async (url) => {
    const browser = createBrowser();
    const gate = `${base}/wwwmat/app/seg/cont/accesoC?url=${encodeURIComponent(url)}`;
    expect((await visitByCiec(simulador, browser, gate, RFC)).url).toBe(`${base}/wwwmat/buzon`);
    expect((await browser.raw(gate)).headers.get('location')).toBe(`${base}/wwwmat/buzon`);
  },
);
