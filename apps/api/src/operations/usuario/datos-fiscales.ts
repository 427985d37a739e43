import { ESTADOS_CONTRIBUYENTE, fechaField } from '@acuse/contract';
import { z } from 'zod';
import { rfcData, soloRfc, texto } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';
import { sinCanal } from '../../sin-canal.ts';

export default defineOperation({
  summary: 'Datos fiscales del contribuyente',
  description:
    'Régimen, domicilio e inicio de operaciones según la constancia de situación fiscal: por su idCIF cuando se conoce, si no con la credencial guardada.',
  credential: 'api-key',
  accepts: 'ciec-o-efirma-o-id-cif',
  cost: 1,
  rfc: 'propio',
  envelope: { descripcion: 'Datos fiscales del contribuyente' },
  body: soloRfc,
  data: z.object({
    rfc: rfcData,
    nombre: texto('Nombre, denominación o razón social.', 'COMERCIALIZADORA ACUÍFERA'),
    regimen_fiscal: texto('Clave y nombre del régimen.', '601 - General de Ley Personas Morales'),
    domicilio: z.object({
      calle: texto('Calle y número.', 'AV. REFORMA 100'),
      colonia: texto('Colonia.', 'JUÁREZ'),
      municipio: texto('Municipio o alcaldía.', 'CUAUHTÉMOC'),
      estado: texto('Entidad federativa.', 'CIUDAD DE MÉXICO'),
      cp: texto('Código postal.', '06600'),
    }),
    fecha_inicio_operaciones: fechaField,
    estatus: z
      .enum(ESTADOS_CONTRIBUYENTE)
      .meta({ description: 'Situación en el padrón.', example: 'ACTIVO' }),
  }),
  errors: ['SAT_NO_DISPONIBLE'],
  handle: sinCanal,
});
