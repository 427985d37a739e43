import type { Ruta } from '../../http/ruta.ts';
import { verAuditoria } from './auditoria.tsx';
import { contestarCaptcha, verCaptchas } from './captchas.tsx';
import { verColas } from './colas.tsx';
import { abonar } from './cuenta/abonar.ts';
import { ajustar } from './cuenta/ajustar.ts';
import { ofrecerCodigo } from './cuenta/ofrecer-codigo.tsx';
import { verCuenta } from './cuenta/pagina.tsx';
import { reabrir, suspender } from './cuenta/suspension.ts';
import { verCuentas } from './cuentas.tsx';
import { verInicio } from './inicio.tsx';
import { borrarEdos, importarEdos, pedirLista, verListas } from './listas.tsx';
import { confirmarPago, rechazarPago, verPagos } from './pagos.tsx';
import { verSalud } from './salud.tsx';
import { verSecretos } from './secretos.tsx';

/** The addresses of this part of the panel. */
export const RUTAS_OPERADOR: readonly Ruta[] = [
  verInicio,
  verCuentas,
  verCuenta,
  abonar,
  ajustar,
  suspender,
  reabrir,
  ofrecerCodigo,
  verPagos,
  confirmarPago,
  rechazarPago,
  verSalud,
  verSecretos,
  verCaptchas,
  contestarCaptcha,
  verListas,
  pedirLista,
  importarEdos,
  borrarEdos,
  verAuditoria,
  verColas,
];
