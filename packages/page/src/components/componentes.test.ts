import { load } from 'cheerio';
import { jsx } from 'hono/jsx';
import { describe, expect, it } from 'vitest';
import { Aviso, CopyButton, Estado, Fecha, Paginacion, Tabla, Tarjeta, Vacio } from './blocks.tsx';
import { Boton, Campo, Csrf, Formulario } from './form.tsx';
import { Grafica } from './grafica.tsx';
import { Layout } from './layout.tsx';
import { Menus, type MenusPanel, PartesOperacion } from './navegacion.tsx';

const usuario = {
  id: 'u',
  cuentaId: 'c',
  cuenta: 'Empresa',
  papel: 'PROPIETARIO',
  cuentas: 1,
  email: 'ana@ejemplo.mx',
  nombre: 'Ana',
  rol: 'CLIENTE',
  suspension: null,
  porVerificar: false,
} as const;
const menus: MenusPanel = {
  principal: [
    ['/inicio', 'Inicio', 'M4 11l8-7', 'inicio'],
    ['/rfcs', 'RFC', 'M3 5h18', 'rfcs'],
  ],
  operacion: [
    ['/operador', 'Resumen'],
    ['/operador/cuentas', 'Cuentas'],
  ],
  rfc: [],
};
const marco = {
  menus,
  titulo: 'Inicio',
  usuario,
  ruta: '/inicio',
  csrf: 'token',
  nonce: 'n',
  activo: (nombre: string) => `/assets/${nombre}`,
  version: '1.0.0',
  apiUrl: 'https://api.ejemplo.mx',
};

/** Every component, with a text from outside in every place that takes text. */
const CON_TEXTO: Readonly<Record<string, (texto: string) => unknown>> = {
  Aviso: (texto) => Aviso({ tono: 'error', titulo: texto, children: texto }),
  Boton: (texto) => Boton({ nombre: texto, value: texto, descripcion: texto, children: texto }),
  Enlace: (texto) => Boton({ href: texto, descripcion: texto, children: texto }),
  Campo: (texto) => Campo({ nombre: texto, label: texto, value: texto, ayuda: texto, error: texto, patron: texto }),
  Casilla: (texto) => Campo({ nombre: 'a', tipo: 'checkbox', label: texto, value: texto }),
  Lista: (texto) => Campo({ nombre: 'a', label: texto, value: texto, opciones: [[texto, texto]] }),
  Lineas: (texto) => Campo({ nombre: 'a', label: texto, value: texto, filas: 4 }),
  CopyButton: (texto) => CopyButton({ value: texto, label: texto }),
  CopyBlock: (texto) => CopyButton({ value: texto, label: texto, bloque: true }),
  Estado: (texto) => Estado({ value: texto }),
  EstadoPropio: (texto) => Estado({ texto, tono: 'alerta' }),
  Formulario: (texto) =>
    jsx(Csrf.Provider, { value: texto }, jsx(Formulario, { accion: texto, descripcion: texto }, texto)),
  Grafica: (texto) =>
    Grafica({
      titulo: texto,
      series: [texto, texto],
      unidad: texto,
      puntos: Array(3).fill({ label: texto, valores: [3, 4] }),
    }),
  Layout: (texto) =>
    Layout({
      ...marco,
      titulo: texto,
      usuario: { ...usuario, nombre: `a${texto}`, email: texto },
      ruta: texto,
      csrf: texto,
      nonce: texto,
      aviso: { tono: 'info', texto },
      version: texto,
      apiUrl: texto,
      children: texto,
    }),
  Paginacion: (texto) => Paginacion({ anterior: texto, siguiente: texto, resumen: texto }),
  Tabla: (texto) => Tabla({ titulo: texto, columnas: [{ titulo: texto }, { titulo: texto }], filas: [[texto, texto]] }),
  Tarjeta: (texto) => Tarjeta({ titulo: texto, id: texto, accion: texto, children: texto }),
  Vacio: (texto) => Vacio({ titulo: texto, accion: { href: texto, texto }, children: texto }),
};

