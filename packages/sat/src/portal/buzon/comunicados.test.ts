import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTags } from '../paginas/etiquetas.ts';
import { readComunicados } from './listar-comunicados.ts';
import { type ComunicadoDePrueba, paginaComunicados } from './testing/buzon-de-prueba.ts';

const RFC = 'EKU9003173C9';
const UNO: ComunicadoDePrueba = {
  fecha: '01/sep/2026 16:22 hrs',
  asunto: 'Registro de medios de contacto A&B <script>x()</script>',
};
const DOS: ComunicadoDePrueba = { fecha: '31/ago/2026 09:05 hrs', asunto: 'Respuesta al registro' };
const VIEJO: ComunicadoDePrueba = { fecha: '26/nov/2018 19:21 hrs', asunto: 'Bienvenida al buzón' };
const read = (html: string) => readComunicados(readTags(html), RFC);
const ilegible = (html: string) => expect(() => read(html), html.slice(-80)).toThrow('RESPUESTA_ILEGIBLE');

describe('readComunicados', () => {
  it('takes an empty mailbox for one', () => {
    expect(read(paginaComunicados([], []))).toEqual([]);
  });

  it('keeps the id of a communiqué when it is read or others come, and tells equal ones apart', () => {
    const antes = read(paginaComunicados([DOS, UNO], []));
    const despues = read(paginaComunicados([{ ...UNO, fecha: '02/sep/2026 08:00 hrs' }, UNO], [DOS, VIEJO]));
    const idDe = (lista: typeof antes, asunto: string, fecha: string) =>
      lista.find((c) => c.asunto === asunto && c.fecha === fecha)?.id;
    expect(idDe(despues, DOS.asunto, '2026-08-31')).toBe(idDe(antes, DOS.asunto, '2026-08-31'));
    expect(new Set(read(paginaComunicados([DOS, DOS], [DOS])).map((c) => c.id)).size).toBe(3);
    expect(readComunicados(readTags(paginaComunicados([DOS], [])), 'XIQB891116QE4')[0]?.id).not.toBe(antes[0]?.id);
  });

  it.each([
    ['months by number or whole name, and seconds', '05/9/2026 01:02 hrs', '2026-09-05T01:02:00'],
    ['the month with a full stop', '05/Sept./2026 1:02:03 hr.', '2026-09-05T01:02:03'],
    ['the whole month', '05/septiembre/2026 01:02 hrs.', '2026-09-05T01:02:00'],
    ['setiembre', '05/set/2026 01:02 hrs', '2026-09-05T01:02:00'],
  ])('reads %s', (_nombre, fecha, momento) => {
    expect(read(paginaComunicados([{ fecha, asunto: 'a' }], []))[0]?.momento).toBe(momento);
  });

  it('reads the cells of a row as one line, and the sections in any order', () => {
    const html = `<html><body><h2>Mensajes leídos (0)</h2><h2>Mensajes no leídos (2)</h2><table>
<tr><td>+</td><td>01/sep/2026 16:22 hrs</td><td><b>Primero</b></td></tr></table>
<div>01/sep/2026 16:23 hrs <span>Segundo</span></div></body></html>`;
    expect(read(html).map((c) => [c.asunto, c.leido])).toEqual([
      ['Primero', false],
      ['Segundo', false],
    ]);
  });

  it('refuses what it cannot read whole', () => {
    const con = (fecha: string, asunto = 'a') => paginaComunicados([{ fecha, asunto }], []);
    ilegible(con('31/feb/2026 10:00 hrs'));
    ilegible(con('01/xyz/2026 10:00 hrs'));
    ilegible(con('01/sep/2026 24:00 hrs'));
    ilegible(con('2026-09-01 10:00'));
    ilegible(con('01/sep/2026'));
    ilegible(con('01/sep/2026 10:00 hrs', ''));
    ilegible(con('01/sep/2026 10:00 hrs', 'uno 02/sep/2026 11:00 hrs dos'));
    ilegible(con('01/sep/2026 10:00 hrs', 'a'.repeat(2000)));
    ilegible(con('01/sep/2026 10:00 hrs', 'Notificaci\uFFFDn'));
    ilegible(paginaComunicados([UNO], []).replace('leídos<', 'leídos (2)<'));
    ilegible(paginaComunicados([UNO], []).replace('Mensajes leídos', 'Mensajes'));
    ilegible(
      paginaComunicados([UNO], []).replace('</body>', `<a href="javascript:__doPostBack('gv','Page$2')">2</a></body>`),
    );
    ilegible(`<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>&b;`);
  });

  it('is an error wherever the page is cut, and never a row that was not there', () => {
    const html = paginaComunicados([UNO, DOS], [VIEJO]);
    for (let corte = 0; corte < html.indexOf('</body>'); corte += 1) ilegible(html.slice(0, corte));
    const momentos = ['2026-09-01T16:22:00', '2026-08-31T09:05:00', '2018-11-26T19:21:00'];
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z <>"'=&;áñ\n]{0,200}$/), fc.nat({ max: html.length }), (basura, donde) => {
        try {
          for (const { momento } of read(html.slice(0, donde) + basura + html.slice(donde)))
            expect(momentos).toContain(momento);
        } catch (error) {
          expect(error).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
        }
      }),
    );
  });
});
