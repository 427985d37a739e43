import { makePdf } from '../../pdf/testing/pdf-de-prueba.ts';

export interface FilaDePrueba {
  readonly textos: readonly string[];
  readonly desde: string;
  readonly hasta?: string;
}

/** What a constancia made for a test says, as it is printed. */
export interface ConstanciaDePrueba {
  readonly rfc: string;
  readonly idCif: string;
  readonly identificacion: readonly (readonly [string, string])[];
  /** Two pairs on each line. */
  readonly domicilio: readonly (readonly [string, string])[];
  readonly regimenes: readonly FilaDePrueba[] | null;
  readonly obligaciones: readonly FilaDePrueba[] | null;
}

export interface FormaDePrueba {
  /** The header of a table is printed again on each page. */
  readonly repiteCabecera?: boolean;
  /** Values of the identification are set under the label's column instead of beside it. */
  readonly cuerpo?: number;
  readonly sinPie?: boolean;
  /** Where the column of values begins. */
  readonly columnaDeValores?: number;
}

const ALTO = 740;

export async function makeConstancia(
  { rfc, idCif, identificacion, domicilio, regimenes, obligaciones }: ConstanciaDePrueba,
  { repiteCabecera = false, cuerpo = 8, sinPie = false, columnaDeValores = 238 }: FormaDePrueba = {},
): Promise<Buffer> {
  return makePdf(
    (d) => {
      let y = 40;
      d.fontSize(cuerpo);
      const place = (texto: string, x: number, at: number, width: number) => {
        if (texto !== '') d.text(texto, x, at, { width, lineGap: 0 });
        return texto === '' ? 0 : d.heightOfString(texto, { width });
      };
      const room = (alto: number) => {
        if (y + alto <= ALTO) return false;
        d.addPage();
        y = 40;
        return true;
      };
      const titulo = (texto: string) => {
        room(40);
        d.text(texto, 200, y + 6, { width: 300 });
        y += 24;
      };
      const tabla = (anchos: readonly number[], cabecera: readonly string[], filas: readonly FilaDePrueba[]) => {
        const row = (celdas: readonly string[]) => {
          const altos = celdas.map((texto, i) => d.heightOfString(texto || ' ', { width: (anchos[i] ?? 60) - 10 }));
          const alto = Math.max(...altos) + 8;
          if (room(alto) && repiteCabecera && celdas !== cabecera) row(cabecera);
          let x = 40;
          for (const [i, texto] of celdas.entries()) {
            place(texto, x + 4, y + 4, (anchos[i] ?? 60) - 10);
            x += anchos[i] ?? 60;
          }
          y += alto;
        };
        row(cabecera);
        for (const { textos, desde, hasta = '' } of filas) row([...textos, desde, hasta]);
      };

      d.text('CÉDULA DE IDENTIFICACIÓN FISCAL', 60, y).text(rfc, 60, y + 20);
      d.text('Registro Federal de Contribuyentes', 60, y + 30).text(`idCIF: ${idCif}`, 60, y + 50);
      d.text('CONSTANCIA DE SITUACIÓN FISCAL', 330, y).text('Lugar y Fecha de Emisión', 330, y + 14);
      y += 90;
      titulo('Datos de Identificación del Contribuyente:');
      for (const [etiqueta, valor] of identificacion) {
        const alto = place(valor, columnaDeValores, y, 580 - columnaDeValores);
        y += Math.max(alto, place(etiqueta, 46, y, columnaDeValores - 56)) + 8;
      }
      titulo('Datos del domicilio registrado');
      for (let i = 0; i < domicilio.length; i += 2) {
        const altos = domicilio
          .slice(i, i + 2)
          .map(([etiqueta, valor], j) => place(`${etiqueta}${valor}`, 46 + j * 270, y, 250));
        y += Math.max(...altos) + 6;
      }
      titulo('Actividades Económicas:');
      tabla(
        [40, 260, 70, 80, 70],
        ['Orden', 'Actividad Económica', 'Porcentaje', 'Fecha Inicio', 'Fecha Fin'],
        [{ textos: ['1', 'Comercio al por menor de libros', '100'], desde: '01/03/2011' }],
      );
      if (regimenes !== null) {
        titulo('Regímenes:');
        tabla([380, 75, 75], ['Régimen', 'Fecha Inicio', 'Fecha Fin'], regimenes);
      }
      if (obligaciones !== null) {
        titulo('Obligaciones:');
        tabla(
          [200, 180, 75, 75],
          ['Descripción de la Obligación', 'Descripción Vencimiento', 'Fecha Inicio', 'Fecha Fin'],
          obligaciones,
        );
      }
      if (!sinPie) {
        room(60);
        d.text('Sus datos personales son incorporados y protegidos en los sistemas del SAT.', 46, y + 10, {
          width: 500,
        });
        d.text(
          `Cadena Original Sello: ||2026/10/02 10:00:00|${rfc}|CONSTANCIA DE SITUACIÓN FISCAL|2000|AbC+/=||`,
          46,
          y + 30,
          { width: 500 },
        );
      }
      const { start, count } = d.bufferedPageRange();
      for (let i = start; i < start + count; i += 1) {
        d.switchToPage(i);
        d.text(`Página [${i + 1}] de [${count}]`, 500, 765, { lineBreak: false });
      }
    },
    { bufferPages: true },
  );
}

