import { describe, expect, it } from 'vitest';
import { pagePostIt, paginaAcceso, paginaPortal } from '../testing/paginas-de-prueba.ts';
import { readTags } from './etiquetas.ts';
import { isSesionCerrada, readJump, readLoggedInRfc } from './pagina-portal.ts';

const rfcDe = (html: string) => readLoggedInRfc(readTags(html));
const saltoDe = (html: string) => readJump(readTags(html));

describe('readLoggedInRfc', () => {
  it.each(['EKU9003173C9', 'H&E951128469', 'OÑO120726RX3', 'XIQB891116QE4'])('reads %s', (rfc) => {
    expect(rfcDe(paginaPortal(rfc, './', ''))).toBe(rfc);
  });

  it('believes only the element that shows it', () => {
    expect(rfcDe(paginaPortal(null, './', '<p>RFC Autenticado: EKU9003173C9</p>'))).toBeNull();
    expect(rfcDe(paginaPortal('', './', ''))).toBeNull();
    expect(rfcDe('<span id="ctl00_LblRfcAutenticado">RFC Autenticado: EKU9003173C99</span>')).toBeNull();
    expect(rfcDe('')).toBeNull();
  });
});

describe('readJump', () => {
  it('reads the form of WS-Federation with its fields decoded', () => {
    expect(saltoDe(pagePostIt('https://x/', { wa: 'wsignin1.0', wresult: `<a b="c">&'` }))).toEqual({
      metodo: 'POST',
      destino: 'https://x/',
      campos: new Map([
        ['wa', 'wsignin1.0'],
        ['wresult', `<a b="c">&'`],
      ]),
    });
  });

  it('reads a form that the body submits when loaded', () => {
    const html =
      '<body onload="document.forms[0].submit()"><form method=post action="/b"><input type=hidden name=SAMLRequest value=x><noscript><input type=submit></noscript></form>';
    expect(saltoDe(html)).toEqual({ metodo: 'POST', destino: '/b', campos: new Map([['SAMLRequest', 'x']]) });
  });

  it('reads a refresh', () => {
    const html = '<meta HTTP-EQUIV="refresh" content="1;URL=/nidp/app?a=1&amp;b=2">';
    expect(saltoDe(html)).toEqual({ metodo: 'GET', destino: '/nidp/app?a=1&b=2' });
  });

  it('does not press buttons: a page of the portal, a log-in page, or a form that no script sends', () => {
    expect(
      saltoDe(paginaPortal('EKU9003173C9', './', '<input type="hidden" name="__VIEWSTATE" value="x">')),
    ).toBeNull();
    expect(saltoDe(paginaAcceso('X'))).toBeNull();
    expect(saltoDe('<form method="POST" action="/borrar"><input type="hidden" name="a" value="b"></form>')).toBeNull();
    expect(saltoDe('<meta http-equiv="refresh" content="90">')).toBeNull();
    // In a time that grows with the length, not with its square.
    expect(saltoDe(`<meta http-equiv="refresh" content="${' '.repeat(1_000_000)}x">`)).toBeNull();
    const jsf = '<input type="hidden" name="javax.faces.ViewState" value="x">';
    expect(
      saltoDe(`<form method="POST" action="/b">${jsf}</form><script>document.forms[0].submit()</script>`),
    ).toBeNull();
  });
});

describe('isSesionCerrada', () => {
  it('knows the good-bye of the portal, and not its log-out link', () => {
    expect(isSesionCerrada('…?ru=https%3A%2F%2Fportalcfdi%2Flogout.aspx%3Fsalir%3Dy')).toBe(true);
    expect(isSesionCerrada('Su sesi&oacute;n se esta cerrando...')).toBe(true);
    expect(isSesionCerrada(paginaPortal('EKU9003173C9', './', ''))).toBe(false);
  });
});
