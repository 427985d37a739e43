import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Sellado } from '@acuse/core';

const CIFRADO = 'aes-256-gcm';
const IV = 12;
const TAG = 16;

/**
 * Seals under a key that lives and dies with this process: for sessions kept in its memory. IV (12) ‖ ciphertext ‖ tag
 * (16).
 */
export function createSelladoEfimero(): Sellado {
  const key = randomBytes(32);
  return {
    seal(claro, contexto) {
      const iv = randomBytes(IV);
      const cipher = createCipheriv(CIFRADO, key, iv, { authTagLength: TAG });
      cipher.setAAD(bind(contexto));
      return Buffer.concat([iv, cipher.update(claro), cipher.final(), cipher.getAuthTag()]);
    },
    open(sellado, contexto) {
      if (sellado.length < IV + TAG) return null;
      const decipher = createDecipheriv(CIFRADO, key, sellado.subarray(0, IV), { authTagLength: TAG });
      decipher.setAAD(bind(contexto));
      decipher.setAuthTag(sellado.subarray(-TAG));
      const claro = decipher.update(sellado.subarray(IV, -TAG));
      try {
        return Buffer.concat([claro, decipher.final()]);
      } catch {
        return null;
      } finally {
        claro.fill(0);
      }
    },
  };
}

const bind = (contexto: readonly string[]) => Buffer.from(JSON.stringify(contexto));
