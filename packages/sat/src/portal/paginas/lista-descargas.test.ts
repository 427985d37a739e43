import { SatError } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CAMPO_FOLIO, CAMPO_URL, readListaDescargas } from '../consultas/descargas.ts';
import { contenidoDescargas, paginaPortal } from '../testing/paginas-de-prueba.ts';

const folio = fc.uuid().map((uuid) => uuid.toUpperCase());
const url = fc.base64String({ minLength: 4, maxLength: 60 });
const offer = fc.record({ folio, url, registros: fc.nat(3_000_000) });
const pagina = (contenido: string) => paginaPortal('EKU9003173C9', './ConsultaDescargaMasiva.aspx', contenido);

describe('readListaDescargas', () => {
  it('reads every package with its opaque address and its count', () => {
    fc.assert(
      fc.property(fc.uniqueArray(offer, { selector: (o) => o.folio, maxLength: 12 }), (offers) => {
        const lista = readListaDescargas(pagina(contenidoDescargas(offers, 'v')));
        expect(lista.descargas).toEqual(offers);
        expect(lista.campos.get('__VIEWSTATE')).toBe('v');
        expect([lista.campos.get(CAMPO_FOLIO), lista.campos.get(CAMPO_URL)]).toEqual(['', '']);
      }),
    );
  });

  it('reads calls in a script, and each package once', () => {
    const call = "AccionRetencion('7c8d02b2-91a6-4ae0-801d-f05d5027939c','dXJs','Recuperacion')";
    const html = pagina(
      `${contenidoDescargas([], 'v')}<script>${call}\n${call}</script><a href="javascript:${call}">x</a>`,
    );
    expect(readListaDescargas(html).descargas).toEqual([
      { folio: '7C8D02B2-91A6-4AE0-801D-F05D5027939C', url: 'dXJs', registros: null },
    ]);
  });

  it('reads no count from a column that is not the count', () => {
    const html = contenidoDescargas([{ folio: '7C8D02B2-91A6-4AE0-801D-F05D5027939C', url: 'x', registros: 7 }], 'v');
    for (const heading of ['Tamaño', 'Fecha de la solicitud']) {
      const [descarga] = readListaDescargas(pagina(html.replace('Cantidad de documentos', heading))).descargas;
      expect(descarga?.registros).toBeNull();
    }
    for (const valor of ['7 MB', '1,23', '-7', '9'.repeat(20)]) {
      const [descarga] = readListaDescargas(pagina(html.replace('>7<', `>${valor}<`))).descargas;
      expect(descarga?.registros).toBeNull();
    }
  });

  it.each([
    ['another page', '<p>Inicio</p>'],
    ['one hidden field only', `<input type="hidden" name="${CAMPO_FOLIO}" />`],
    ['a call with other arguments', `${contenidoDescargas([], 'v')}<a onclick="AccionRetencion('1','2','3')">`],
  ])('refuses %s', (_name, contenido) => {
    expect(() => readListaDescargas(pagina(contenido))).toThrow(SatError);
  });

  it('never invents a package, however the page was cut', () => {
    fc.assert(
      fc.property(fc.array(offer, { maxLength: 4 }), fc.nat(), (offers, at) => {
        const html = pagina(contenidoDescargas(offers, 'v'));
        try {
          for (const { folio: f, url: u } of readListaDescargas(html.slice(0, at % html.length)).descargas) {
            expect(offers.some((o) => o.folio === f && o.url === u)).toBe(true);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(SatError);
        }
      }),
    );
  });
});
