import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEtiquetas } from '../paginas/etiquetas.ts';
import { errorOf, RFC } from '../testing/canal-de-prueba.ts';
import { type Ptsc, send, startPtsc } from '../testing/ptsc-de-prueba.ts';
import { readComunicados } from './listar-comunicados.ts';
import { type ComunicadoDePrueba, paginaComunicados, paginaMarco } from './testing/buzon-de-prueba.ts';

const DOMINIOS = {
  login: 'login.siat.sat.gob.mx',
  wwwmat: 'wwwmat.sat.gob.mx',
  aplicacionesc: 'aplicacionesc.mat.sat.gob.mx',
};
const PUERTA = { regreso: '/acs', inicio: '/iniciar-expediente/mis-comunicados/' };
const MARCO = { regreso: '/acs', inicio: '/WebComunicados/Comunicados.aspx' };

async function setUp(
  pagina: string,
  { marco = paginaMarco(), quien = 'marco' }: { marco?: string; quien?: 'marco' | 'puerta' } = {},
) {
  const guion = { pagina, marco };
  const ptsc = await startPtsc({
    acceso: 'login',
    protegidos: quien === 'marco' ? { aplicacionesc: MARCO } : { wwwmat: PUERTA, aplicacionesc: MARCO },
    dominios: DOMINIOS,
    responder(paso, res) {
      if (paso.host === 'wwwmat' && paso.camino === PUERTA.inicio) send(res, guion.marco);
      if (paso.host === 'aplicacionesc' && paso.camino === MARCO.inicio) send(res, guion.pagina);
    },
  });
  return { guion, ptsc };
}

function ask(
  { canal, ciec, efirma }: Ptsc,
  tipo: 'ciec' | 'efirma' = 'efirma',
  desde = '2026-08-01',
  hasta = '2026-09-30',
) {
  const credencial = tipo === 'ciec' ? ciec : efirma;
  return canal.send({ consulta: 'listar-comunicados', rfc: RFC, desde, hasta }, credencial, {
    signal: new AbortController().signal,
  });
}

const UNO: ComunicadoDePrueba = {
  fecha: '01/sep/2026 16:22 hrs',
  asunto: 'Registro de medios de contacto A&B <script>x()</script>',
};
const DOS: ComunicadoDePrueba = { fecha: '31/ago/2026 09:05 hrs', asunto: 'Respuesta al registro' };
const VIEJO: ComunicadoDePrueba = { fecha: '26/nov/2018 19:21 hrs', asunto: 'Bienvenida al buzón' };
const leer = (html: string) => readComunicados(readEtiquetas(html), RFC);
const ilegible = (html: string) => expect(() => leer(html), html.slice(-80)).toThrow('RESPUESTA_ILEGIBLE');

