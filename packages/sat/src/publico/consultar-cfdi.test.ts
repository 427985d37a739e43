import { type ConsultarCfdi, SatError } from '@acuse/core';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, start } from '../testing/servidor.ts';
import { totalDe } from './consultar-cfdi.ts';
import { createPublico } from './create-publico.ts';

afterEach(closeAll);

const CFDI: ConsultarCfdi = {
  consulta: 'consultar-cfdi',
  emisorRfc: 'H&E951128469',
  receptorRfc: 'OÑO120726RX3',
  uuid: '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
  total: 1160,
};

const CAMPOS = {
  CodigoEstatus: 'S - Comprobante obtenido satisfactoriamente.',
  EsCancelable: 'Cancelable con aceptación',
  Estado: 'Vigente',
  EstatusCancelacion: '',
  ValidacionEFOS: '200',
};

function respuesta(campos: Readonly<Record<string, string | null>> = {}): string {
  const hijos = Object.entries({ ...CAMPOS, ...campos })
    .map(([nombre, valor]) => (valor === null ? '' : `<a:${nombre}>${valor}</a:${nombre}>`))
    .join('');
  return (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><ConsultaResponse xmlns="http://tempuri.org/">' +
    '<ConsultaResult xmlns:a="http://schemas.datacontract.org/2004/07/Sat.Cfdi.Negocio.ConsultaCfdi.Servicio">' +
    `${hijos}</ConsultaResult></ConsultaResponse></s:Body></s:Envelope>`
  );
}

async function ask(body: string | Buffer, { status = 200, type = 'text/xml; charset=utf-8', cfdi = CFDI } = {}) {
  const { http, servidor } = await start((_, res) => {
    res.writeHead(status, { 'content-type': type }).end(body);
  });
  const { signal } = new AbortController();
  const outcome = await createPublico({ http })
    .send(cfdi, null, { signal })
    .catch((error: unknown) => error);
  return { outcome, servidor };
}

/** The text that a parser of XML finds in the element with the expression. */
function expresionDe(sobre: string): string {
  let texto = '';
  let inside = false;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', ({ local }) => {
    inside = local === 'expresionImpresa';
  });
  parser.on('text', (piece) => {
    if (inside) texto += piece;
  });
  parser.write(sobre).close();
  return texto.trim();
}

const motivoDe = (outcome: unknown) => (outcome instanceof SatError ? outcome.motivo : outcome);

