import { createCaptchas } from '@acuse/db';
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../fixtures/database.ts';

const PERSONA = { actor: 'prueba', ip: null };

const t = useDatabase();

describe('captchas that wait for a person', () => {
  it('go to the person as they came, oldest first, and the answer comes back', async () => {
    const captchas = createCaptchas(t.db);
    const imagen = Buffer.from([0x89, 0, 255, 13, 10]);
    const id = await captchas.ask(imagen, 60_000);
    const otro = await captchas.ask(Buffer.from('b'), 60_000);
    const pendientes = await captchas.pendientes();
    expect(pendientes.map((each) => each.id)).toEqual([id, otro]);
    expect(pendientes[0]?.imagen).toEqual(imagen);
    expect(pendientes[0]?.venceEn.getTime()).toBe((pendientes[0]?.creadoEn.getTime() ?? 0) + 60_000);
    expect(await captchas.respuesta(id)).toBeNull();
    expect(await captchas.answer(id, 'ABC123', PERSONA)).toBe(true);
    expect(await captchas.answer(id, 'tarde', PERSONA)).toBe(false);
    expect(await captchas.respuesta(id)).toBe('ABC123');
    expect((await captchas.pendientes()).map((each) => each.id)).toEqual([otro]);
    await captchas.drop(id);
    await captchas.drop(otro);
    expect(await captchas.respuesta(id)).toBeNull();
    expect(await captchas.answer(otro, 'X', PERSONA)).toBe(false);
    expect(await captchas.answer('no es un id', 'X', PERSONA)).toBe(false);
  });

  it('are not shown nor answered once they are over, and are deleted', async () => {
    const captchas = createCaptchas(t.db);
    const id = await captchas.ask(Buffer.from('a'), 60_000);
    const vivo = await captchas.ask(Buffer.from('b'), 60_000);
    await t.db.pool.query(`UPDATE captcha_pendiente SET vence_en = now() - interval '1 second' WHERE id = $1`, [id]);
    expect((await captchas.pendientes()).map((each) => each.id)).toEqual([vivo]);
    expect(await captchas.answer(id, 'X', PERSONA)).toBe(false);
    expect([await captchas.tidy(), await captchas.tidy()]).toEqual([1, 0]);
    expect(await captchas.answer(vivo, 'X', PERSONA)).toBe(true);
  });
});
