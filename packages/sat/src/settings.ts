import { choice, durationSeconds, integer, list, satAddressFields, secret, text, url } from '@acuse/runtime';
import { z } from 'zod';
import { CANALES_DESACTIVABLES } from './canales.ts';

const RESOLVEDORES = ['ninguno', 'simulador', 'http', 'consola', 'personas'] as const;

/** Settings of a process that calls the SAT, to be spread into its schema. */
export const satFields = {
  ...satAddressFields,
  SAT_CANALES_DESACTIVADOS: list('Canales o consultas apagados: soap, portal, publico, portal:listar-facturas…')
    .transform((names, context) => {
      const off = CANALES_DESACTIVABLES.filter((each) => names.includes(each));
      const unknown = names.filter((name) => !off.some((each) => each === name));
      if (unknown.length === 0) return off;
      const message = `no existe ${unknown.join(', ')}; los que hay: ${CANALES_DESACTIVABLES.join(', ')}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .default([]),
  SAT_MAX_CONCURRENT_PER_HOST: integer('Peticiones a la vez por servidor del SAT.', { min: 1, max: 1_000 }).default(
    250,
  ),
  SAT_TLS_CA: text('Autoridades TLS adicionales, PEM.').optional(),
  SAT_SESION_SECONDS: durationSeconds('Segundos sin uso tras los que una sesión en un portal del SAT se cierra.', {
    min: 1,
  }).default(900),
  SESSION_KEYS: secret(
    'Claves de 32 bytes que cifran las sesiones de los portales del SAT, id:base64 separadas por comas; la primera es la vigente. La misma en la API y los workers.',
  ),

  CAPTCHA_RESOLVER: choice(
    RESOLVEDORES,
    'Quién resuelve los captchas de los portales (CIEC); personas: quien conteste con `npx acuse operador captchas`.',
  ).default('ninguno'),
  CAPTCHA_SECONDS: durationSeconds('Segundos que se espera la respuesta a un captcha.', { min: 1 }).default(120),
  CAPTCHA_INTENTOS: integer('Imágenes que se intentan en un acceso.', { min: 1, max: 10 }).default(3),
  CAPTCHA_CONCURRENCY: integer(
    'Accesos con CIEC, y captchas, que van a la vez entre todos los procesos; una sola cuenta ocupa hasta cuatro quintos.',
    { min: 1, max: 1_000 },
  ).default(20),
  CAPTCHA_URL: url('Dirección del servicio que resuelve captchas.').optional(),
  CAPTCHA_TOKEN: secret('Credencial de ese servicio, con su prefijo si lleva uno.').optional(),
  CAPTCHA_CABECERA: text('Encabezado en el que va la credencial.').default('authorization'),
  CAPTCHA_CAMPO_IMAGEN: text('Campo JSON en el que va la imagen, en base64.').default('imagen'),
  CAPTCHA_CAMPO_RESPUESTA: text('Ruta del texto en la respuesta JSON, como resultado.texto.').default('respuesta'),
};

const satConfig = z.object(satFields);

/** {@link satFields} as they are read. */
export type SatConfig = Readonly<z.output<typeof satConfig>>;

/** Address of the service that reads captchas. Throws when the settings name a service without its address. */
export function captchaUrlOf(config: Pick<SatConfig, 'CAPTCHA_RESOLVER' | 'CAPTCHA_URL'>): string {
  const { CAPTCHA_RESOLVER: kind, CAPTCHA_URL: url } = config;
  if (url === undefined && (kind === 'http' || kind === 'simulador'))
    throw new Error(`CAPTCHA_URL: falta, y CAPTCHA_RESOLVER=${kind} la necesita`);
  return url ?? '';
}
