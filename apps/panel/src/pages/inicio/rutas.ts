import type { Ruta } from '../../http/ruta.ts';
import { verInicio } from './inicio.tsx';
import { verPortada } from './portada.tsx';

/** The first page of strangers and the first page of those who have logged in. */
export const RUTAS_INICIO: readonly Ruta[] = [verPortada, verInicio];