describe('consultar-cfdi', () => {
  it('asks with the expression of the QR code, an ampersand escaped in it', async () => {
    const { servidor } = await ask(respuesta());
    const [peticion] = servidor.peticiones;
    expect(peticion).toMatchObject({ method: 'POST', url: '/consultaqr/ConsultaCFDIService.svc' });
    expect(peticion?.headers.soapaction).toBe('http://tempuri.org/IConsultaCFDIService/Consulta');
    expect(expresionDe(peticion?.body ?? '')).toBe(
      '?re=H&amp;E951128469&rr=OÑO120726RX3&tt=1160.0&id=6f9619ff-8b86-d011-b42d-00cf4fc964ff',
    );
  });

  it('tells what the SAT says of a CFDI that it found', async () => {
    expect((await ask(respuesta())).outcome).toEqual({
      resultado: 'ENCONTRADO',
      estado: 'VIGENTE',
      esCancelable: 'Cancelable con aceptación',
      estatusCancelacion: null,
      validacionEfos: '200',
    });
    const cancelado = respuesta({
      Estado: 'Cancelado',
      EsCancelable: null,
      EstatusCancelacion: 'Plazo vencido',
      ValidacionEFOS: null,
    });
    expect((await ask(cancelado)).outcome).toEqual({
      resultado: 'ENCONTRADO',
      estado: 'CANCELADO',
      esCancelable: null,
      estatusCancelacion: 'Plazo vencido',
      validacionEfos: null,
    });
  });

  it('says "not found" for N - 602 alone', async () => {
    const codigo = 'N - 602: Comprobante no encontrado.';
    const si = respuesta({ CodigoEstatus: codigo, Estado: 'No Encontrado', EsCancelable: '' });
    expect((await ask(si)).outcome).toEqual({ resultado: 'NO_ENCONTRADO' });
    const contradice = respuesta({ CodigoEstatus: codigo, Estado: 'Vigente' });
    expect(motivoDe((await ask(contradice)).outcome)).toBe('RESPUESTA_ILEGIBLE');
  });

  it.each([
    ['N - 601: La expresión impresa proporcionada no es válida.', 'SERVICIO_CON_ERROR'],
    ['La consulta no se pudo realizar. Expresión: 601', 'SERVICIO_CON_ERROR'],
    ['N - 603: El comprobante no es de este servicio.', 'SERVICIO_CON_ERROR'],
    ['N - 6021', 'SERVICIO_CON_ERROR'],
    ['', 'RESPUESTA_ILEGIBLE'],
    ['Servicio no disponible', 'RESPUESTA_ILEGIBLE'],
    ['602', 'RESPUESTA_ILEGIBLE'],
    [null, 'RESPUESTA_ILEGIBLE'],
  ])('takes the code %s for %s', async (CodigoEstatus, motivo) => {
    const { outcome } = await ask(respuesta({ CodigoEstatus, Estado: 'No Encontrado' }));
    expect(motivoDe(outcome)).toBe(motivo);
    expect(outcome).toMatchObject({ clase: 'reintentable' });
  });

  it.each([
    [
      'an HTML page',
      '<!DOCTYPE html><html><body>Mantenimiento: no encontrado</body></html>',
      200,
      'RESPUESTA_ILEGIBLE',
    ],
    ['nothing', '', 200, 'RESPUESTA_ILEGIBLE'],
    ['an unknown state', respuesta({ Estado: 'Sin efecto' }), 200, 'RESPUESTA_ILEGIBLE'],
    ['two states', respuesta({ Estado: 'Vigente</a:Estado><a:Estado>Cancelado' }), 200, 'RESPUESTA_ILEGIBLE'],
    ['a strange validation', respuesta({ ValidacionEFOS: 'todos' }), 200, 'RESPUESTA_ILEGIBLE'],
    ['another answer', respuesta().replaceAll('ConsultaResponse', 'OtraResponse'), 200, 'RESPUESTA_ILEGIBLE'],
    ['another namespace', respuesta().replace('http://tempuri.org/', 'http://otro/'), 200, 'RESPUESTA_ILEGIBLE'],
    ['HTTP 500 with a page', '<html>Error</html>', 500, 'SERVICIO_CON_ERROR'],
    ['HTTP 404', respuesta({ CodigoEstatus: 'N - 602: Comprobante no encontrado.' }), 404, 'SERVICIO_CON_ERROR'],
    ['HTTP 302', '', 302, 'SERVICIO_CON_ERROR'],
    [
      'entities',
      `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>${respuesta({ EsCancelable: '&b;' })}`,
      200,
      'RESPUESTA_ILEGIBLE',
    ],
    ['an entity of nobody', respuesta({ EsCancelable: '&nbsp;' }), 200, 'RESPUESTA_ILEGIBLE'],
    [
      'deep nesting',
      respuesta({ EsCancelable: `${'<b>'.repeat(500)}${'</b>'.repeat(500)}` }),
      200,
      'RESPUESTA_ILEGIBLE',
    ],
    ['50 MB', Buffer.alloc(50 * 1024 * 1024, 'a'), 200, 'RESPUESTA_ILEGIBLE'],
  ])('does not take %s for an answer', async (_what, body, status, motivo) => {
    expect(motivoDe((await ask(body, { status })).outcome)).toBe(motivo);
  });

  it('takes no answer that is cut, wherever it is', async () => {
    const entera = respuesta({ CodigoEstatus: 'N - 602: Comprobante no encontrado.', Estado: 'No Encontrado' });
    let length = 0;
    const { http } = await start(
      (_, res) => {
        res.writeHead(200, { 'content-type': 'text/xml' }).end(entera.slice(0, length));
      },
      { breakerFailures: 1e9 },
    );
    const publico = createPublico({ http });
    for (; length < entera.length; length += 3) {
      const outcome = await publico
        .send(CFDI, null, { signal: new AbortController().signal })
        .catch((error: unknown) => error);
      expect(motivoDe(outcome)).toBe('RESPUESTA_ILEGIBLE');
    }
  });

  it('reads a text in the charset that the answer declares and no garbled one', async () => {
    const latin1 = Buffer.from(respuesta(), 'latin1');
    const declared = await ask(latin1, { type: 'text/xml; charset=iso-8859-1' });
    expect(declared.outcome).toMatchObject({ esCancelable: 'Cancelable con aceptación' });
    expect(motivoDe((await ask(latin1)).outcome)).toBe('RESPUESTA_ILEGIBLE');
    const wrong = await ask(respuesta(), { type: 'text/xml; charset=iso-8859-1' });
    expect(motivoDe(wrong.outcome)).toBe('RESPUESTA_ILEGIBLE');
  });

  it('asks nothing that has no expression', async () => {
    for (const cambio of [{ total: -1 }, { emisorRfc: 'XIQB891116QE4&rr=' }, { uuid: '1' }]) {
      const { outcome, servidor } = await ask(respuesta(), { cfdi: { ...CFDI, ...cambio } });
      expect(motivoDe(outcome)).toBe('PETICION_RECHAZADA');
      expect(servidor.peticiones).toEqual([]);
    }
  });
});

describe('totalDe', () => {
  it.each([
    [0, '0.0'],
    [-0, '0.0'],
    [0.99, '0.99'],
    [1e-6, '0.000001'],
    [100, '100.0'],
    [1160.5, '1160.5'],
    [999999999999.99, '999999999999.99'],
    [0.1 + 0.7, null],
    [1e-7, null],
    [-5, null],
    [1e16, null],
    [1e21, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
  ])('%d is %s', (total, texto) => {
    if (texto === null) expect(() => totalDe(total)).toThrow('PETICION_RECHAZADA');
    else expect(totalDe(total)).toBe(texto);
  });

  it('writes every amount of cents back as it is', () => {
    fc.assert(
      fc.property(fc.nat(9e11), fc.nat(99), (pesos, centavos) => {
        const texto = totalDe(Number(`${pesos}.${String(centavos).padStart(2, '0')}`));
        expect(texto).toMatch(/^(?:0|[1-9]\d*)\.(?:0|\d*[1-9])$/);
        expect(Number(texto)).toBe(Number(`${pesos}.${String(centavos).padStart(2, '0')}`));
      }),
    );
  });
});
