import { SatError } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readQrPage } from './consultar-constancia-qr.ts';

const RFC = 'ÑUÑM850101AB1';
const ID_CIF = '12345678901';

type Pares = readonly (readonly [string, string])[];

const FISICA: Pares = [
  ['CURP:', 'XUXM850101MGTRMR09'],
  ['Nombre:', 'MARÍA DE LOS ÁNGELES'],
  ['Apellido Paterno:', 'NUÑEZ'],
  ['Apellido Materno:', 'MUÑOZ'],
  ['Fecha Nacimiento:', '01-01-1985'],
  ['Fecha de Inicio de operaciones:', '03-11-2004'],
  ['Situación del contribuyente:', 'ACTIVO'],
  ['Fecha del último cambio de situación:', '04-11-2004'],
];
const MORAL: Pares = [
  ['Denominación o Razón Social:', 'MÉXICO & ÑANDÚES'],
  ['Régimen de capital:', 'SA DE CV'],
  ['Fecha de constitución:', '01-02-2003'],
  ['Fecha de Inicio de operaciones:', '01-02-2003'],
  ['Situación del contribuyente:', 'CANCELADO POR DEFUNCIÓN'],
  ['Fecha del último cambio de situación:', ''],
];
const UBICACION: Pares = [
  ['Entidad Federativa:', 'CIUDAD DE MEXICO'],
  ['Municipio o delegación:', 'IZTAPALAPA'],
  ['Colonia:', 'LA COLONIA'],
  ['Tipo de vialidad:', 'CALLE'],
  ['Nombre de la vialidad:', 'BENITO JUAREZ'],
  ['Número exterior:', '183'],
  ['Número interior:', ''],
  ['CP:', '09000'],
  ['Correo electrónico:', ''],
  ['AL:', 'CIUDAD DE MEXICO 3'],
];
const REGIMENES: Pares = [
  ['Régimen:', 'Régimen de Incorporación Fiscal'],
  ['Fecha de alta:', '01-01-2014'],
  ['Régimen:', 'Régimen de los Asuntos Nuevos'],
  ['Fecha de alta:', ''],
];

const escapeText = (texto: string) => texto.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function pagina(secciones: readonly Pares[], rfc = RFC): string {
  const lista = secciones.map(
    (pares, i) => `
      <ul id="ubicacionForm:j_idt10:${i}:j_idt11" data-role="listview"><li data-role="list-divider">Sección ${i}</li><li>
      <table class="ui-panelgrid" role="grid"><tbody><tr class="ui-widget-content" role="row"><td role="gridcell">
      <div class="ui-datatable"><table role="grid"><thead><tr role="row"><th role="columnheader"><span></span></th></tr></thead>
      <tbody class="ui-datatable-data ui-widget-content">${pares
        .map(
          ([etiqueta, valor]) => `<tr class="ui-widget-content" role="row"><td role="gridcell"><span
            style="font-weight: bold;">${escapeText(etiqueta)}</span></td>
            <td role="gridcell" style="text-align:left;">${valor}</td></tr>`,
        )
        .join('')}</tbody></table></div><script>PrimeFaces.cw('DataTable', '<td>');</script></td></tr>
      <tr class="ui-widget-content" role="row"><td role="gridcell"></td></tr></tbody></table></li></ul>`,
  );
  return `<?xml version="1.0" encoding="UTF-8" ?><!DOCTYPE html><html><head><title>Validador QR</title></head><body>
    <form id="ubicacionForm" method="post"><ul><li>El RFC: ${escapeText(rfc)}, tiene asociada la siguiente informaci&oacute;n.</li></ul>
    ${lista.join('')}</form></body></html>`;
}

const SIN_INFORMACION = `<html><body><form id="ubicacionForm"><div class="ui-messages-info ui-corner-all"><ul><li>
  <span class="ui-messages-info-summary"></span><span class="ui-messages-info-detail">No se encontró información de la
  cédula de identificación fiscal para los datos proporcionados</span></li></ul></div></form></body></html>`;

const ENTERA = pagina([FISICA, UBICACION, REGIMENES]);
const read = (html: string, rfc = RFC) => readQrPage(html, rfc, ID_CIF);

function refusal(html: string, rfc = RFC): string {
  try {
    read(html, rfc);
  } catch (error) {
    if (error instanceof SatError && error.motivo === 'RESPUESTA_ILEGIBLE') return error.message;
    throw error;
  }
  throw new Error('expected a SatError');
}

const conCambio = (etiqueta: string, valor: string | null): string =>
  pagina(
    [FISICA, UBICACION, REGIMENES].map((pares) =>
      pares.flatMap((par) => (par[0] === etiqueta ? (valor === null ? [] : [[etiqueta, valor] as const]) : [par])),
    ),
  );

