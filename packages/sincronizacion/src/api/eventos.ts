import { fechaField, tipoDescargaField } from '@acuse/contract';
import { cuantos, datosDeEvento, deRfc, type Eventos } from '@acuse/operation';
import { cursorField, motivoPausa } from './fields.ts';

export const EVENTOS: Eventos = {
  'cfdi.cambios': {
    datos: datosDeEvento('DatosCfdiCambios', {
      ...deRfc,
      tipo: tipoDescargaField.meta({ description: 'Qué CFDI se leyeron.' }),
      desde: fechaField.meta({ description: 'Primer día de emisión que se leyó.', example: '2026-01-01' }),
      hasta: fechaField.meta({ description: 'Último día de emisión que se leyó.' }),
      nuevos: cuantos('CFDI que se vieron por primera vez.', 12),
      cambiados: cuantos('CFDI que cambiaron.', 1),
      ausentes: cuantos('CFDI que el SAT ya no da.', 0),
      cursor: cursorField.meta({ description: 'Con él, sincronizacion/cambios da desde lo que encontró.' }),
    }),
  },
  'sincronizacion.pausada': { datos: datosDeEvento('DatosSincronizacionPausada', { ...deRfc, motivo: motivoPausa }) },
};
