import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFechaConstancia } from '../fechas.ts';
import { claveDeRegimen } from './campos.ts';

describe('claveDeRegimen', () => {
  it.each([
    ['Régimen General de Ley Personas Morales', '601'],
    ['Régimen de las Personas Morales con Fines no Lucrativos', '603'],
    ['Régimen de Sueldos y Salarios e Ingresos Asimilados a Salarios', '605'],
    ['RÉGIMEN DE ARRENDAMIENTO', '606'],
    ['Régimen de Enajenación o Adquisición de Bienes', '607'],
    ['Régimen de los demás ingresos', '608'],
    ['Residentes en el Extranjero sin Establecimiento Permanente en México', '610'],
    ['Régimen de Ingresos por Dividendos (socios y accionistas)', '611'],
    ['Régimen de las Personas Físicas con Actividades Empresariales y Profesionales', '612'],
    ['Régimen de los ingresos por intereses', '614'],
    ['Régimen de los ingresos por obtención de premios', '615'],
    ['Sin obligaciones fiscales', '616'],
    ['Sociedades Cooperativas de Producción que optan por diferir sus ingresos', '620'],
    ['Regimen de Incorporacion Fiscal', '621'],
    ['Régimen de Actividades Agrícolas, Ganaderas, Silvícolas y Pesqueras PM', '622'],
    ['Régimen Opcional para Grupos de Sociedades', '623'],
    ['Régimen de los Coordinados', '624'],
    ['Régimen de las Actividades Empresariales con ingresos a través de Plataformas Tecnológicas.', '625'],
    ['  régimen  simplificado de confianza ', '626'],
    ['Hidrocarburos', '628'],
    ['De los Regímenes Fiscales Preferentes y de las Empresas Multinacionales', '629'],
    ['Enajenación de acciones en bolsa de valores', '630'],
  ])('%s is %s', (nombre, clave) => {
    expect(claveDeRegimen(nombre)).toBe(clave);
    expect(claveDeRegimen(nombre.toUpperCase())).toBe(clave);
    expect(claveDeRegimen(nombre.normalize('NFD'))).toBe(clave);
  });

  it.each([
    '',
    'Régimen',
    'Régimen de Pequeños Contribuyentes',
    'Con obligaciones fiscales',
    'Personas Morales',
    'constructor',
  ])('does not guess a code for «%s»', (nombre) => {
    expect(claveDeRegimen(nombre)).toBeNull();
  });

  it('takes any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (nombre) => claveDeRegimen(nombre) === null));
  });
});

describe('readFecha', () => {
  it.each([
    ['03-11-2004', '2004-11-03'],
    ['29/02/2024', '2024-02-29'],
    ['28 DE SEPTIEMBRE DE 2005', '2005-09-28'],
    ['1 de  enero de 2010', '2010-01-01'],
  ])('%s is %s', (texto, fecha) => {
    expect(readFechaConstancia(texto)).toBe(fecha);
  });

  it.each([
    '',
    '29/02/2023',
    '31-04-2020',
    '03/11-2004',
    '2004-11-03',
    '11/03/04',
    '30 DE FEBRUARY DE 2020',
    '00/01/2020',
  ])('«%s» is none', (texto) => {
    expect(readFechaConstancia(texto)).toBeNull();
  });
});
