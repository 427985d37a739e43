import type { DatosError, NombreError } from '@acuse/contract';

/** What the errors whose text points to `data` carry there. */
export const EJEMPLOS: Partial<Record<NombreError, DatosError>> = {
  CAMPO_FALTANTE: { campo: 'desde', motivo: 'falta' },
  CAMPO_DESCONOCIDO: { campo: 'solicitudId', motivo: 'no existe; ¿quiso decir solicitud_id?' },
  CAMPO_INVALIDO: { campo: 'desde', motivo: 'debe ser una fecha real con formato AAAA-MM-DD' },
  JSON_INVALIDO: { motivo: 'El error está en la línea 1, columna 18.' },
  RUTA_DESCONOCIDA: { motivo: '¿Quiso decir /api/v1/tax/facturas?' },
  RFC_INVALIDO: { campo: 'rfc', motivo: 'debe tener 12 o 13 caracteres con el formato de un RFC' },
  CERTIFICADO_INVALIDO: { campo: 'cer', motivo: 'El certificado venció.' },
  LLAVE_INVALIDA: { campo: 'password', motivo: 'La contraseña no abre la llave.' },
  SOLICITUD_SIN_TERMINAR: { reintentar_en: 60 },
  SOLICITUD_SIN_PAQUETE: { motivo: 'El SAT rechazó la solicitud.' },
  SOLICITUD_TERMINADA: { motivo: 'Terminó como TERMINADA.' },
  WEBHOOK_REPETIDO: { webhook_id: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f' },
  DEMASIADAS_PETICIONES: { reintentar_en: 1 },
  SALDO_NO_DISPONIBLE: { reintentar_en: 5 },
  ACCESO_CAMBIADO: { reintentar_en: 1 },
  ALMACEN_NO_DISPONIBLE: { reintentar_en: 60 },
};
