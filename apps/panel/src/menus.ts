import type { MenusPanel } from '@acuse/page';
import { FEATURES } from './features.ts';

/** The menus of the panel: entries of features stand between those of the core. */
export const MENUS: MenusPanel = {
  principal: [
    ['/inicio', 'Inicio', 'M4 11l8-7 8 7v9h-6v-6h-4v6H4z', 'inicio'],
    ['/rfcs', 'RFC', 'M3 5h18v14H3zM7 15h4M14 9h4M14 13h4M9 11a2 2 0 1 0-.01 0z', 'rfcs'],
    ['/solicitudes', 'Solicitudes', 'M12 3v11M7.5 10l4.5 4.5 4.5-4.5M4 17v4h16v-4', 'solicitudes'],
    ['/saldo', 'Saldo', 'M4 6c0-4 16-4 16 0s-16 4-16 0v12c0 4 16 4 16 0V6M4 12c0 4 16 4 16 0', 'saldo'],
    ...FEATURES.flatMap(({ menu = [] }) => menu),
    ['/pruebas', 'Probar', 'M3 4h18v16H3zM7 9l3 3-3 3M13 15h4', 'pruebas'],
    ['/cuenta', 'Cuenta', 'M12 11a4 4 0 1 0-.01 0zM4 21c0-8 16-8 16 0'],
  ],
  operacion: [
    ['/operador', 'Resumen'],
    ['/operador/cuentas', 'Cuentas'],
    ['/operador/pagos', 'Pagos'],
    ['/operador/secretos', 'Secretos'],
    ['/operador/captchas', 'Captchas'],
    ...FEATURES.flatMap(({ operacion = [] }) => operacion),
    ['/operador/auditoria', 'Auditoría'],
    ['/operador/colas', 'Colas'],
  ],
  rfc: [
    ['', 'Resumen', 'rfcs'],
    ['/llave', 'API key', 'llaves'],
    ['/credenciales', 'Credenciales', 'credenciales'],
    ...FEATURES.flatMap(({ rfc = [] }) => rfc),
    ['/operaciones', 'Operaciones', 'accesos'],
    ['/direcciones', 'Direcciones IP', 'accesos'],
  ],
};
