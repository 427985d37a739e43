import { createHash, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { SentidoOpinion } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { errorOf, RFC } from '../testing/canal-de-prueba.ts';
import { credencialDe, end, type Paso, type Ptsc, redirect, send, startPtsc } from '../testing/ptsc-de-prueba.ts';
import { layoutAnterior, layoutNuevo, makePdf, TEXTO_DE } from './testing/opinion-de-prueba.ts';

const SERVICIO = '/RespuestaCompleta/ObtenerRespuestaCompletaPdf';
const DOMINIOS = { loginda: 'loginda.siat.sat.gob.mx', ptsc32d: 'ptsc32d.clouda.sat.gob.mx' };
const REGRESO = 'https://ptsc32d.clouda.sat.gob.mx/regreso';

interface Guion {
  respuesta: string;
  /** The page does OAuth itself and its service wants a token. */
  oauth: boolean;
  /** Overrides of the answers of the authorization server. */
  estado: string | null;
  token: string | null;
}

async function setUp(inicial: Partial<Guion> = {}) {
  const guion: Guion = { respuesta: '', oauth: false, estado: null, token: null, ...inicial };
  const codigos = new Map<string, URLSearchParams>();
  const tokens = new Set<string>();
  let logueado = false;
  const ptsc: Ptsc = await startPtsc({
    acceso: 'loginda',
    protegidos: guion.oauth
      ? { loginda: { regreso: '/vuelta', inicio: '/nidp/oauth/nam/authz' } }
      : { ptsc32d: { regreso: '/signin-oidc', inicio: '/' } },
    dominios: DOMINIOS,
    responder(paso, res, rfc) {
      logueado ||= rfc !== null;
      if (paso.host === 'loginda' && paso.camino === '/nidp/oauth/nam/authz') {
        const codigo = randomUUID();
        codigos.set(codigo, paso.query);
        const query = new URLSearchParams({
          code: codigo,
          state: guion.estado ?? paso.query.get('state') ?? '',
        });
        redirect(res, `${paso.query.get('redirect_uri')}?${query}`);
      } else if (paso.host === 'loginda' && paso.camino === '/nidp/oauth/nam/token') {
        const pedido = codigos.get(paso.campos.get('code') ?? '');
        const reto = createHash('sha256')
          .update(paso.campos.get('code_verifier') ?? '')
          .digest('base64url');
        const good =
          pedido?.get('code_challenge') === reto &&
          pedido.get('code_challenge_method') === 'S256' &&
          pedido.get('response_type') === 'code' &&
          paso.campos.get('redirect_uri') === pedido.get('redirect_uri') &&
          paso.campos.get('client_id') === 'cliente-32d' &&
          paso.campos.get('grant_type') === 'authorization_code';
        codigos.delete(paso.campos.get('code') ?? '');
        if (!good) return end(res, 400);
        const token = randomUUID();
        tokens.add(token);
        const datos = { access_token: token, token_type: 'Bearer', expires_in: 60 };
        send(res, guion.token ?? JSON.stringify(datos), 'application/json');
      } else if (paso.host === 'ptsc32d' && paso.camino === SERVICIO) {
        const token = paso.headers.authorization?.replace('Bearer ', '') ?? '';
        if (guion.oauth && !tokens.delete(token)) return end(res, 401);
        send(res, guion.respuesta, 'application/json; charset=utf-8');
      } else if (paso.host === 'ptsc32d' && (paso.camino === '/' || paso.camino === '/regreso')) {
        const script = guion.oauth
          ? `<script>var config = { clientId: 'cliente-32d', redirectUri: "${REGRESO}", scope: 'openid' };</script>`
          : '';
        send(res, `<!DOCTYPE html><html><head>${script}</head><body><app-root></app-root></body></html>`);
      }
    },
  });
  return { guion, ptsc, logueado: () => logueado };
}

function ask({ canal, ciec, efirma }: Ptsc, tipo: 'ciec' | 'efirma' = 'efirma') {
  const credencial = tipo === 'ciec' ? ciec : efirma;
  return canal.send({ consulta: 'consultar-opinion', rfc: RFC }, credencial, {
    signal: new AbortController().signal,
  });
}

const exito = (pdf: Buffer, validaciones?: object) =>
  JSON.stringify({
    Respuesta: { Exito: true, Mensaje: '' },
    ContenidoBase64: pdf.toString('base64'),
    ...(validaciones && { Validaciones: validaciones }),
  });
const servicios = (pasos: readonly Paso[]) => pasos.filter((p) => p.camino === SERVICIO);
const POSITIVA = layoutNuevo({ rfc: RFC, sentido: 'POSITIVO' });

describe('consultar-opinion', () => {
  it.each(['ciec', 'efirma'] as const)('logs in with %s and asks as the page does', async (tipo) => {
    const pdf = await makePdf(POSITIVA);
    const { ptsc } = await setUp({
      respuesta: exito(pdf, { Descripcion: 'Positivo', Folio: '26NL1324942' }),
    });
    const { pdf: recibido, ...leida } = await ask(ptsc, tipo);
    expect(leida).toEqual({ sentido: 'POSITIVO', folio: '26NL1324942', fecha: '2026-09-22', motivo: null });
    expect(recibido.equals(pdf)).toBe(true);
    const [pedido] = servicios(ptsc.pasos);
    expect(JSON.parse(pedido?.cuerpo ?? '')).toEqual({
      canal: 'G',
      curp: '',
      idCorrelacion: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ip: '127.0.0.1',
      rfc: RFC,
      tipoConsulta: 'COMPLETA',
      tipoReporte: '32D',
      usuario: RFC,
      rfcCorto: RFC,
    });
    expect(pedido?.headers['content-type']).toBe('application/json');
    expect(pedido?.headers.authorization).toBeUndefined();
    expect([ptsc.accesos(), credencialDe(ptsc, tipo).tipo]).toEqual([1, tipo]);
  });

  it.each(Object.keys(TEXTO_DE) as SentidoOpinion[])('reads %s from the PDF of both layouts', async (sentido) => {
    const { guion, ptsc } = await setUp();
    for (const layout of [layoutNuevo, layoutAnterior]) {
      const detalle =
        sentido === 'NEGATIVO' ? ['Obligaciones omitidas:', 'Declaración anual de ISR, ejercicio 2025'] : [];
      guion.respuesta = exito(await makePdf(layout({ rfc: RFC, sentido, detalle })));
      const leida = await ask(ptsc);
      expect(leida).toMatchObject({ sentido, folio: '26NL1324942', fecha: '2026-09-22' });
      if (sentido === 'NEGATIVO') expect(leida.motivo).toContain('Declaración anual de ISR, ejercicio 2025');
    }
    expect(ptsc.accesos()).toBe(1);
  });

  it('logs in anew when the session is gone, and through the provider when only the portal forgot it', async () => {
    const { ptsc } = await setUp({ respuesta: exito(await makePdf(POSITIVA)) });
    await ask(ptsc);
    ptsc.expire('portal');
    await ask(ptsc);
    expect(ptsc.accesos()).toBe(1);
    ptsc.expire('todas');
    await ask(ptsc);
    expect(ptsc.accesos()).toBe(2);
  });

  it('takes a page that speaks OAuth itself: a fresh proof key, state and token each time', async () => {
    const { ptsc } = await setUp({ oauth: true, respuesta: exito(await makePdf(POSITIVA)) });
    expect((await ask(ptsc)).sentido).toBe('POSITIVO');
    expect((await ask(ptsc)).sentido).toBe('POSITIVO');
    const pedidas = ptsc.pasos.filter((p) => p.query.has('code_challenge'));
    for (const nombre of ['state', 'code_challenge']) {
      const valores = pedidas.map((p) => p.query.get(nombre) ?? '');
      expect(new Set(valores).size).toBeGreaterThanOrEqual(3);
      expect(valores.every((valor) => valor.length >= 22)).toBe(true);
    }
    expect(servicios(ptsc.pasos).every((p) => p.headers.authorization?.startsWith('Bearer '))).toBe(true);
    expect(ptsc.accesos()).toBe(1);
  });

  it.each<[string, Partial<Guion>]>([
    ['another state', { estado: 'ajeno' }],
    ['no state', { estado: '' }],
    ['no token', { token: '{"token_type":"Bearer"}' }],
    ['another kind of token', { token: '{"token_type":"mac","access_token":"a"}' }],
    ['a token with a line break', { token: '{"token_type":"Bearer","access_token":"a\\r\\nx-otra: 1"}' }],
    ['a page instead of a token', { token: '<html></html>' }],
  ])('does not go on with %s', async (_nombre, cambio) => {
    const { ptsc } = await setUp({ oauth: true, respuesta: exito(await makePdf(POSITIVA)), ...cambio });
    expect(await errorOf(ask(ptsc))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(servicios(ptsc.pasos)).toEqual([]);
  });

  it('says that the service failed, without its words', async () => {
    const respuesta = JSON.stringify({
      Respuesta: { Exito: false, Mensaje: 'secreto' },
      ContenidoBase64: null,
    });
    const { ptsc } = await setUp({ respuesta });
    const error = await errorOf(ask(ptsc));
    expect(error).toMatchObject({ motivo: 'SERVICIO_CON_ERROR', clase: 'reintentable' });
    expect(inspect(error)).not.toContain('secreto');
  });

  it('takes no other answer for an opinion', async () => {
    const { guion, ptsc } = await setUp();
    const pdf = await makePdf(POSITIVA);
    const buena = exito(pdf);
    const deOtro = await makePdf(layoutNuevo({ rfc: 'XIQB891116QE4', sentido: 'POSITIVO' }));
    const otroDocumento = await makePdf(['Constancia de situación fiscal', `RFC: ${RFC}`, 'Sentido: POSITIVO']);
    const malas = [
      '',
      'null',
      '[]',
      '{}',
      '<html><body>Mantenimiento</body></html>',
      '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>',
      buena.slice(0, -20),
      buena.replace('true', '"true"'),
      buena.replace(/"ContenidoBase64":"..../, '"ContenidoBase64":"%%%%'),
      exito(pdf.subarray(0, pdf.length / 2)),
      exito(Buffer.from('<html>')),
      exito(deOtro),
      exito(otroDocumento),
      exito(pdf, { Descripcion: 'Negativo' }),
      exito(pdf, { Folio: '26NL0000000' }),
    ];
    for (const mala of malas) {
      guion.respuesta = mala;
      expect(await errorOf(ask(ptsc)), mala.slice(0, 60)).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    }
    guion.respuesta = buena;
    expect((await ask(ptsc)).sentido).toBe('POSITIVO');
  });

  it('gives an answer of 50 MB up', async () => {
    const { ptsc } = await setUp({ respuesta: `{"relleno":"${'a'.repeat(50 * 1024 * 1024)}"}` });
    expect(await errorOf(ask(ptsc))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });
});
