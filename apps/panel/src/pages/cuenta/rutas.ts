import type { Ruta } from '../../http/ruta.ts';
import { entrar, verEntrar } from './entrar.tsx';
import { registrarse, verRegistro } from './registro.tsx';
import { raiz, salir } from './salir.ts';

/** The addresses of this part of the panel. */
export const RUTAS_CUENTA: readonly Ruta[] = [raiz, verRegistro, registrarse, verEntrar, entrar, salir];
