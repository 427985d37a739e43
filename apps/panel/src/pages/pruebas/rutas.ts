import type { Ruta } from '../../http/ruta.ts';

/** The addresses of this part of the panel. */
export const RUTAS_PRUEBAS: readonly Ruta[] = [];
