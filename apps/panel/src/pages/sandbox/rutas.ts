import type { Ruta } from '../../http/ruta.ts';
import { verPruebas } from './indice.tsx';
import { olvidarLlaves } from './olvidar-llaves.ts';
import { probarOperacion, verOperacion } from './operacion.tsx';

/** The addresses of this part of the panel. */
export const RUTAS_PRUEBAS: readonly Ruta[] = [verPruebas, verOperacion, probarOperacion, olvidarLlaves];