describe('readQrPage', () => {
  it('reads a natural person', () => {
    expect(read(ENTERA)).toEqual({
      rfc: RFC,
      idCif: ID_CIF,
      curp: 'XUXM850101MGTRMR09',
      nombre: 'MARÍA DE LOS ÁNGELES NUÑEZ MUÑOZ',
      estatus: 'ACTIVO',
      fechaInicioOperaciones: '2004-11-03',
      fechaUltimoCambio: '2004-11-04',
      domicilio: {
        calle: 'CALLE BENITO JUAREZ 183',
        colonia: 'LA COLONIA',
        municipio: 'IZTAPALAPA',
        estado: 'CIUDAD DE MEXICO',
        cp: '09000',
      },
      regimenes: [
        { clave: '621', nombre: 'Régimen de Incorporación Fiscal', desde: '2014-01-01' },
        { clave: null, nombre: 'Régimen de los Asuntos Nuevos', desde: null },
      ],
      obligaciones: null,
    });
  });

  it('reads a legal person, whose name is escaped', () => {
    const moral = MORAL.map(([etiqueta, valor]) => [etiqueta, escapeText(valor)] as const);
    expect(read(pagina([moral, UBICACION, REGIMENES], 'H&E951128469'), 'h&e951128469')).toMatchObject({
      rfc: 'H&E951128469',
      curp: null,
      nombre: 'MÉXICO & ÑANDÚES',
      estatus: 'CANCELADO',
      fechaUltimoCambio: null,
    });
  });

  it('gives no locality for a colonia', () => {
    const sinColonia = UBICACION.map(([etiqueta, valor]) =>
      etiqueta === 'Colonia:' ? (['Localidad:', 'LA LOCALIDAD'] as const) : ([etiqueta, valor] as const),
    );
    expect(read(pagina([FISICA, sinColonia, REGIMENES]))).toMatchObject({ domicilio: { colonia: '' } });
  });

  it('does not depend on the order of rows and sections', () => {
    const filas = [...FISICA, ...UBICACION];
    const entera = read(ENTERA);
    fc.assert(
      fc.property(fc.shuffledSubarray(filas, { minLength: filas.length }), (shuffled) => {
        expect(read(pagina([REGIMENES, shuffled]))).toEqual(entera);
      }),
    );
  });

  it('says "not found" only in the words of the page', () => {
    expect(read(SIN_INFORMACION)).toBeNull();
    refusal(SIN_INFORMACION.replace('No se encontró información', 'El servicio no está disponible'));
    refusal(SIN_INFORMACION.replace('ui-messages-info-detail', 'pie'));
    refusal(SIN_INFORMACION.replace('</html>', ''));
    refusal(ENTERA.replace('</form>', `${SIN_INFORMACION.replace('</html>', '')}</form>`));
    refusal('<html><body>No se encontró información de la cédula de identificación fiscal</body></html>');
  });

  it('takes no page that is cut, wherever it is', { timeout: 120_000 }, () => {
    for (let length = 0; length <= ENTERA.length - '</html>'.length; length += 1) refusal(ENTERA.slice(0, length));
  });

  it.each([
    ['another RFC', pagina([FISICA, UBICACION, REGIMENES], 'XIQB891116QE4')],
    ['no RFC', ENTERA.replace('El RFC:', 'La clave:')],
    ['no name', conCambio('Nombre:', null)],
    ['an empty name', conCambio('Nombre:', '')],
    ['no address', pagina([FISICA, REGIMENES])],
    ['no regimes', pagina([FISICA, UBICACION])],
    ['an unknown situation', conCambio('Situación del contribuyente:', 'EN TRÁMITE')],
    ['an impossible date', conCambio('Fecha de Inicio de operaciones:', '31-02-2004')],
    ['a field twice', pagina([FISICA, [...UBICACION, ['CP:', '01000']], REGIMENES])],
    ['half a postal code', conCambio('CP:', '9000')],
    ['a script in a name', conCambio('Nombre:', 'ANA <script>alert(1)</script>')],
    ['markup in a name', conCambio('Nombre:', 'ANA <img src=x onerror=alert(1)>')],
    ['a comment in a name', conCambio('Nombre:', 'ANA <a href="x">MARIA</a>')],
    ['two names', pagina([FISICA, MORAL, UBICACION, REGIMENES])],
    ['garbled letters', Buffer.from(ENTERA, 'utf8').toString('latin1')],
    ['lost letters', Buffer.from(ENTERA, 'latin1').toString('utf8')],
  ])('refuses a page with %s', (_what, html) => {
    refusal(html);
  });

  it('gives a name back as it is written, whatever is in it', () => {
    expect(read(conCambio('Nombre:', escapeText('<script>alert("1 & 2")</script>')))?.nombre).toBe(
      '<script>alert("1 & 2")</script> NUÑEZ MUÑOZ',
    );
  });

  it('takes any text without falling', () => {
    const trozo = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '<td>',
      '</td>',
      '<tr>',
      '<table>',
      '<!--',
      'RFC:',
      '&',
      '</html>',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(trozo, fc.string())), fc.nat(ENTERA.length), (trozos, at) => {
        refusal(trozos.join(''));
        try {
          read(ENTERA.slice(0, at) + trozos.join('') + ENTERA.slice(at));
        } catch (error) {
          expect(error).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
        }
      }),
      { numRuns: 200 },
    );
  });
});
