import type { Ruta } from '../../http/ruta.ts';
import { compra } from './compra.tsx';
import { comprar, confirmar, elegir } from './comprar.tsx';
import { compras } from './compras.tsx';
import { movimientos, movimientosCsv } from './libro.tsx';
import { cambiarAviso, resumen } from './resumen.tsx';
import { cancelarCompra, continuarCompra, regreso } from './seguir-compra.ts';

/** The addresses of this part of the panel. */
export const RUTAS_SALDO: readonly Ruta[] = [
  resumen,
  cambiarAviso,
  movimientos,
  movimientosCsv,
  elegir,
  confirmar,
  comprar,
  compras,
  compra,
  cancelarCompra,
  continuarCompra,
  regreso,
];
