import { toForma } from '../texto/forma.ts';

/** Catalogue c_RegimenFiscal of CFDI 4.0 (SAT, Anexo 20), 609 and 629 to 630 of earlier editions included. */
const CATALOGO: Readonly<Record<string, string>> = {
  '601': 'General de Ley Personas Morales',
  '603': 'Personas Morales con Fines no Lucrativos',
  '605': 'Sueldos y Salarios e Ingresos Asimilados a Salarios',
  '606': 'Arrendamiento',
  '607': 'Régimen de Enajenación o Adquisición de Bienes',
  '608': 'Demás ingresos',
  '609': 'Consolidación',
  '610': 'Residentes en el Extranjero sin Establecimiento Permanente en México',
  '611': 'Ingresos por Dividendos (socios y accionistas)',
  '612': 'Personas Físicas con Actividades Empresariales y Profesionales',
  '614': 'Ingresos por intereses',
  '615': 'Régimen de los ingresos por obtención de premios',
  '616': 'Sin obligaciones fiscales',
  '620': 'Sociedades Cooperativas de Producción que optan por diferir sus ingresos',
  '621': 'Incorporación Fiscal',
  '622': 'Actividades Agrícolas, Ganaderas, Silvícolas y Pesqueras',
  '623': 'Opcional para Grupos de Sociedades',
  '624': 'Coordinados',
  '625': 'Régimen de las Actividades Empresariales con ingresos a través de Plataformas Tecnológicas',
  '626': 'Régimen Simplificado de Confianza',
  '628': 'Hidrocarburos',
  '629': 'De los Regímenes Fiscales Preferentes y de las Empresas Multinacionales',
  '630': 'Enajenación de acciones en bolsa de valores',
};

/** Wordings of constancias that differ from the catalogue by more than articles. */
const OTRAS_FORMAS: Readonly<Record<string, string>> = {
  'Sueldos y Salarios': '605',
  'Sueldos y Salarios e Ingresos Asimilados': '605',
  'Ingresos por Dividendos': '611',
  'Personas Físicas con Actividad Empresarial y Profesional': '612',
  'Actividades Empresariales y Profesionales': '612',
  'Ingresos por obtención de premios': '615',
  'Sociedades Cooperativas de Producción que optan por diferir sus ingresos para ISR': '620',
  'Plataformas Tecnológicas': '625',
  'Simplificado de Confianza Personas Físicas': '626',
  'Simplificado de Confianza Personas Morales': '626',
  'Enajenación de acciones en bolsas de valores': '630',
};

const CLAVES = new Map<string, string>([
  ...Object.entries(CATALOGO).map(([clave, nombre]): [string, string] => [toClave(nombre), clave]),
  ...Object.entries(OTRAS_FORMAS).map(([nombre, clave]): [string, string] => [toClave(nombre), clave]),
]);

/**
 * The code of c_RegimenFiscal for the name that a constancia gives, which puts `Régimen de las …` before the
 * catalogue's and sometimes `PM` behind. Letter case, accents, punctuation and articles do not count; everything else
 * must be the same. Null for any other name.
 */
export function claveDeRegimen(nombre: string): string | null {
  return CLAVES.get(toClave(nombre)) ?? null;
}

function toClave(nombre: string): string {
  return toForma(nombre)
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .replace(/^regimen /, '')
    .replace(/ p[mf]$/, '')
    .split(' ')
    .filter((palabra) => !['de', 'del', 'la', 'las', 'el', 'los'].includes(palabra))
    .join(' ');
}
