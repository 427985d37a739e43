import { randomUUID } from 'node:crypto';
import { type ClaveSesion, MAX_RECHAZOS, type SesionesPortal, type SesionPortal } from '@acuse/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

interface AlmacenDePrueba {
  readonly sesiones: SesionesPortal;
  /** Moves the clock of the store. */
  advance(ms: number): Promise<void> | void;
  close?(): Promise<void>;
}

const sesion = (): SesionPortal => ({
  id: randomUUID(),
  cookies: Buffer.from(randomUUID()),
  sal: 'c2Fs',
  huella: 'aHVlbGxh',
});

/** What every store of sessions must do. */
export function describeSesionesPortal(nombre: string, open: () => Promise<AlmacenDePrueba>): void {
  describe(`sessions ${nombre}`, () => {
    let almacen: AlmacenDePrueba;
    let s: SesionesPortal;
    let clave: ClaveSesion;
    let serie = 0;
    beforeAll(async () => {
      almacen = await open();
      s = almacen.sesiones;
    });
    afterAll(() => almacen.close?.());
    beforeEach(async () => {
      await s.takeEnded(0, 1_000);
      serie += 1;
      clave = { portal: 'cfdi', rfc: `AAA010101${String(serie).padStart(3, '0')}`, tipo: 'ciec' };
    });
    const loaded = async () => (await s.load(clave))?.sesion ?? null;
    const ended = async (idleMs: number) => (await s.takeEnded(idleMs, 100)).map((each) => each.sesion.id).sort();

    it('has none until one is kept, and gives it as it was, with its idle time', async () => {
      expect(await s.load(clave)).toBeNull();
      const una = sesion();
      await s.save(clave, una);
      await almacen.advance(5_000);
      const found = await s.load(clave);
      expect(found?.sesion).toEqual(una);
      expect(found?.idleMs).toBeGreaterThanOrEqual(5_000);
      expect(found?.idleMs).toBeLessThan(60_000);
      expect(found?.isNueva).toBe(true);
      await s.touch(clave, una.id, una.cookies);
      expect((await s.load(clave))?.isNueva).toBe(false);
    });

    it('keeps one for each portal, RFC and kind of credential', async () => {
      const claves: ClaveSesion[] = [
        clave,
        { ...clave, tipo: 'efirma' },
        { ...clave, portal: 'otro' },
        { ...clave, rfc: `B${clave.rfc.slice(1)}` },
      ];
      const sesiones = claves.map(sesion);
      for (const [i, each] of claves.entries()) await s.save(each, sesiones[i] ?? sesion());
      for (const [i, each] of claves.entries()) expect((await s.load(each))?.sesion).toEqual(sesiones[i]);
      expect(await ended(60_000)).toEqual([]);
    });

    it('puts a replaced one aside to be logged out, once', async () => {
      const [una, otra] = [sesion(), sesion()];
      await s.save(clave, una);
      await s.save(clave, otra);
      expect(await loaded()).toEqual(otra);
      const taken = await Promise.all([s.takeEnded(60_000, 100), s.takeEnded(60_000, 100)]);
      expect(taken.flat()).toEqual([{ clave, sesion: una }]);
      expect(await ended(60_000)).toEqual([]);
      expect(await loaded()).toEqual(otra);
    });

    it('keeps exactly one of several that are saved at once, and logs out the others', async () => {
      const varias = Array.from({ length: 2 }, sesion);
      await Promise.all(varias.map((each) => s.save(clave, each)));
      const viva = await loaded();
      expect(await ended(60_000)).toEqual(varias.map(({ id }) => id).filter((id) => id !== viva?.id));
    });

    it('notes use and keeps the cookies of the live one only', async () => {
      const una = sesion();
      await s.save(clave, una);
      await almacen.advance(90_000);
      await s.touch(clave, una.id, Buffer.from('nuevas'));
      expect(await loaded()).toEqual({ ...una, cookies: Buffer.from('nuevas') });
      expect((await s.load(clave))?.idleMs).toBeLessThan(60_000);
      await s.touch(clave, randomUUID(), Buffer.from('ajenas'));
      expect((await loaded())?.cookies).toEqual(Buffer.from('nuevas'));
      await s.drop(clave, una.id);
      await s.touch(clave, una.id, Buffer.from('muertas'));
      expect(await loaded()).toBeNull();
    });

    it('drops the one named and no other, without a log-out', async () => {
      const una = sesion();
      await s.save(clave, una);
      await s.drop(clave, randomUUID());
      expect(await loaded()).toEqual(una);
      await s.drop(clave, una.id);
      expect(await loaded()).toBeNull();
      expect(await ended(0)).toEqual([]);
    });

    it('gives up to the limit of the unused ones for log-out', async () => {
      const claves = ['a', 'b', 'c'].map((portal) => ({ ...clave, portal }));
      for (const each of claves) await s.save(each, sesion());
      await almacen.advance(90_000);
      await s.save({ ...clave, portal: 'd' }, sesion());
      expect(await s.takeEnded(60_000, 2)).toHaveLength(2);
      expect(await s.takeEnded(60_000, 2)).toHaveLength(1);
      expect(await s.takeEnded(60_000, 2)).toHaveLength(0);
      expect(await s.load({ ...clave, portal: 'd' })).not.toBeNull();
    });

    it('gives the turn to exactly one of many', async () => {
      const turnos = await Promise.all(Array.from({ length: 10 }, () => s.acquireTurn(clave, 60_000)));
      expect(turnos.filter((turno) => turno !== null)).toHaveLength(1);
      expect(await s.acquireTurn({ ...clave, tipo: 'efirma' }, 60_000)).not.toBeNull();
    });

    it('gives it to the next when it is given back, or when its holder is silent', async () => {
      const first = await s.acquireTurn(clave, 60_000);
      if (first === null) throw new Error('no turn');
      await s.releaseTurn(clave, first);
      const second = await s.acquireTurn(clave, 60_000);
      if (second === null) throw new Error('no turn');
      await s.releaseTurn(clave, first);
      expect(await s.acquireTurn(clave, 60_000)).toBeNull();
      await almacen.advance(61_000);
      expect(await s.extendTurn(clave, second, 60_000)).toBe(false);
      expect(await s.acquireTurn(clave, 60_000)).not.toBeNull();
      expect(await s.extendTurn(clave, second, 60_000)).toBe(false);
    });

    it('lets its holder hold on to it', async () => {
      const turno = await s.acquireTurn(clave, 60_000);
      if (turno === null) throw new Error('no turn');
      await almacen.advance(40_000);
      expect(await s.extendTurn(clave, turno, 60_000)).toBe(true);
      expect(await s.extendTurn(clave, turno, 10_000)).toBe(true);
      await almacen.advance(40_000);
      expect(await s.acquireTurn(clave, 60_000)).toBeNull();
    });

    const rechazo = (n: number) => ({
      sal: 'c2Fs',
      huella: `huella-${n}`,
      motivo: 'CIEC_RECHAZADA' as const,
      codigo: n % 2 === 0 ? 'CIEC' : null,
    });

    it('remembers refusals of an RFC and a kind of credential, newest first, each once', async () => {
      await s.saveRechazo(clave, rechazo(1));
      await almacen.advance(1_000);
      await s.saveRechazo(clave, rechazo(2));
      await almacen.advance(1_000);
      await s.saveRechazo(clave, rechazo(1));
      await almacen.advance(400 * 24 * 3_600_000);
      expect(await s.rechazos(clave)).toEqual([rechazo(1), rechazo(2)]);
      expect(await s.rechazos({ ...clave, tipo: 'efirma' })).toEqual([]);
    });

    it('forgets the oldest refusals past the limit', async () => {
      for (let n = 0; n < MAX_RECHAZOS + 3; n += 1) {
        await s.saveRechazo(clave, rechazo(n));
        await almacen.advance(1_000);
      }
      const huellas = (await s.rechazos(clave)).map(({ huella }) => huella);
      expect(huellas).toHaveLength(MAX_RECHAZOS);
      expect([huellas[0], huellas.at(-1)]).toEqual([`huella-${MAX_RECHAZOS + 2}`, 'huella-3']);
    });

    it('forgets the refusals of an RFC and has its sessions logged out when a credential is stored again', async () => {
      const ajena = { ...clave, rfc: `B${clave.rfc.slice(1)}` };
      const [una, efirma, otra] = [sesion(), sesion(), sesion()];
      await s.save(clave, una);
      await s.save({ ...clave, tipo: 'efirma' }, efirma);
      await s.save(ajena, otra);
      await s.saveRechazo(clave, rechazo(1));
      await s.saveRechazo(ajena, rechazo(2));
      await s.forget(clave.rfc);
      expect(await loaded()).toBeNull();
      expect(await s.rechazos(clave)).toEqual([]);
      expect(await s.rechazos(ajena)).toHaveLength(1);
      expect(await ended(60_000)).toEqual([una.id, efirma.id].sort());
      expect((await s.load(ajena))?.sesion).toEqual(otra);
    });
  });
}
