import { SatError } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDocumento } from '../pdf/documento.ts';
import type { PaginaPdf } from '../pdf/pagina-pdf.ts';
import { makePdf } from '../pdf/testing/pdf-de-prueba.ts';
import { readConstancia } from './read-constancia.ts';
import {
  type ConstanciaDePrueba,
  FISICA,
  type FilaDePrueba,
  type FormaDePrueba,
  MORAL,
  makeConstancia,
} from './testing/constancia-de-prueba.ts';

const LIMITES = { maxPaginas: 60, maxTrazos: 200_000, maxCaracteres: 2_000_000 };
const paginasDe = async (pdf: Buffer) => readDocumento(Uint8Array.from(pdf), LIMITES);

async function read(constancia: ConstanciaDePrueba, forma?: FormaDePrueba, rfc = constancia.rfc) {
  return readConstancia(await paginasDe(await makeConstancia(constancia, forma)), rfc);
}

async function refusal(constancia: ConstanciaDePrueba, forma?: FormaDePrueba, rfc?: string): Promise<string> {
  return refusalOf(() => read(constancia, forma, rfc));
}

async function refusalOf(step: () => unknown): Promise<string> {
  try {
    await step();
  } catch (error) {
    if (error instanceof SatError && error.motivo === 'RESPUESTA_ILEGIBLE') return error.message;
    throw error;
  }
  throw new Error('expected a SatError');
}

const conIdentificacion = (cambios: Readonly<Record<string, string | null>>): ConstanciaDePrueba => ({
  ...FISICA,
  identificacion: FISICA.identificacion.flatMap(([etiqueta, valor]) => {
    const cambio = cambios[etiqueta];
    return cambio === null ? [] : [[etiqueta, cambio ?? valor] as const];
  }),
});

const OBLIGACIONES: readonly FilaDePrueba[] = Array.from({ length: 45 }, (_, i) => ({
  textos: [
    `Obligación número ${i + 1} de pago definitivo mensual de IVA${' de las personas físicas con actividades'.repeat(i % 4)}.`,
    `A más tardar el día ${(i % 28) + 1} del mes inmediato posterior${' al periodo que corresponda'.repeat(i % 3)}.`,
  ],
  desde: `${String((i % 28) + 1).padStart(2, '0')}/06/2008`,
  ...(i % 5 === 0 ? { hasta: '31/12/2024' } : {}),
}));