export const FISICA: ConstanciaDePrueba = {
  rfc: 'ÑUÑM850101AB1',
  idCif: '12345678901',
  identificacion: [
    ['RFC:', 'ÑUÑM850101AB1'],
    ['CURP:', 'XUXM850101MGTRMR09'],
    ['Nombre (s):', 'MARÍA DE LOS ÁNGELES'],
    ['Primer Apellido:', 'NUÑEZ'],
    ['Segundo Apellido:', 'MUÑOZ'],
    ['Fecha inicio de operaciones:', '15 DE ENERO DE 2010'],
    ['Estatus en el padrón:', 'ACTIVO'],
    ['Fecha de último cambio de estado:', '15 DE ENERO DE 2010'],
    ['Nombre Comercial:', ''],
  ],
  domicilio: [
    ['Código Postal:', '37000'],
    ['Tipo de Vialidad: ', 'CALLE'],
    ['Nombre de Vialidad: ', 'CALLE HIDALGO'],
    ['Número Exterior: ', '100'],
    ['Número Interior:', '12 Y 13'],
    ['Nombre de la Colonia: ', 'CENTRO'],
    ['Nombre de la Localidad: ', ''],
    ['Nombre del Municipio o Demarcación Territorial: ', 'DOLORES HIDALGO CUNA DE LA INDEPENDENCIA'],
    ['Nombre de la Entidad Federativa: ', 'GUANAJUATO'],
    ['Entre Calle: ', 'AVENIDA JUÁREZ'],
    ['Y Calle: ', 'CALLE DAKOTA'],
    ['Correo Electrónico: ', 'maria@example.com'],
    ['Tel. Fijo Lada: ', '55 Número: 123456'],
    ['Estado del domicilio: ', 'LOCALIZADO - Domicilio Localizado'],
  ],
  regimenes: [
    { textos: ['Régimen de Sueldos y Salarios e Ingresos Asimilados a Salarios'], desde: '01/01/2010' },
    { textos: ['Régimen de Incorporación Fiscal'], desde: '01/01/2014', hasta: '31/12/2021' },
    { textos: ['Régimen Simplificado de Confianza'], desde: '01/01/2022' },
  ],
  obligaciones: [
    {
      textos: ['Declaración anual de ISR. Personas Físicas.', 'A más tardar el 30 de abril del ejercicio siguiente.'],
      desde: '31/03/2010',
    },
    {
      textos: [
        'Pago provisional mensual de ISR por actividades empresariales. Régimen Simplificado de Confianza',
        'A más tardar el día 17 del mes inmediato posterior al periodo que corresponda.',
      ],
      desde: '01/01/2022',
      hasta: '31/12/2025',
    },
  ],
};

export const MORAL: ConstanciaDePrueba = {
  ...FISICA,
  rfc: 'H&Ñ951128469',
  identificacion: [
    ['RFC:', 'H&Ñ951128469'],
    [
      'Denominación/Razón Social:',
      'HERRAMIENTAS & ÑANDÚES DEL NORTE Y DEL SUR, COMERCIALIZADORA DE ARTÍCULOS PARA EL CAMPO, LA INDUSTRIA Y EL HOGAR',
    ],
    ['Régimen Capital:', 'SOCIEDAD ANONIMA DE CAPITAL VARIABLE'],
    ['Nombre Comercial:', ''],
    ['Fecha inicio de operaciones:', '28 DE SEPTIEMBRE DE 2005'],
    ['Estatus en el padrón:', 'REACTIVADO'],
    ['Fecha de último cambio de estado:', '05 DE JUNIO DE 2008'],
  ],
  regimenes: [{ textos: ['Régimen General de Ley Personas Morales'], desde: '05/06/2008' }],
};
