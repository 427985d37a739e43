import { EVENTOS_CORREO } from '@acuse/contract';
import { describe, expect, it } from 'vitest';
import { renderCorreo } from './plantilla.ts';
import { readServidor } from './settings.ts';
import { type Correo, contenidoDe } from './textos.ts';

const panelUrl = 'https://panel.example';
const enlace = { token: 'T-oken_1', venceEn: new Date('2026-11-23T18:00:00Z') };
const solicitud = {
  rfc: 'ACU200101DB1',
  modo: 'live',
  solicitud_id: '1b4e28ba-2fa1-11d2-883f-0016d3cca427',
  tipo: 'recibidos',
  desde: '2025-01-01',
  hasta: '2025-12-31',
};
const datoOf = {
  'solicitud.terminada': solicitud,
  'solicitud.fallida': solicitud,
  'credencial.por_vencer': {
    rfc: 'ACU200101DB1',
    modo: 'test',
    credencial: 'efirma',
    vence_en: '2030-06-30T12:00:00.000Z',
  },
};
const correo = (tipo: Correo['tipo'], more: Partial<Correo> = {}): Correo => ({
  tipo,
  datos: [{}],
  cuantas: 1,
  enlace: null,
  panelUrl,
  ...more,
});

it('asks a taxpayer for a connection by the link of its mail alone, with texts of others that no program makes links of', () => {
  const dato = {
    rfc: 'ACU200101DB1',
    solicitante: 'Despacho http://malo.example',
    finalidad: 'Bajar sus CFDI',
    pagina: 'https://api.example/conectar#',
  };
  const contenido = contenidoDe(correo('conexion.enlace', { datos: [dato], enlace }));
  expect(contenido.asunto).toBe('Le piden conectar su RFC');
  expect(contenido.accion?.url).toBe('https://api.example/conectar#T-oken_1');
  const { texto } = renderCorreo(contenido);
  expect(texto).toContain('de ACU200101DB1. Para qué: Bajar sus CFDI.');
  expect(texto).not.toContain('malo.example');
  expect(texto).not.toContain(panelUrl);
  expect(() => contenidoDe(correo('conexion.enlace', { datos: [dato] }))).toThrow('has a link');
});

describe('the text of a notice', () => {
  it.each(EVENTOS_CORREO)('of %s says what happened and where to go, of one and of many', (tipo) => {
    for (const cuantas of [1, 45]) {
      const datos = Array.from({ length: Math.min(cuantas, 20) }, () => datoOf[tipo]);
      const contenido = contenidoDe(correo(tipo, { datos, cuantas }));
      expect(contenido.asunto).toMatch(/^\S.{8,60}$/);
      expect(contenido.asunto).not.toContain('ACU200101DB1');
      expect(contenido.accion?.url).toMatch(/^https:\/\/panel\.example\/(solicitudes|rfcs)/);
      const { texto, html } = renderCorreo(contenido);
      expect(`${texto}${html}`).not.toMatch(/undefined|null|NaN|Invalid/);
      expect(texto).toContain(`${panelUrl}/cuenta/correo`);
      if (cuantas > 20) expect(texto).toContain('y 25 más');
    }
  });

  it('names the taxpayer, the kind and the period of a request, and says of a test key that it is one', () => {
    const { texto } = renderCorreo(contenidoDe(correo('solicitud.terminada', { datos: [solicitud] })));
    expect(texto).toContain('ACU200101DB1: CFDI recibidos del 1 ene 2025 al 31 dic 2025');
    expect(texto).toContain(`${panelUrl}/solicitudes/${solicitud.solicitud_id}`);
    expect(texto).not.toContain('lista del SAT');
    for (const [n, said] of [
      [1, 'Un proveedor está en una lista del SAT por algo en su contra'],
      [1_200, '1,200 proveedores están en una lista del SAT por algo en su contra'],
    ] as const) {
      const datos = [{ ...solicitud, contrapartes_adversas: n }];
      expect(renderCorreo(contenidoDe(correo('solicitud.terminada', { datos }))).texto).toContain(said);
    }
    const prueba = contenidoDe(correo('solicitud.terminada', { datos: [{ ...solicitud, modo: 'test' }] }));
    expect(renderCorreo(prueba).texto).toContain('(con una llave de prueba)');
  });
});