describe('listar-comunicados', () => {
  it.each([
    ['ciec', 'marco'],
    ['efirma', 'marco'],
    ['ciec', 'puerta'],
    ['efirma', 'puerta'],
  ] as const)('lists those of the period with %s when the %s asks to log in, newest first', async (tipo, quien) => {
    const { ptsc } = await setUp(paginaComunicados([DOS, UNO], [VIEJO]), { quien });
    expect(await ask(ptsc, tipo)).toEqual({
      comunicados: [
        {
          id: expect.stringMatching(/^[0-9a-f]{32}$/),
          asunto: 'Registro de medios de contacto A&B',
          fecha: '2026-09-01',
          leido: false,
        },
        {
          id: expect.stringMatching(/^[0-9a-f]{32}$/),
          asunto: 'Respuesta al registro',
          fecha: '2026-08-31',
          leido: false,
        },
      ],
    });
    expect(await ask(ptsc, tipo, '2018-11-26', '2018-11-26')).toEqual({
      comunicados: [expect.objectContaining({ fecha: '2018-11-26', leido: true })],
    });
    expect(ptsc.accesos()).toBe(1);
    const pedidas = ptsc.pasos.filter((p) => p.host === 'aplicacionesc' && p.camino !== '/acs');
    expect(new Set(pedidas.map((p) => `${p.metodo} ${p.camino}`))).toEqual(new Set([`GET ${MARCO.inicio}`]));
  });

  it('keeps the id of a communiqué when it is read or others come, and tells equal ones apart', () => {
    const antes = leer(paginaComunicados([DOS, UNO], []));
    const despues = leer(paginaComunicados([{ ...UNO, fecha: '02/sep/2026 08:00 hrs' }, UNO], [DOS, VIEJO]));
    const idDe = (lista: typeof antes, asunto: string, fecha: string) =>
      lista.find((c) => c.asunto === asunto && c.fecha === fecha)?.id;
    expect(idDe(despues, DOS.asunto, '2026-08-31')).toBe(idDe(antes, DOS.asunto, '2026-08-31'));
    expect(new Set(leer(paginaComunicados([DOS, DOS], [DOS])).map((c) => c.id)).size).toBe(3);
    expect(readComunicados(readEtiquetas(paginaComunicados([DOS], [])), 'XIQB891116QE4')[0]?.id).not.toBe(antes[0]?.id);
  });

  it('logs in anew once when the session is gone, and says so when it is gone again', async () => {
    const { ptsc } = await setUp(paginaComunicados([UNO], []));
    await ask(ptsc);
    ptsc.expire('todas');
    expect((await ask(ptsc)).comunicados).toHaveLength(1);
    expect(ptsc.accesos()).toBe(2);
  });

  it('takes an empty mailbox, and no other page for one', async () => {
    const { guion, ptsc } = await setUp(paginaComunicados([], []));
    expect(await ask(ptsc)).toEqual({ comunicados: [] });
    for (const pagina of ['<html><body>Error interno</body></html>', '', 'x'.repeat(20 * 1024 * 1024)]) {
      guion.pagina = pagina;
      expect(await errorOf(ask(ptsc))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    }
  });

  it.each([
    '<html><body>sin marco</body></html>',
    '<html><body><iframe id="iframetoload" src="https://wwwmat.sat.gob.mx/otra"></iframe></body></html>',
    '<html><body><p>RFC: XIQB891116QE4</p><iframe id="iframetoload" src="https://aplicacionesc.mat.sat.gob.mx/WebComunicados/Comunicados.aspx"></iframe></body></html>',
  ])('does not go on from %s', async (marco) => {
    const { ptsc } = await setUp(paginaComunicados([UNO], []), { marco });
    expect(await errorOf(ask(ptsc))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('does not follow the frame to another host', async () => {
    const { ptsc } = await setUp(paginaComunicados([UNO], []), {
      marco: '<html><body><iframe id="iframetoload" src="https://malo.example/WebComunicados/"></iframe></body></html>',
    });
    expect(await errorOf(ask(ptsc))).toMatchObject({ motivo: 'HOST_NO_PERMITIDO' });
  });
});

describe('readComunicados', () => {
  it.each([
    ['months by number or whole name, and seconds', '05/9/2026 01:02 hrs', '2026-09-05T01:02:00'],
    ['the month with a full stop', '05/Sept./2026 1:02:03 hr.', '2026-09-05T01:02:03'],
    ['the whole month', '05/septiembre/2026 01:02 hrs.', '2026-09-05T01:02:00'],
    ['setiembre', '05/set/2026 01:02 hrs', '2026-09-05T01:02:00'],
  ])('reads %s', (_nombre, fecha, momento) => {
    expect(leer(paginaComunicados([{ fecha, asunto: 'a' }], []))[0]?.momento).toBe(momento);
  });

  it('reads the cells of a row as one line, and the sections in any order', () => {
    const html = `<html><body><h2>Mensajes leídos (0)</h2><h2>Mensajes no leídos (2)</h2><table>
<tr><td>+</td><td>01/sep/2026 16:22 hrs</td><td><b>Primero</b></td></tr></table>
<div>01/sep/2026 16:23 hrs <span>Segundo</span></div></body></html>`;
    expect(leer(html).map((c) => [c.asunto, c.leido])).toEqual([
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
          for (const { momento } of leer(html.slice(0, donde) + basura + html.slice(donde)))
            expect(momentos).toContain(momento);
        } catch (error) {
          expect(error).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
        }
      }),
    );
  });
});
