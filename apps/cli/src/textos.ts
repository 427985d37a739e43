import type { MotivoRechazo } from '@acuse/db';

/** What an operator reads when the state of the database does not allow an order. */
export const TEXTOS: Record<MotivoRechazo, string> = {
  EMAIL_REPETIDO: 'Ya existe una cuenta o un usuario con ese correo. Use otro, o el que ya existe.',
  RFC_REPETIDO: 'La cuenta ya tiene ese RFC.',
  CUENTA_DESCONOCIDA: 'No existe una cuenta con ese correo. Créela con: cuenta crear',
  USUARIO_DESCONOCIDO: 'No existe un usuario del panel con ese correo. Créelo con: usuario crear',
  RFC_DESCONOCIDO: 'La cuenta no tiene ese RFC. Agréguelo con: rfc agregar',
  LLAVE_DESCONOCIDA: 'No existe una API key con ese identificador.',
  LLAVE_CAMBIADA: 'La API key del RFC cambió mientras tanto. Revise cuál es la vigente y repita.',
  CREDITOS_INVALIDOS: 'Los créditos deben ser un número entero entre 1 y 100,000,000.',
};
