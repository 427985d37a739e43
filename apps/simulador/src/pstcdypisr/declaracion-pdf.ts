import { createSheet } from '../ptsc32d/pdf/sheet.ts';
import { dayFirst, pesos } from '../world/texts.ts';
import { formatWallTime } from '../world/wall-time.ts';
import type { Declaracion } from './declaraciones.ts';
import type { TipoDocumento } from './pages.ts';

const TITULOS: Readonly<Record<TipoDocumento, string>> = {
  1: 'Declaración provisional o definitiva de impuestos federales',
  3: 'Acuse de recibo. Declaración provisional o definitiva de impuestos federales',
};

/** The document of a return, or its receipt: labels, values, and what was declared. Its layout is ours. */
export function declaracionPdf(
  declaracion: Declaracion,
  tipo: TipoDocumento,
  owner: { rfc: string; nombre: string },
): Promise<Buffer> {
  const sheet = createSheet(TITULOS[tipo], new Date(declaracion.presentacion * 1000));
  const datum = (label: string, value: string) =>
    sheet.row([
      [40, label],
      [220, value],
    ]);
  const [day = '', hour = ''] = formatWallTime(declaracion.presentacion).split(' ');
  sheet.heading('Servicio de Administración Tributaria');
  sheet.title(TITULOS[tipo]);
  datum('RFC:', owner.rfc);
  datum('Nombre:', owner.nombre);
  datum('Tipo de declaración:', declaracion.tipo);
  if (declaracion.tipoComplementaria !== '') datum('Tipo de complementaria:', declaracion.tipoComplementaria);
  datum('Período de la declaración:', declaracion.periodo.nombre);
  datum('Ejercicio:', String(declaracion.ejercicio));
  datum('Fecha y hora de presentación:', `${dayFirst(day)} ${hour.slice(0, 5)}`);
  datum('Número de operación:', declaracion.numeroOperacion);
  if (declaracion.lineaCaptura !== '') datum('Línea de captura:', declaracion.lineaCaptura);
  sheet.gap(8);
  sheet.heading('Impuestos que declara');
  for (const { nombre, importe } of declaracion.conceptos) datum(nombre, pesos(importe));
  return sheet.finish();
}