const NUCLEOS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '"autofocus onfocus="alert(1)',
  "'onmouseover='alert(1)",
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  '//malo.example/x',
  '/\\malo.example',
  '/\t/malo.example',
  '</title><script>alert(1)</script>',
  '</textarea><iframe srcdoc="<script>alert(1)</script>">',
  '<!--<script>-->alert(1)',
  ']]><script>alert(1)</script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '{{constructor.constructor("alert(1)")()}}',
  '<style>@import "//malo.example"</style>',
];
const ENVOLTURAS: readonly ((nucleo: string) => string)[] = [
  (x) => x,
  (x) => `">${x}`,
  (x) => `'>${x}`,
  (x) => `</option></select>${x}`,
  (x) => `</pre></code>${x}`,
  (x) => `x ${x} y`,
  (x) => `\u202e${x}\u2028`,
  (x) => `${x}\u0000`,
  (x) => `</td></table></div>${x}`,
  (x) => `\`${x}\``,
];
const CARGAS = NUCLEOS.flatMap((nucleo) => ENVOLTURAS.map((envoltura) => envoltura(nucleo)));

/**
 * The skeleton of a piece of HTML: its elements in order, each with its depth and the names of its attributes, without
 * any text.
 */
function skeleton($: ReturnType<typeof load>): string[] {
  return $('*')
    .toArray()
    .map((node) => {
      const [name, attribs] = 'attribs' in node ? [node.name, Object.keys(node.attribs)] : ['', []];
      return `${$(node).parents().length} ${name} ${attribs.join(' ')}`;
    });
}

