import type { Frases } from '@acuse/page';

/** Changes that the audit log has of correo. */
export const frases: Frases = {
  'pedir-password': ['Enlace para elegir contraseña', 'Se pidió por correo un enlace para elegir otra contraseña.'],
  'verificar-correo': ['Correo confirmado', 'Mostró que el correo es suyo.'],
  'cambiar-avisos-correo': [
    'Avisos por correo',
    ({ apagados }) =>
      Array.isArray(apagados) && apagados.length > 0
        ? `Pidió que no se le avise por correo de: ${apagados.join(', ')}.`
        : 'Pidió todos los avisos por correo.',
  ],
};
