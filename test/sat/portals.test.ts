import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { answered, edited, errorOf, type Mount, refuses, setUp } from './setup.ts';

const ILEGIBLE = { motivo: 'RESPUESTA_ILEGIBLE' };
const PATIENT = { http: { breakerFailures: Number.POSITIVE_INFINITY } };
const redirect = (location: string) => answered(null, { status: 302, headers: { location } });
const day = (iso: string) => Date.parse(`${iso}T00:00:00Z`) / 1000;

describe('listar-retenciones', () => {
  const HOST = 'prodretencioncontribuyente';
  const listar = (m: Mount, ejercicio = 2025, signal = new AbortController().signal) =>
    m.ask({ consulta: 'listar-retenciones', ejercicio }, undefined, { signal });

  /** Rows of 2025, spread over the year or within some seconds of a day. */
  const give = (m: Mount, tipo: 'recibidos' | 'emitidos', cantidad: number, segundos?: number) => {
    const [desde, hasta] = segundos === undefined ? ['2025-01-01', '2025-12-31'] : ['2025-05-05', '2025-05-05'];
    const fila = { documento: 'retenciones', tipo, desde: day(desde), hasta: day(hasta), cantidad, segundos } as const;
    m.world.taxpayers.change(m.rfc, { filas: [fila] });
    return [
      ...m.world.taxpayers.rows(m.rfc, tipo, day('2025-01-01'), day('2026-01-01') - 1, { documento: 'retenciones' }),
    ]
      .map(({ uuid, fechaEmision }) => fechaEmision.slice(0, 10) + uuid)
      .sort();
  };
  const found = async (m: Mount) => (await listar(m)).retenciones.map(({ fecha, uuid }) => fecha + uuid);

  it('asks received ones month by month, issued ones once, also where the choices of the start page lead nowhere', async () => {
    const m = await setUp();
    m.fault(HOST, 'ElegirConsulta', redirect(`/${HOST}/?oculta=1`));
    const rows = give(m, 'recibidos', 12);
    expect(await found(m)).toEqual(rows);
    expect([m.calls('Buscar').length, m.accesos()]).toEqual([13, 1]);
  });

  it('asks received ones day by day where the page takes no month', async () => {
    const m = await setUp();
    const dayNeeded = edited((html) => html.replace(/<option[^>]*value="0"[^>]*>\s*<\/option>/, ''));
    m.fault(HOST, 'AbrirConsulta', dayNeeded);
    const controller = new AbortController();
    m.fault(HOST, 'Buscar', { ...dayNeeded, times: 20 });
    m.fault(HOST, 'Buscar', {
      kind: 'edited',
      edit: (answer) => {
        controller.abort();
        return answer;
      },
    });
    expect(await errorOf(listar(m, 2025, controller.signal))).toMatchObject({ motivo: 'CANCELADA' });
    expect(m.calls('Buscar')).toHaveLength(21);
  });

  it('is let in again without a captcha when the portal forgets the session at a search', async () => {
    const m = await setUp();
    const rows = give(m, 'recibidos', 12);
    m.fault(HOST, 'Buscar', { kind: 'expired', times: 1, after: 5 });
    expect(await found(m)).toEqual(rows);
    expect([m.calls('Buscar').length, m.accesos()]).toEqual([6 + 13, 1]);
  });

  it.each(['recibidos', 'emitidos'] as const)(
    'divides what is capped for %s, down to a second and its states',
    async (tipo) => {
      const m = await setUp();
      const rows = give(m, tipo, 12, 1);
      await m.showAtMost(11);
      expect(await found(m)).toEqual(rows);
      await m.showAtMost(5);
      expect(await errorOf(listar(m))).toMatchObject({ motivo: 'PETICION_RECHAZADA', codigo: 'LIMITE' });
    },
  );

  it('refuses a year that the portal does not offer, and one that is none', async () => {
    const m = await setUp();
    expect(await errorOf(listar(m, 2013))).toMatchObject({ motivo: 'PETICION_RECHAZADA', codigo: 'EJERCICIO' });
    const asked = m.requests.length;
    await expect(listar(m, 20.5)).rejects.toBeInstanceOf(RangeError);
    expect(m.requests).toHaveLength(asked);
  });

  it('believes no page that contradicts itself or the question', async () => {
    const m = await setUp(PATIENT);
    give(m, 'recibidos', 12);
    const shown = (html: string) => html.replace(/(id="divNoResultados\w*"[^>]*)display:none/, '$1display:inline');
    await refuses(m, [HOST, 'AbrirConsulta'], () => listar(m), { 'nothing before it was asked': shown });
    expect(m.calls('Buscar')).toEqual([]);
    const inForm = (added: string) => (html: string) => html.replace('</form>', `${added}</form>`);
    await refuses(m, [HOST, 'Buscar'], () => listar(m), {
      'nothing beside rows': shown,
      'the page of before the search': (html) => html.replace(/<div id="divResultados[\s\S]*?<\/div>/, ''),
      'more pages': inForm('<div id="MainContent_pageNavPosition">1 <a>2</a></div>'),
      'rows of another year': (html) => html.replaceAll('>2025-', '>2023-'),
      'rows of another taxpayer': (html) => html.replaceAll(`<span>${m.rfc}</span>`, '<span>XAXX010101000</span>'),
    });
    const panel = { 'an error': inForm('<div id="MainContent_PnlErrores">Intente más tarde</div>') };
    await refuses(m, [HOST, 'Buscar'], () => listar(m), panel, 'SERVICIO_CON_ERROR');
  });
});

describe('listar-notificaciones', () => {
  const listar = (m: Mount) => m.ask({ consulta: 'listar-notificaciones' });
  const asked = (m: Mount) => new Set(m.calls(undefined, 'agr').map(({ operation }) => operation));
  const ENTRADA = ['SessionBroker', 'RecibirAsercion'];

  it('asks for nothing but the list, whatever the page would send or open by itself', async () => {
    const m = await setUp();
    await listar(m);
    for (const change of [
      (html: string) =>
        html
          .replaceAll('javax.faces.ViewState', 'otro')
          .replace('</body>', '<script>document.forms[0].submit()</script></body>'),
      (html: string) =>
        html.replace('<head>', '<head><meta http-equiv="refresh" content="0;url=documentoNotificacion.jsf?folio=1"/>'),
    ]) {
      m.fault('agr', 'Notificaciones', edited(change));
      await listar(m).catch(() => {});
      m.world.faults.remove();
    }
    expect([...asked(m)].filter((operation) => !ENTRADA.includes(operation))).toEqual(['Notificaciones']);
  });

  it('opens nothing when the log-in leads to a document', async () => {
    const m = await setUp();
    const documento = '/agr/PTSC/notificacionElectronica/faces/Pages/documentoNotificacion.jsf?folio=1';
    m.fault('agr', 'SessionBroker', redirect(documento));
    expect(await errorOf(listar(m))).toMatchObject({ motivo: 'PETICION_RECHAZADA' });
    expect([...asked(m)].filter((operation) => !ENTRADA.includes(operation))).toEqual([]);
  });

  it('reads the encoding that the answer declares, and no text in another', async () => {
    const m = await setUp({ rfc: 'EKU9003173C9' });
    const { notificaciones } = await listar(m);
    const latin1 = (type: string) => ({
      kind: 'edited' as const,
      edit: async (answer: Response) =>
        new Response(Buffer.from(await answer.text(), 'latin1'), { headers: { 'content-type': type } }),
    });
    m.fault('agr', 'Notificaciones', latin1('text/html; charset=iso-8859-1'));
    expect(await listar(m)).toEqual({ notificaciones });
    expect(JSON.stringify(notificaciones)).toMatch(/[áéíóúñÁÉÍÓÚÑ]/);
    m.world.faults.remove();
    m.fault('agr', 'Notificaciones', latin1('text/html'));
    expect(await errorOf(listar(m))).toMatchObject(ILEGIBLE);
  });
});

it('listar-comunicados goes on only from the frame of the communiqués', async () => {
  const m = await setUp(PATIENT);
  const listar = () => m.ask({ consulta: 'listar-comunicados', desde: '2020-01-01', hasta: '2026-12-31' });
  const frame = (src: string) => (html: string) => html.replace(/src="[^"]*"/, `src="${src}"`);
  await refuses(m, ['wwwmat', 'Comunicados'], listar, {
    'no frame': () => '<html><body>sin marco</body></html>',
    'another frame': frame('https://wwwmat.sat.gob.mx/otra'),
    'another RFC': (html) => html.replace('<main>', '<main><p>RFC: XIQB891116QE4</p>'),
  });
  await refuses(
    m,
    ['wwwmat', 'Comunicados'],
    listar,
    { 'a foreign host': frame('https://malo.example/WebComunicados/') },
    'HOST_NO_PERMITIDO',
  );
});

describe('listar-declaraciones', () => {
  const listar = (m: Mount, ejercicio = 2025) => m.ask({ consulta: 'listar-declaraciones', ejercicio });

  it('asks for the year and each period of the kinds that are known, and gives each return once, by date', async () => {
    const m = await setUp();
    const quarterly = (html: string) =>
      html
        .replace(/<option value="A"[^<]*<\/option>/, '$&<option value="T">Trimestral</option>')
        .replace(
          /(<select id="Periodo"[^>]*>).*<\/select>/,
          '$1</select><input type="hidden" name="ficha" value="+/=">',
        );
    m.fault('pstcdypisr', 'Consulta', edited(quarterly, { times: 1 }));
    const { declaraciones } = await listar(m);
    const sent = m.requests.flatMap(({ path, body }) =>
      path === '/Consulta/Buscar' ? [new URLSearchParams(String(body))] : [],
    );
    const period = (n: number) => String(n).padStart(3, '0');
    const meses = Array.from({ length: 12 }, (_, i) => ['+/=', '2025', 'M', period(i + 1)]);
    const quarters = Array.from({ length: 4 }, (_, i) => ['+/=', '2025', 'T', period(i + 13)]);
    const fields = ['ficha', 'Ejercicio', 'Periodicidad', 'Periodo'];
    expect(sent.map((form) => fields.map((field) => form.get(field)))).toEqual([
      ['+/=', '2025', '', ''],
      ...meses,
      ...quarters,
    ]);
    expect(declaraciones.length).toBeGreaterThan(8);
    expect(new Set(declaraciones.map(({ numeroOperacion }) => numeroOperacion)).size).toBe(declaraciones.length);
    expect(declaraciones.map(({ fecha }) => fecha)).toEqual(declaraciones.map(({ fecha }) => fecha).sort());
  });

  it('asks for no period that the page does not offer, and for no year', async () => {
    const m = await setUp();
    await listar(m);
    expect(m.calls('Buscar', 'pstcdypisr')).toHaveLength(1 + 12);
    expect(await errorOf(listar(m, 2031))).toMatchObject({ motivo: 'PETICION_RECHAZADA', codigo: 'EJERCICIO' });
    expect(m.calls('Buscar', 'pstcdypisr')).toHaveLength(1 + 12);
  });

  it('believes that there are none only from words, no number with two contents, and no form of other shape', async () => {
    const m = await setUp(PATIENT);
    await refuses(m, ['pstcdypisr', 'Buscar'], () => listar(m), {
      'a table without rows or words': (html) =>
        html.replace(/<div class="bootbox[\s\S]*<\/div>\n/, '').replace(/<tr><td>[\s\S]*<\/tr>/, ''),
      'another answer': () => '{"data":[]}',
    });
    m.fault(
      'pstcdypisr',
      'Buscar',
      edited((html) => html.replaceAll('>Vigente<', '>Otra<'), { times: 1 }),
    );
    expect(await errorOf(listar(m))).toMatchObject(ILEGIBLE);
    await refuses(m, ['pstcdypisr', 'Consulta'], () => listar(m), {
      'another page': () => '<html></html>',
      'no kinds of period': (html) => html.replace(/<option value="[MA]"[^<]*<\/option>/g, ''),
      'half a form': (html) => html.slice(0, html.indexOf('</select>')),
    });
  });

  it('up to 2021 asks the old portal once for each kind of return', async () => {
    const m = await setUp({ ...PATIENT, rfc: 'EKU9003173C9' });
    const { declaraciones } = await listar(m, 2019);
    expect(declaraciones.length).toBeGreaterThan(8);
    expect(declaraciones[0]).toMatchObject({ ejercicio: 2019, periodicidad: null, estado: null });
    expect(m.calls('Buscar', 'ptscdecprov').length).toBeLessThan(4);
    expect(m.calls(undefined, 'pstcdypisr')).toEqual([]);
    await refuses(m, ['ptscdecprov', 'Buscar'], () => listar(m, 2019), {
      'the first of several pages': (html) =>
        html.replaceAll(
          '</table>',
          `</table><a href="javascript:__doPostBack('ctl00$MainContent$gvDeclaraciones','Page$2')">2</a>`,
        ),
    });
    expect(await errorOf(listar(m, 2009))).toMatchObject({ motivo: 'PETICION_RECHAZADA', codigo: 'EJERCICIO' });
  });
});

describe('descargar-constancia', () => {
  const PAGINA = ['rfcampc', 'ConsultaTramite'] as const;
  const descargar = (m: Mount) => m.ask({ consulta: 'descargar-constancia' });

  it('presses the button that says so, else the one that is known', async () => {
    const m = await setUp();
    m.fault(
      ...PAGINA,
      edited((html) => html.replace('Generar Constancia', 'Imprimir')),
    );
    expect(await descargar(m)).toMatchObject({ constancia: { rfc: m.rfc } });
    m.world.faults.remove();
    m.fault(
      ...PAGINA,
      edited((html) => html.replaceAll('j_idt50', 'j_idt77')),
    );
    await descargar(m);
    expect(m.requests.some(({ body }) => String(body).includes('source=formReimpAcuse%3Aj_idt77'))).toBe(true);
  });

  it('goes on from no other page, and stays within the hosts of the SAT', async () => {
    const m = await setUp(PATIENT);
    await refuses(m, PAGINA, () => descargar(m), {
      'another page': () => '<h1>Estamos en mantenimiento</h1>',
      'a frame of nowhere': () => '<iframe id="iframetoload" src=""></iframe>',
      'a form to fill in': () => '<form method="post"><input name="SAMLResponse"/><input type="text" name="a"/></form>',
    });
    const foreign = () => '<iframe id="iframetoload" src="https://example.com/x"></iframe>';
    await refuses(m, PAGINA, () => descargar(m), { foreign }, 'HOST_NO_PERMITIDO');
  });

  it('tells an error of the page from a session that has ended', async () => {
    const m = await setUp();
    const name = '<error-name>java.lang.NullPointerException</error-name>';
    m.fault('rfcampc', 'GenerarConstancia', answered(`<partial-response><error>${name}</error></partial-response>`));
    expect(await errorOf(descargar(m))).toMatchObject({ motivo: 'SERVICIO_CON_ERROR' });
    expect(m.accesos()).toBe(1);
    m.world.faults.remove();
    m.fault('rfcampc', 'GenerarConstancia', answered('<partial-response><redirect url="/login"/></partial-response>'));
    expect(await errorOf(descargar(m))).toMatchObject(ILEGIBLE);
    expect(m.accesos()).toBe(2);
  });

  it.each(['%PDF-1.7\n1 0 obj', '%PDF-1.7\n'.padEnd(20 * 1024 * 1024, 'a')])(
    'does not take %.20j for one',
    async (pdf) => {
      const m = await setUp();
      m.fault('rfcampc', 'DescargarConstancia', answered(pdf));
      expect(await errorOf(descargar(m))).toMatchObject(ILEGIBLE);
    },
  );
});

describe('consultar-opinion', () => {
  const DOCUMENTO = ['ptsc32d', 'ObtenerRespuestaCompletaPdf'] as const;
  const consultar = (m: Mount) => m.ask({ consulta: 'consultar-opinion' });

  it('says that the service failed, without its words', async () => {
    const m = await setUp();
    m.fault(...DOCUMENTO, { kind: 'code', mensaje: 'secreto' });
    const error = await errorOf(consultar(m));
    expect(error).toMatchObject({ motivo: 'SERVICIO_CON_ERROR', clase: 'reintentable' });
    expect(inspect(error)).not.toContain('secreto');
  });

  it('takes no other answer for an opinion', async () => {
    const m = await setUp(PATIENT);
    const base64 = (bytes: string) => Buffer.from(bytes).toString('base64');
    const content = (bytes: string) => (json: string) =>
      json.replace(/"ContenidoBase64":"[^"]*"/, `"ContenidoBase64":"${bytes}"`);
    await refuses(m, DOCUMENTO, () => consultar(m), {
      null: () => 'null',
      'a list': () => '[]',
      'an empty object': () => '{}',
      entities: () => '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>',
      'a cut answer': (json) => json.slice(0, -20),
      'a word for a truth': (json) => json.replace('true', '"true"'),
      'no base64': (json) => json.replace(/"ContenidoBase64":"..../, '"ContenidoBase64":"%%%%'),
      'a page in base64': content(base64('<html>')),
      'half a document': (json) =>
        json.replace(
          /"ContenidoBase64":"([^"]*)"/,
          (_, pdf: string) => `"ContenidoBase64":"${pdf.slice(0, Math.floor(pdf.length / 8) * 4)}"`,
        ),
      'another sense': (json) => json.replace('"Positivo"', '"Negativo"'),
      'another folio': (json) => json.replace(/"Folio":"[^"]*"/, '"Folio":"26NL0000000"'),
    });
    expect((await consultar(m)).sentido).toBe('POSITIVO');
  });

  describe('where the page speaks OAuth itself', () => {
    /** The page of the application with settings in its script, for every caller. */
    async function setUpOauth() {
      const m = await setUp(PATIENT);
      const script = `var config = { clientId: '50bffab8-793c-41c4-b639-9abe2a93cb2c', redirectUri: "${m.url}/ptsc32d/oauth2/callback", scope: 'openid' };`;
      m.fault('ptsc32d', 'Inicio', answered(`<html><head><script>${script}</script></head><body></body></html>`));
      return m;
    }
    const documents = (m: Mount) => m.requests.filter(({ path }) => path.startsWith('/RespuestaCompleta/'));

    it('asks with a fresh proof key, state and token each time', async () => {
      const m = await setUpOauth();
      for (let n = 0; n < 2; n += 1) expect((await consultar(m)).sentido).toBe('POSITIVO');
      const pedidas = m.requests.flatMap(({ path }) =>
        path.includes('code_challenge=') ? [new URLSearchParams(path.split('?')[1])] : [],
      );
      for (const nombre of ['state', 'code_challenge']) {
        const valores = pedidas.map((query) => query.get(nombre) ?? '');
        expect(new Set(valores).size).toBeGreaterThanOrEqual(3);
        expect(valores.every((valor) => valor.length >= 22)).toBe(true);
      }
      const tokens = documents(m).map(({ headers }) => headers?.['authorization'] ?? '');
      expect(tokens.map((token) => token.slice(0, 7))).toEqual(['Bearer ', 'Bearer ']);
      expect(new Set(tokens).size).toBe(2);
      expect(m.accesos()).toBe(1);
    });

    it('does not go on with another state, or no proper token', async () => {
      const m = await setUpOauth();
      const state = (value: string): Parameters<Mount['fault']>[2] => ({
        kind: 'edited',
        edit: (answer) => {
          const headers = new Headers(answer.headers);
          headers.set('location', (headers.get('location') ?? '').replace(/state=[^&]*/, `state=${value}`));
          return new Response(answer.body, { status: answer.status, headers });
        },
      });
      const token = (text: string) =>
        ['CambiarCodigo', answered(text, { headers: { 'content-type': 'application/json' } })] as const;
      for (const [operation, fault] of [
        ['Autorizar', state('ajeno')],
        ['Autorizar', state('')],
        token('{"token_type":"Bearer"}'),
        token('{"token_type":"mac","access_token":"a"}'),
        token('{"token_type":"Bearer","access_token":"a\\r\\nx-otra: 1"}'),
        token('<html></html>'),
      ] as const) {
        const rule = m.world.faults.add({ service: 'loginda', operation, ...fault });
        expect(await errorOf(consultar(m))).toMatchObject(ILEGIBLE);
        m.world.faults.remove(rule.id);
      }
      expect(documents(m)).toEqual([]);
    });
  });
});
