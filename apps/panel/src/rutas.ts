import type { Montaje, Ruta } from './http/ruta.ts';
import { RUTAS_CUENTA } from './pages/cuenta/rutas.ts';
import { RUTAS_INICIO } from './pages/inicio/rutas.ts';
import { COLAS } from './pages/operador/colas.tsx';
import { RUTAS_OPERADOR } from './pages/operador/rutas.ts';
import { RUTAS_RFCS } from './pages/rfcs/rutas.ts';
import { RUTAS_SALDO } from './pages/saldo/rutas.ts';
import { RUTAS_PRUEBAS } from './pages/sandbox/rutas.ts';
import { RUTAS_SOLICITUDES } from './pages/solicitudes/rutas.ts';

/** Every address of the panel. */
export const RUTAS: readonly Ruta[] = [
  ...RUTAS_INICIO,
  ...RUTAS_CUENTA,
  ...RUTAS_RFCS,
  ...RUTAS_SALDO,
  ...RUTAS_SOLICITUDES,
  ...RUTAS_PRUEBAS,
  ...RUTAS_OPERADOR,
];

/** Every application that is mounted whole. */
export const MONTAJES: readonly Montaje[] = [COLAS];