describe('readConstancia', () => {
  it('reads the constancia of a natural person', async () => {
    expect(await read(FISICA)).toEqual({
      rfc: 'ÑUÑM850101AB1',
      idCif: '12345678901',
      curp: 'XUXM850101MGTRMR09',
      nombre: 'MARÍA DE LOS ÁNGELES NUÑEZ MUÑOZ',
      estatus: 'ACTIVO',
      fechaInicioOperaciones: '2010-01-15',
      fechaUltimoCambio: '2010-01-15',
      domicilio: {
        calle: 'CALLE HIDALGO 100 INT 12 Y 13',
        colonia: 'CENTRO',
        municipio: 'DOLORES HIDALGO CUNA DE LA INDEPENDENCIA',
        estado: 'GUANAJUATO',
        cp: '37000',
      },
      regimenes: [
        { clave: '605', nombre: 'Régimen de Sueldos y Salarios e Ingresos Asimilados a Salarios', desde: '2010-01-01' },
        { clave: '626', nombre: 'Régimen Simplificado de Confianza', desde: '2022-01-01' },
      ],
      obligaciones: [
        {
          descripcion: 'Declaración anual de ISR. Personas Físicas.',
          vencimiento: 'A más tardar el 30 de abril del ejercicio siguiente.',
          desde: '2010-03-31',
          hasta: null,
        },
        {
          descripcion:
            'Pago provisional mensual de ISR por actividades empresariales. Régimen Simplificado de Confianza',
          vencimiento: 'A más tardar el día 17 del mes inmediato posterior al periodo que corresponda.',
          desde: '2022-01-01',
          hasta: '2025-12-31',
        },
      ],
    });
  });

  it('reads the constancia of a legal person, whose name takes several lines', async () => {
    expect(await read(MORAL)).toMatchObject({
      rfc: 'H&Ñ951128469',
      curp: null,
      nombre:
        'HERRAMIENTAS & ÑANDÚES DEL NORTE Y DEL SUR, COMERCIALIZADORA DE ARTÍCULOS PARA EL CAMPO, LA INDUSTRIA Y EL HOGAR',
      estatus: 'ACTIVO',
      fechaInicioOperaciones: '2005-09-28',
      regimenes: [{ clave: '601', desde: '2008-06-05' }],
    });
  });

  it.each([
    { repiteCabecera: true },
    { repiteCabecera: false },
    { repiteCabecera: true, cuerpo: 10 },
    { columnaDeValores: 150, cuerpo: 9 },
  ])('reads a table that goes on over pages: %o', async (forma) => {
    const { obligaciones, nombre } = await read({ ...FISICA, obligaciones: OBLIGACIONES }, forma);
    expect(nombre).toBe('MARÍA DE LOS ÁNGELES NUÑEZ MUÑOZ');
    expect(obligaciones?.map((o) => [o.descripcion, o.vencimiento])).toEqual(OBLIGACIONES.map(({ textos }) => textos));
    expect(obligaciones?.map((o) => o.hasta)).toEqual(OBLIGACIONES.map((o) => (o.hasta ? '2024-12-31' : null)));
  });

  it('does not depend on the order of the labels', async () => {
    const whole = await read(FISICA);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...FISICA.identificacion], { minLength: FISICA.identificacion.length }),
        fc.shuffledSubarray([...FISICA.domicilio], { minLength: FISICA.domicilio.length }),
        async (identificacion, domicilio) => {
          expect(await read({ ...FISICA, identificacion, domicilio })).toEqual(whole);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('gives names of any length and letter back as they were printed', async () => {
    const palabra = fc.stringMatching(/^[A-ZÁÉÍÓÚÑÜ&]{1,14}$/);
    const nombre = fc.array(palabra, { minLength: 1, maxLength: 25 }).map((p) => p.join(' '));
    await fc.assert(
      fc.asyncProperty(nombre, nombre, async (nombres, apellido) => {
        const { nombre: leido } = await read(
          conIdentificacion({ 'Nombre (s):': nombres, 'Primer Apellido:': apellido, 'Segundo Apellido:': '' }),
        );
        expect(leido).toBe(`${nombres} ${apellido}`);
      }),
      { numRuns: 25 },
    );
  });

  it('takes a document without the section for a taxpayer without obligations', async () => {
    expect((await read({ ...FISICA, obligaciones: null })).obligaciones).toEqual([]);
    expect((await read({ ...FISICA, obligaciones: [] })).obligaciones).toEqual([]);
  });

  it('wants regimes of an active taxpayer only', async () => {
    expect(await refusal({ ...FISICA, regimenes: null })).toContain('regímenes');
    const suspendida = conIdentificacion({ 'Estatus en el padrón:': 'SUSPENDIDO' });
    expect(await read({ ...suspendida, regimenes: null })).toMatchObject({ estatus: 'SUSPENDIDO', regimenes: [] });
  });

  it('refuses the constancia of another taxpayer', async () => {
    expect(await refusal(FISICA, {}, 'XIQB891116QE4')).toContain('RFC');
  });

  it.each([
    ['RFC:', null],
    ['Nombre (s):', null],
    ['Nombre (s):', ''],
    ['Fecha inicio de operaciones:', '31 DE FEBRERO DE 2010'],
    ['Fecha inicio de operaciones:', '15/01/2010 o después'],
    ['Estatus en el padrón:', 'EN REVISIÓN'],
    ['CURP:', 'NO ES UNA CURP'],
    ['RFC:', 'ÑUÑM850101AB1 O XIQB891116QE4'],
  ])('refuses a document whose %s is %s', async (etiqueta, valor) => {
    await refusal(conIdentificacion({ [etiqueta]: valor }));
  });

  it('refuses a document without its end, and one that lacks a page', async () => {
    expect(await refusal(FISICA, { sinPie: true })).toMatch(/cadena original|columna|pie/);
    const paginas = await paginasDe(await makeConstancia({ ...FISICA, obligaciones: OBLIGACIONES }));
    for (let falta = 0; falta < paginas.length; falta += 1) {
      const resto = paginas
        .filter((_, i) => i !== falta)
        .map(
          (pagina, i): PaginaPdf => ({
            ...pagina,
            numero: i + 1,
            lineas: pagina.lineas.map((linea) => ({ ...linea, pagina: i + 1 })),
          }),
        );
      expect(await refusalOf(() => readConstancia(resto, FISICA.rfc))).toContain('constancia');
    }
  });

  it('refuses rows without a start date and texts that touch the next column', async () => {
    const fila = { textos: ['Declaración informativa de IVA', 'Cuando sea.'], desde: '' };
    expect(await refusal({ ...FISICA, obligaciones: [fila] })).toContain('fecha');
    expect(await refusal({ ...FISICA, obligaciones: [...(FISICA.obligaciones ?? []), fila] })).toContain('fecha');
    const ilegible = { textos: ['Declaración', 'Mañana'], desde: '45/13/2020' };
    expect(await refusal({ ...FISICA, obligaciones: [ilegible] })).toContain('fecha');
  });

  it('refuses more text than a constancia has, before the square of it is looked at', async () => {
    const paginas = await paginasDe(await makeConstancia(FISICA));
    const [linea] = paginas[0]?.lineas ?? [];
    if (linea === undefined) throw new Error('no line');
    const larga = { ...linea, celdas: Array.from({ length: 200_000 }, () => linea.celdas).flat() };
    const muchas = paginas.map((pagina) => ({ ...pagina, lineas: [...pagina.lineas, larga] }));
    expect(await refusalOf(() => readConstancia(muchas, FISICA.rfc))).toContain('demasiado texto');
  });

  it('refuses another document', async () => {
    const otro = await paginasDe(await makePdf((d) => d.text('Opinión del cumplimiento: POSITIVO', 50, 50)));
    expect(await refusalOf(() => readConstancia(otro, FISICA.rfc))).toContain('título');
  });
});
