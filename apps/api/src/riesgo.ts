import { z } from 'zod';
import { texto, uuidData } from './fields.ts';

const suma = z
  .object({
    cfdi: z.int().min(0).meta({ description: 'Cuántos.', example: 2 }),
    monto: texto('Sus pesos, decimal.', '2320.00'),
  })
  .meta({ id: 'SumaCfdi' });
const sumas = z.object({ ingresos: suma, egresos: suma }).meta({ id: 'SumasCfdi' });

/** The CFDI with a counterparty. */
export const contraparteCfdi = z
  .object({
    total: z.int().min(0).meta({ description: 'CFDI vigentes, de ingreso o de egreso, con ella.', example: 2 }),
    recibidos: sumas,
    emitidos: sumas,
    uuids: z.array(uuidData('UUID del CFDI.')).meta({ description: 'Los más nuevos, a lo más 20.' }),
  })
  .meta({ id: 'CfdiDeContraparte' });