describe('hostile text', () => {
  it('comes in 200 different shapes', () => {
    expect(new Set(CARGAS).size).toBe(200);
  });

  for (const [nombre, render] of Object.entries(CON_TEXTO))
    it(`stays text in ${nombre}`, () => {
      const limpio = skeleton(load(String(render('limpio'))));
      for (const carga of CARGAS) {
        const $ = load(String(render(carga)));
        expect([carga, skeleton($)]).toEqual([carga, limpio]);
        for (const node of $('[href], [action]').toArray())
          expect([carga, $(node).attr('href') ?? $(node).attr('action')]).toEqual([
            carga,
            expect.stringMatching(/^(\/(?![/\\])[^\t\n]*|#.*|\?.*|https?:\/\/[\s\S]+)$/),
          ]);
      }
    });

  it('is shown whole to the reader', () => {
    for (const carga of CARGAS.filter((each) => !each.includes('\u0000'))) {
      expect(load(String(Aviso({ tono: 'info', children: carga })))('.aviso').text()).toBe(carga);
      expect(load(String(Campo({ nombre: 'a', label: 'b', value: carga })))('input').attr('value')).toBe(carga);
    }
  });
});

describe('components', () => {
  const campo = (props: Parameters<typeof Campo>[0]) => load(String(Campo(props)));

  it('never send a secret back', () => {
    for (const tipo of ['password', 'file'] as const)
      expect(String(Campo({ nombre: 'ciec', label: 'CIEC', tipo, value: 'Secreto1' }))).not.toContain('Secreto1');
  });

  it('tie help and fault to their field', () => {
    const $ = campo({ nombre: 'rfc', label: 'RFC', ayuda: 'Doce o trece', error: 'Falta', requerido: true });
    const input = $('input');
    expect($('label').attr('for')).toBe(input.attr('id'));
    expect(input.attr('aria-invalid')).toBe('true');
    const notas = (input.attr('aria-describedby') ?? '').split(' ').map((id) => $(`#${id}`).text());
    expect(notas).toEqual(['Doce o trece', 'Falta']);
    expect($('label').text()).toBe('RFC');
    expect(campo({ nombre: 'a', label: 'B' })('label').text()).toBe('B (opcional)');
  });

  it('keep the first line break of a text of several lines', () => {
    expect(campo({ nombre: 'a', label: 'b', filas: 2, value: '\nhola' })('textarea').text()).toBe('\nhola');
  });

  it('send the token with a posting form only', () => {
    const post = load(String(jsx(Csrf.Provider, { value: 'token' }, jsx(Formulario, { accion: '/a' }))));
    expect(post('input[name=_csrf]').attr('value')).toBe('token');
    const get = String(Formulario({ accion: '/a', metodo: 'get' }));
    expect(get).not.toContain('token');
  });

  it('show moments in the time of central Mexico', () => {
    const valor = new Date('2026-03-01T05:30:00Z');
    const $ = load(String(Fecha({ value: valor })));
    expect($('time').attr('datetime')).toBe('2026-03-01T05:30:00.000Z');
    expect($('time').text()).toMatch(/28 feb 2026.*23:30/);
    expect(load(String(Fecha({ value: new Date('2026-03-01'), formato: 'calendario' }))).text()).toMatch(/1 mar 2026/);
    const relativa = Fecha({ value: valor, relativaA: new Date('2026-03-01T05:35:10Z') });
    expect(load(String(relativa)).text()).toBe('hace 5 minutos');
    expect(String(Fecha({ value: null }))).toContain('—');
  });

  it('draw bars whose heights are the values, and repeat them as a table', () => {
    const html = String(
      Grafica({
        titulo: 'Uso',
        unidad: 'créditos',
        series: ['a', 'b'],
        puntos: [
          { label: '1 ene', valores: [5, 5] },
          { label: '2 ene', valores: [0, 20] },
          { label: '3 ene', valores: [0, 0] },
        ],
      }),
    );
    const $ = load(html);
    const altos = $('rect')
      .toArray()
      .map((rect) => Number($(rect).attr('height')));
    expect(altos).toEqual([25, 25, 100]);
    expect($('svg').attr('aria-label')).toBe('Uso: 30 créditos en total');
    expect($('tbody tr').eq(1).text()).toBe('2 ene020');
  });

  it('label all points of a chart that have room, and never two so close that they touch', () => {
    const labels = (each: readonly string[], clase: string) => {
      const puntos = each.map((label) => ({ label, valores: [1] }));
      const html = Grafica({ titulo: 'Uso', unidad: 'CFDI', series: ['CFDI'], puntos });
      const $ = load(String(html));
      return $(`.${clase}`)
        .toArray()
        .map((each) => $(each).text());
    };
    const kinds = ['Ingreso', 'Egreso', 'Traslado', 'Nómina', 'Pago'];
    for (const clase of ['media', 'larga']) expect(labels(kinds, clase)).toEqual(kinds);
    // On a phone each stands upright under its bar.
    expect(labels(kinds, 'de-pie span')).toEqual(kinds);
    const days = Array.from({ length: 30 }, (_, day) => `${day + 1} nov`);
    // As many as 29 letters hold, at even distances, the last among them.
    expect(labels(days, 'corta')).toEqual(['2 nov', '9 nov', '16 nov', '23 nov', '30 nov']);
    expect(labels(days, 'larga').length).toBe(15);
    // Fewer than three bars are no chart.
    expect(labels(['a', 'b'], 'larga')).toEqual([]);
    const long = ['x', 'y', 'z'].map((letter) => letter.repeat(500));
    expect(labels(long, 'corta')).toEqual(long.slice(2));
  });

  it('end the axis of a chart a little above its highest point', () => {
    const top = (value: number, unidad = 'CFDI') => {
      const puntos = [value, 0, 0].map((each) => ({ label: 'a', valores: [each] }));
      const html = Grafica({ titulo: 'Uso', unidad, series: ['CFDI'], puntos });
      return load(String(html))('.escala span').first().text();
    };
    expect([0, 1, 2, 3, 10, 11, 45, 61, 80, 81, 250, 7_001].map((value) => top(value))).toEqual([
      '2',
      '2',
      '2',
      '4',
      '10',
      '12',
      '50',
      '70',
      '80',
      '90',
      '280',
      '8,000',
    ]);
    expect(top(7_001, 'pesos')).toBe('$8,000');
  });

  it('mark the current page, and show pages of the operator to the operator only', () => {
    const $ = load(String(Layout({ ...marco, ruta: '/rfcs/ACU200101DB1' })));
    expect($('[aria-current]').text()).toBe('RFC');
    expect($('.navegacion').text()).not.toContain('Operación');
    const operador = Layout({ ...marco, usuario: { ...usuario, rol: 'OPERADOR' } });
    expect(load(String(operador))('.navegacion a').last().attr('href')).toBe('/operador');
    const parte = (ruta: string) => {
      const of = load(String(jsx(Menus.Provider, { value: menus }, jsx(PartesOperacion, { ruta }))));
      return [of('[aria-current]').text(), of('[aria-current]').attr('aria-current')];
    };
    expect(parte('/operador')).toEqual(['Resumen', 'page']);
    expect(parte('/operador/cuentas')).toEqual(['Cuentas', 'page']);
    // One account, and what is shown in answer to a form of it that was refused.
    expect(parte('/operador/cuentas/uno')).toEqual(['Cuentas', 'true']);
    expect(parte('/operador/cuentas/uno/abono')).toEqual(['Cuentas', 'true']);
    const nadie = load(String(Layout({ ...marco, usuario: null })));
    expect(nadie('.navegacion').length).toBe(0);
    expect(nadie('[href="/entrar"]').length).toBe(1);
    expect(String(Layout(marco))).toMatch(/^<!DOCTYPE html><html lang="es-MX">/);
  });

  it('write no script and no style into the page', () => {
    for (const render of Object.values(CON_TEXTO)) {
      const $ = load(String(render('limpio')));
      expect($('style, [style], script:not([src])').length).toBe(0);
    }
  });
});
