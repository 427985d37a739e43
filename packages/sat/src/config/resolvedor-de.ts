import type { Captchas } from '@acuse/core';
import type { ResolvedorCaptcha } from '../portal/captcha/resolvedor-captcha.ts';
import { createResolvedorConsola } from '../portal/captcha/resolvedor-consola.ts';
import { createResolvedorHttp, createResolvedorSimulador } from '../portal/captcha/resolvedor-http.ts';
import { createResolvedorPersonas } from '../portal/captcha/resolvedor-personas.ts';
import type { SatConfig } from './sat-fields.ts';

/** Who reads captchas, as the settings say; null for nobody. Throws when what the settings name is not complete. */
export function resolvedorDe(config: SatConfig, captchas: Captchas | null): ResolvedorCaptcha | null {
  const { CAPTCHA_RESOLVER: kind, CAPTCHA_URL: url, CAPTCHA_TOKEN: token } = config;
  if (kind === 'ninguno') return null;
  if (kind === 'consola') return createResolvedorConsola({ entrada: process.stdin, salida: process.stderr });
  if (kind === 'personas') {
    if (captchas === null) throw new Error('CAPTCHA_RESOLVER=personas: este proceso no tiene base de datos');
    return createResolvedorPersonas({ captchas, plazoMs: config.CAPTCHA_SECONDS * 1_000 });
  }
  if (url === undefined) throw new Error(`CAPTCHA_URL: falta, y CAPTCHA_RESOLVER=${kind} la necesita`);
  if (kind === 'simulador') return createResolvedorSimulador({ url });
  return createResolvedorHttp({
    url,
    campoImagen: config.CAPTCHA_CAMPO_IMAGEN,
    campoRespuesta: config.CAPTCHA_CAMPO_RESPUESTA,
    ...(token === undefined ? {} : { token: { cabecera: config.CAPTCHA_CABECERA, valor: token } }),
  });
}