describe('the text of a mail with a link', () => {
  it.each([
    ['correo.verificar', '/verificar'],
    ['password.restablecer', '/restablecer'],
    ['equipo.invitacion', '/invitacion'],
  ] as const)('%s leads to %s with its token, and says until when', (tipo, path) => {
    const { texto, html } = renderCorreo(contenidoDe(correo(tipo, { enlace })));
    expect(texto).toContain(`${panelUrl}${path}?codigo=T-oken_1`);
    expect(html).toContain(`href="${panelUrl}${path}?codigo=T-oken_1"`);
    expect(texto).toContain('23 nov 2026');
    expect(() => contenidoDe(correo(tipo))).toThrow(/link/);
  });

  it('of a password tells the holder of an account that an account with the same e-mail was requested', () => {
    const contenido = contenidoDe(correo('password.restablecer', { datos: [{ registro: true }], enlace }));
    const { texto } = renderCorreo(contenido);
    expect(contenido.asunto).toBe('Ya hay una cuenta de Acuse con su correo');
    expect(texto).toContain('y ya hay una');
    expect(texto).toContain(`${panelUrl}/restablecer?codigo=T-oken_1`);
  });

  it('of an invitation says who invites, where to and as what', () => {
    const datos = [{ persona: 'ana@example.com', cuenta: 'Despacho <b>', papel: 'CONTADOR' }];
    const { texto, html } = renderCorreo(contenidoDe(correo('equipo.invitacion', { datos, enlace })));
    expect(texto).toContain('ana@example.com lo invita a la cuenta «Despacho <b>» como contador.');
    expect(html).toContain('«Despacho &lt;b&gt;»');
  });

  it('of an invitation has no link in a name that others wrote', () => {
    const cuenta = 'Gane en https://evil.example/x o evil。example, S.A. de C.V.';
    const datos = [{ persona: 'ana@example.com', cuenta, papel: 'CONTADOR' }];
    const { texto, html } = renderCorreo(contenidoDe(correo('equipo.invitacion', { datos, enlace })));
    for (const text of [texto, html]) {
      expect(text).toContain('Gane en https: / / evil. example/ x o evil。 example, S. A. de C. V.');
      expect(text).not.toMatch(/evil[.。]example/);
    }
  });

  it('of a password that changed says when, from where and what to do', () => {
    const datos = [{ en: '2026-11-23T18:00:00Z', ip: '203.0.113.9' }];
    const { texto } = renderCorreo(contenidoDe(correo('password.cambiada', { datos })));
    expect(texto).toContain('203.0.113.9');
    expect(texto).toContain(`${panelUrl}/olvide`);
  });
});

it('writes what comes from others as text, on one line', () => {
  const { texto, html } = renderCorreo({
    asunto: 'x',
    parrafos: ['<b>"A" & B</b>\r\nBcc: x@y.example'],
    lista: ["<script>alert('1')</script>"],
    accion: { texto: 'Ver <todo>', url: 'https://x.example/?a=1&b="2"' },
    notas: ['\u0000fin'],
  });
  expect(html).toContain('<p>&lt;b&gt;&quot;A&quot; &amp; B&lt;/b&gt; Bcc: x@y.example</p>');
  expect(html).toContain('<li>&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;</li>');
  expect(html).toContain('href="https://x.example/?a=1&amp;b=&quot;2&quot;"');
  expect(texto).toContain('<b>"A" & B</b> Bcc: x@y.example');
});

it.each([
  ['smtp://correo.example', { host: 'correo.example', port: 587, secure: false, auth: null }],
  ['smtps://correo.example', { host: 'correo.example', port: 465, secure: true, auth: null }],
  [
    'smtp://a%40b.mx:%C3%B1%3A@correo.example:2525/',
    { host: 'correo.example', port: 2525, secure: false, auth: { user: 'a@b.mx', pass: 'ñ:' } },
  ],
  ['smtp://[::1]:25', { host: '::1', port: 25, secure: false, auth: null }],
  ['smtp://usuario@correo.example', null],
  ['smtp://a:%E0%A4@correo.example', null],
  ['smtp://correo.example/x', null],
  ['smtp://correo.example?tls=no', null],
  ['http://correo.example', null],
  ['smtp://', null],
  ['correo.example', null],
])('the server %s is %j', (text, expected) => {
  expect(readServidor(text)).toEqual(expected);
});
