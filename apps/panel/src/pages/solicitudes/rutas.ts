import type { Ruta } from '../../http/ruta.ts';
import { avanceVivo } from './avance/avance-vivo.ts';
import { cancelarSolicitud, confirmarCancelacion } from './cancelar.tsx';
import { descargarPaquete } from './descargar.tsx';
import { detalleSolicitud } from './detalle.tsx';
import { listaSolicitudes } from './lista.tsx';
import { formularioNueva, pedirNueva } from './nueva.tsx';

/** The addresses of this part of the panel. */
export const RUTAS_SOLICITUDES: readonly Ruta[] = [
  listaSolicitudes,
  // Before the one that takes any id.
  formularioNueva,
  pedirNueva,
  detalleSolicitud,
  avanceVivo,
  descargarPaquete,
  confirmarCancelacion,
  cancelarSolicitud,
];
