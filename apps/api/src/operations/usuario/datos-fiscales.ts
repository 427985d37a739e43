import { ESTADOS_CONTRIBUYENTE, fechaField } from '@acuse/contract';
import { camino, rfcData, soloRfc, texto } from '@acuse/operation';
import { z } from 'zod';
import { constanciaDe } from '../../consultas/constancia.ts';
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  summary: 'Datos fiscales del contribuyente',
  description:
    'Régimen, domicilio e inicio de operaciones según la constancia de situación fiscal: por su idCIF cuando se conoce, si no con la credencial guardada.',
  credential: 'api-key',
  accepts: 'ciec-o-efirma-o-id-cif',
  needs:
    'El SAT da los datos fiscales en la constancia, que entrega con la CIEC o la e.firma, o a quien conoce su idCIF. Guarde la CIEC o la e.firma, o registre el idCIF con rfc-registrar.',
  effect: 'asks',
  cost: 1,
  rfc: 'propio',
  envelope: { descripcion: 'Datos fiscales del contribuyente' },
  body: soloRfc,
  data: z.object({
    rfc: rfcData,
    nombre: texto('Nombre, denominación o razón social.', 'COMERCIALIZADORA ACUÍFERA'),
    regimen_fiscal: texto('Clave y nombre del régimen.', '601 - General de Ley Personas Morales'),
    domicilio: z
      .object({
        calle: texto('Calle y número.', 'AV. REFORMA 100'),
        colonia: texto('Colonia.', 'JUÁREZ'),
        municipio: texto('Municipio o alcaldía.', 'CUAUHTÉMOC'),
        estado: texto('Entidad federativa.', 'CIUDAD DE MÉXICO'),
        cp: texto('Código postal.', '06600'),
      })
      .meta({ id: 'Domicilio', description: 'Domicilio fiscal.' }),
    fecha_inicio_operaciones: fechaField.meta({ example: '2020-01-01' }),
    estatus: z
      .enum(ESTADOS_CONTRIBUYENTE)
      .meta({ id: 'EstadoContribuyente', description: 'Situación en el padrón.', example: 'ACTIVO' }),
    regimenes: z
      .array(texto('Clave y nombre.', '601 - General de Ley Personas Morales'))
      .meta({ description: 'Todos los regímenes.' }),
    curp: z.string().nullable().meta({ description: 'CURP de una persona física.', example: null }),
    ...camino,
  }),
  asks: ['consultar-constancia-qr', 'descargar-constancia'],
  errors: ['SAT_NO_DISPONIBLE', 'CIEC_NO_GUARDADA'],

  async handle({ rfc }, contexto) {
    const { respuesta, camino: por } = await constanciaDe(contexto, rfc);
    const { nombre, regimenes, domicilio, fechaInicioOperaciones, estatus, curp } = respuesta;
    const { calle, colonia, municipio, estado, cp } = domicilio;
    const nombres = regimenes.map((regimen) =>
      regimen.clave === null ? regimen.nombre : `${regimen.clave} - ${regimen.nombre}`,
    );
    return {
      rfc,
      nombre,
      regimen_fiscal: nombres[0] ?? '',
      domicilio: { calle, colonia, municipio, estado, cp },
      fecha_inicio_operaciones: fechaInicioOperaciones,
      estatus,
      regimenes: nombres,
      curp,
      ...por,
    };
  },
});
