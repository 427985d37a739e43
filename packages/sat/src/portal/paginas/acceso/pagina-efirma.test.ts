import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagePostIt, paginaAcceso, paginaEfirma } from '../../testing/paginas-de-prueba.ts';
import { readTags } from '../etiquetas.ts';
import { isPaginaEfirma, readAcceso, readEfirmaPage, readScriptJump } from '../pagina-acceso.ts';
import { readJump } from '../pagina-portal.ts';

const read = (html: string) => readEfirmaPage(readTags(html));

describe('the log-in page of the e.firma', () => {
  it('gives its challenge and the fields that the page filled in', () => {
    const pagina = read(paginaEfirma('reto-1'));
    expect(pagina?.guid).toBe('reto-1');
    expect(Object.fromEntries(pagina?.campos ?? [])).toMatchObject({ credentialsRequired: 'CERT', ks: 'null' });
    expect(pagina?.accion).toBe('');
  });

  it('is known by its fields too, whatever the form is called', () => {
    const html = paginaEfirma('reto-1').replace('id="certform"', 'id="otro" action="/nidp/x"');
    expect(read(html)).toMatchObject({ guid: 'reto-1' });
    expect(read(paginaEfirma('r').replace('certform"', 'CertForm"'))?.guid).toBe('r');
  });

  it('is not sent by itself, although it has only hidden fields and a script that submits', () => {
    expect(readJump(readTags(paginaEfirma('reto-1')))).toBeNull();
    expect(readJump(readTags(pagePostIt('/x', { a: '1' })))).not.toBeNull();
  });

  it('is no other page', () => {
    expect(read(paginaAcceso('ABC123'))).toBeNull();
    expect(read(pagePostIt('/x', { guid: '1' }))).toBeNull();
    expect(isPaginaEfirma(readTags('<form id="certform"></form>'))).toBe(true);
  });

  it.each(['', 'a b', 'a|b', '\u0000', 'x'.repeat(513)])('is unreadable with the challenge %j', (guid) => {
    expect(() => read(paginaEfirma(guid))).toThrow('RESPUESTA_ILEGIBLE');
  });

  it('and the one of the CIEC are read in time whatever is in them', () => {
    const n = 100_000;
    for (const hostile of [
      `<script>${"#buttonFiel').click(".repeat(n / 10)}</script>`,
      `<script>${'window.location='.repeat(n / 10)}</script>`,
      `<script>window.location.href = "${'a'.repeat(n)}</script>`,
      `<form id=certform>${'<input name=guid value=x>'.repeat(5_000)}</form>`,
      `<script>var error = '${'\\'.repeat(n)}</script>${paginaAcceso('A')}`,
    ]) {
      const etiquetas = readTags(hostile);
      for (const reader of [readAcceso, readEfirmaPage, readScriptJump, readJump]) {
        try {
          reader(etiquetas);
        } catch (error) {
          expect(error).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
        }
      }
    }
  });

  it('never makes a reader fail in another way', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom('<form id="certform">', '</form>', '<input name="guid" value="', '">', '<script>'),
            fc.constantFrom('window.location.href="', 'Ecom_User_ID', '<img src="data:image/png;base64,', '<div id='),
            fc.string({ unit: 'binary', maxLength: 20 }),
          ),
          { maxLength: 30 },
        ),
        (parts) => {
          const etiquetas = readTags(parts.join(''));
          for (const reader of [readAcceso, readEfirmaPage, readScriptJump]) {
            try {
              reader(etiquetas);
            } catch (error) {
              expect(error).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
            }
          }
        },
      ),
    );
  });
});

describe('a page that only a script leaves', () => {
  const salto = (html: string) => readScriptJump(readTags(html));

  it.each([
    [`<script>window.location.href = "https://a/b?c=1&amp;d=2";</script>`, 'https://a/b?c=1&d=2'],
    [`<html><script>setTimeout(function(){ top.location.href='/nidp/x'; }, 10);</script></html>`, '/nidp/x'],
    [`<p>Redirigiendo...</p><script>document.location='/y'</script>`, '/y'],
    [`<script>window.location.replace("/z?a=1&amp;b=2");</script>`, '/z?a=1&b=2'],
    [`<script>location.assign ( '/z' )</script>`.replace('assign (', 'assign('), '/z'],
  ])('says where to: %s', (html, destino) => {
    expect(salto(html)).toBe(destino);
  });

  it.each([
    `<script>var destino = "/x";</script>`,
    `<form></form><script>window.location.href="/x"</script>`,
    `<p>${'Texto para personas. '.repeat(40)}</p><script>window.location.href="/x"</script>`,
    `window.location.href="/x"`,
  ])('is none: %s', (html) => {
    expect(salto(html)).toBeNull();
  });
});
