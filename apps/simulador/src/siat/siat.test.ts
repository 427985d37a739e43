import { load } from 'cheerio';
import { describe, expect, test } from 'vitest';
import { startForTests } from '../testing/start-for-tests.ts';
import { NO_ENCONTRADA } from './siat.ts';

const MORAL = 'EKU9003173C9';
const FISICA = 'ROPL900909ZZ2';

const simulador = await startForTests();

async function page(rfc: string, idCif: string, d1 = '10'): Promise<{ status: number; text: string }> {
  const query = `D1=${d1}&D2=1&D3=${idCif}_${encodeURIComponent(rfc)}`;
  const response = await fetch(`${simulador.url}/siat/app/qr/faces/pages/mobile/validadorqr.jsf?${query}`);
  return { status: response.status, text: await response.text() };
}

/** Labels and values by the two attributes that python-satcfdi reads them by. */
function readPairs(html: string): (readonly [string, string])[] {
  const $ = load(html);
  const labels = $('span[style="font-weight: bold;"]').toArray();
  const values = $('td[role="gridcell"][style="text-align:left;"]').toArray();
  expect(values.length).toBe(labels.length);
  return labels.map((label, i) => [$(label).text(), $(values[i]).text()] as const);
}

describe('the page behind the QR code', () => {
  test('shows a legal person with labels, abbreviated capital regime and dd-mm-yyyy dates', async () => {
    const perfil = simulador.world.taxpayers.profile(MORAL);
    const pairs = Object.fromEntries(readPairs((await page(MORAL, perfil.idCif)).text));
    expect(pairs).toMatchObject({
      'Denominación o Razón Social:': perfil.nombre,
      'Situación del contribuyente:': 'ACTIVO',
      'Fecha de constitución:': perfil.fechaConstitucion?.split('-').reverse().join('-'),
      'Fecha de Inicio de operaciones:': expect.stringMatching(/^\d{2}-\d{2}-\d{4}$/),
      'Entidad Federativa:': perfil.domicilio.entidad,
      'CP:': perfil.domicilio.cp,
      'Régimen:': perfil.regimenes[0]?.nombre,
    });
    expect(pairs['Régimen de capital:']).toMatch(/^S[A ]/);
    expect(pairs).not.toHaveProperty('CURP:');
  });

  test('shows a natural person, and each of its regimes with its date in the fifth table', async () => {
    const perfil = simulador.world.taxpayers.profile(FISICA);
    expect(perfil.regimenes).toHaveLength(2);
    const { text } = await page(FISICA, perfil.idCif);
    const pairs = readPairs(text);
    expect(Object.fromEntries(pairs)).toMatchObject({
      'CURP:': perfil.curp,
      'Nombre:': perfil.nombres,
      'Apellido Paterno:': perfil.apellidoPaterno,
      'Apellido Materno:': perfil.apellidoMaterno,
    });
    const $ = load(text);
    const table = $('tbody[class="ui-datatable-data ui-widget-content"]').eq(4);
    const values = table.find('td[style="text-align:left;"]').toArray();
    expect(values.map((value) => $(value).text())).toEqual(
      perfil.regimenes.flatMap(({ nombre, desde }) => [nombre, desde.split('-').reverse().join('-')]),
    );
  });

  test('shows the locality of an address without colonia, and escapes markup', async () => {
    const rfc = 'GOMA850505QX1';
    const domicilio = { colonia: '', localidad: 'EL <SALTO> & "CAÑÓN"' };
    simulador.world.taxpayers.change(rfc, { perfil: { domicilio } });
    const { idCif } = simulador.world.taxpayers.profile(rfc);
    const { text } = await page(rfc, idCif);
    const pairs = Object.fromEntries(readPairs(text));
    expect(pairs['Localidad:']).toBe(domicilio.localidad);
    expect(pairs).not.toHaveProperty('Colonia:');
    expect(text).not.toContain('<SALTO>');
  });

  test.each([
    ['another idCIF', MORAL, '99999999999', '10'],
    ['a text that is no RFC', 'NADIE', '12345678901', '10'],
    ['another kind of code', MORAL, 'own', '26'],
  ])('says with HTTP 200 that it knows nothing of %s', async (_, rfc, idCif, d1) => {
    const asked = idCif === 'own' ? simulador.world.taxpayers.profile(MORAL).idCif : idCif;
    const { status, text } = await page(rfc, asked, d1);
    expect(status).toBe(200);
    expect(load(text)('span.ui-messages-info-detail').text()).toBe(NO_ENCONTRADA);
    expect(load(text)('td[role="gridcell"]')).toHaveLength(0);
  });
});
