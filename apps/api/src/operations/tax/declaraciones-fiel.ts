import { ejercicioField, fechaField } from '@acuse/contract';
import { checkEjercicio, listOf, rfcYEjercicio, texto } from '@acuse/operation';
import { z } from 'zod';
import { askSat } from '../../consultas/ask-sat.ts';
import { consultarLista } from '../../consultas/consultar.ts';
import { defineOperation } from '../../operation.ts';

const declaracion = z
  .object({
    id: texto('Número de operación.', '4512367890'),
    tipo: texto('Tipo de declaración.', 'Normal'),
    periodicidad: texto('Periodicidad; nula hasta el ejercicio 2021, cuyo portal no la dice.', 'Mensual').nullable(),
    periodo: texto('Periodo declarado.', 'Enero'),
    ejercicio: ejercicioField,
    fecha: fechaField.meta({ example: '2025-02-17' }),
    complementaria: z.boolean().meta({ description: 'Si corrige a otra.', example: false }),
    estado: texto(
      'Estado de la declaración; nulo hasta el ejercicio 2021, cuyo portal no lo dice.',
      'PRESENTADA',
    ).nullable(),
    tipo_complementaria: z
      .string()
      .nullable()
      .meta({ description: 'Qué corrige, si es complementaria.', example: null }),
    linea_captura: texto('Línea de captura, si la hay.', '0426 0A1B 2C3D 4E5F 6071').nullable(),
  })
  .meta({ id: 'Declaracion' });

/**
 * The SAT keeps returns for ten years (article 67 of the Código Fiscal de la Federación); its portal may show fewer.
 */
const ANIOS = 10;

export default defineOperation({
  summary: 'Declaraciones presentadas, con e.firma',
  description: 'Lista las declaraciones del ejercicio. La consulta se hace con la e.firma guardada.',
  credential: 'efirma',
  effect: 'asks',
  cost: 1,
  isPaginada: true,
  rfc: 'propio',
  body: rfcYEjercicio,
  data: listOf('ListaDeclaraciones', declaracion),
  asks: ['listar-declaraciones'],
  errors: ['SAT_NO_DISPONIBLE'],
  check: ({ ejercicio }, now) => checkEjercicio(ejercicio, ANIOS, now),

  handle({ rfc, ejercicio }, contexto) {
    const consulta = { consulta: 'listar-declaraciones', rfc, ejercicio } as const;
    return consultarLista(
      contexto,
      async (credencial, propio) => (await askSat(propio, consulta, credencial)).declaraciones,
      (d) => ({
        id: d.numeroOperacion,
        tipo: d.tipo,
        periodicidad: d.periodicidad,
        periodo: d.periodo,
        ejercicio: d.ejercicio,
        fecha: d.fecha,
        complementaria: d.complementaria,
        estado: d.estado,
        tipo_complementaria: d.tipoComplementaria,
        linea_captura: d.lineaCaptura,
      }),
    );
  },
});
