import { datosDeEvento, deRfc, type Eventos, instante } from '@acuse/operation';
import { conexionIdData } from './fields.ts';

export const EVENTOS: Eventos = {
  'conexion.completada': {
    datos: datosDeEvento('DatosConexionCompletada', {
      ...deRfc,
      conexion_id: conexionIdData,
      hasta: instante('Hasta cuándo dio permiso el contribuyente.'),
    }),
  },
};
