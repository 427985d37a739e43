import type { Ruta } from '../../http/ruta.ts';
import { verAuditoria } from './auditoria.tsx';
import { contestarCaptcha, verCaptchas } from './captchas.tsx';
import { abonar, verCuenta } from './cuenta.tsx';
import { verCuentas } from './cuentas.tsx';
import { verInicio } from './inicio.tsx';
import { borrarEdos, importarEdos, pedirLista, verListas } from './listas.tsx';
import { confirmarPago, rechazarPago, verPagos } from './pagos.tsx';
import { verSalud } from './salud.tsx';

/** The addresses of this part of the panel. */
export const RUTAS_OPERADOR: readonly Ruta[] = [
  verInicio,
  verCuentas,
  verCuenta,
  abonar,
  verPagos,
  confirmarPago,
  rechazarPago,
  verSalud,
  verCaptchas,
  contestarCaptcha,
  verListas,
  pedirLista,
  importarEdos,
  borrarEdos,
  verAuditoria,
];
