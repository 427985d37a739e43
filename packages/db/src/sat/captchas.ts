import { randomUUID } from 'node:crypto';
import type { CaptchaPendiente, Captchas } from '@acuse/core';
import { nota } from '../cuentas/auditoria.ts';
import type { Database } from '../database.ts';
import { execute, isOne, rowsOf } from '../statements.ts';

const ASK = `INSERT INTO captcha_pendiente (id, imagen, vence_en) VALUES ($1, $2, now() + $3 * interval '1 millisecond')`;

const PENDIENTES = `
SELECT id, imagen, creado_en AS "creadoEn", vence_en AS "venceEn" FROM captcha_pendiente
WHERE respuesta IS NULL AND vence_en > now() ORDER BY creado_en, id`;

const ANSWER = `
WITH contestado AS (
  UPDATE captcha_pendiente SET respuesta = $4 WHERE id::text = $1 AND respuesta IS NULL AND vence_en > now() RETURNING id
)
${nota({
  accion: 'contestar-captcha',
  de: 'contestado',
  cuenta: 'NULL::uuid',
  detalle: `jsonb_build_object('captcha', id)`,
  actor: '$2',
  ip: '$3',
})}`;

/** Captchas that wait for a person, over PostgreSQL. */
export function createCaptchas({ pool }: Pick<Database, 'pool'>): Captchas {
  return {
    async ask(imagen, plazoMs) {
      const id = randomUUID();
      await execute(pool, ASK, [id, imagen, plazoMs]);
      return id;
    },
    async respuesta(id) {
      const rows = await rowsOf<{ respuesta: string | null }>(
        pool,
        'SELECT respuesta FROM captcha_pendiente WHERE id = $1',
        [id],
      );
      return rows[0]?.respuesta ?? null;
    },
    async drop(id) {
      await execute(pool, 'DELETE FROM captcha_pendiente WHERE id = $1', [id]);
    },
    async pendientes() {
      return await rowsOf<CaptchaPendiente>(pool, PENDIENTES);
    },
    async answer(id, texto, { actor, ip }) {
      return isOne(pool, ANSWER, [id, actor, ip, texto]);
    },
    async tidy() {
      return await execute(pool, 'DELETE FROM captcha_pendiente WHERE vence_en <= now()');
    },
  };
}
