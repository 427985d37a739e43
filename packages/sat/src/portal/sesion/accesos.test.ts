import { wipeCredencial } from '@acuse/core';
import { expect, it } from 'vitest';
import { ciecDe, errorOf, RESOLVEDOR, setUp, solicitar, verificar } from '../testing/canal-de-prueba.ts';
import { createAccesos } from './accesos.ts';

/** A resolver that answers nobody before `open` is called. */
function held(answer = RESOLVEDOR) {
  let [asked, open] = [0, () => {}];
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    asked: () => asked,
    open: () => open(),
    captcha: {
      async resolve(imagen: Buffer, signal: AbortSignal) {
        asked += 1;
        await gate;
        return answer.resolve(imagen, signal);
      },
    },
  };
}

const IMPATIENT = { esperaAccesoMs: 0 };

it('a log-in behind a captcha keeps nobody: whoever needs it comes again, one after the other, and it is made once', async () => {
  const { captcha, asked, open } = held();
  const { portal, canal } = await setUp({ settings: IMPATIENT, captcha });
  const turnedAway = [];
  for (let n = 0; n < 5; n += 1) {
    const credencial = ciecDe();
    turnedAway.push(await errorOf(solicitar(canal, { credencial })));
    // A step wipes its credential when it is over; the log-in has its own.
    wipeCredencial(credencial);
  }
  expect(turnedAway.map(({ motivo, clase }) => [motivo, clase])).toEqual(Array(5).fill(['OCUPADO', 'reintentable']));
  const esperas = turnedAway.map(({ esperaMs }) => esperaMs);
  expect(esperas).toEqual([...new Set(esperas)].sort((a, b) => a - b));
  expect(esperas[0]).toBeGreaterThan(0);
  await expect.poll(asked).toBe(1);
  expect(portal.solicitudes).toHaveLength(0);
  open();
  await expect
    .poll(
      () =>
        solicitar(canal).then(
          ({ resultado }) => resultado,
          () => null,
        ),
      { timeout: 20_000 },
    )
    .toBe('ACEPTADA');
  await verificar(canal);
  expect([asked(), portal.envios()]).toEqual([1, 1]);
});

it('a log-in that fails is told to those who were sent away from it, and is not tried anew for each of them', async () => {
  const { captcha, asked, open } = held({ resolve: async () => 'mal' });
  const { canal } = await setUp({ settings: { ...IMPATIENT, captchaIntentos: 2 }, captcha });
  const motivo = async () => (await errorOf(verificar(canal))).motivo;
  for (let n = 0; n < 5; n += 1) expect(await motivo()).toBe('OCUPADO');
  open();
  await expect.poll(motivo, { timeout: 20_000 }).toBe('CAPTCHA_RECHAZADO');
  for (let n = 0; n < 4; n += 1) expect(await motivo()).toBe('CAPTCHA_RECHAZADO');
  expect(asked()).toBe(2);
});

it('a refused CIEC is told, sent once, and does not stand in the way of another one', async () => {
  const { portal, canal } = await setUp({ settings: { esperaAccesoMs: 60_000 } });
  expect((await errorOf(solicitar(canal, { credencial: ciecDe(undefined, 'mala') }))).motivo).toBe('CIEC_RECHAZADA');
  expect((await errorOf(solicitar(canal, { credencial: ciecDe(undefined, 'mala') }))).motivo).toBe('CIEC_RECHAZADA');
  expect(portal.envios()).toBe(1);
  expect(await solicitar(canal)).toMatchObject({ resultado: 'ACEPTADA' });
  expect(portal.envios()).toBe(2);
});

it('a log-in for which nobody waits ends with its process', async () => {
  const captcha = {
    resolve: (_imagen: Buffer, signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  };
  const { canal, sesiones } = await setUp({ settings: IMPATIENT, captcha });
  expect((await errorOf(verificar(canal))).motivo).toBe('OCUPADO');
  await canal.close();
  expect((await errorOf(verificar(canal))).motivo).toBe('CANCELADA');
  // The turn is given back.
  await expect
    .poll(() => sesiones.acquireTurn({ rfc: ciecDe().rfc, tipo: 'ciec' }, 1_000), { timeout: 20_000 })
    .not.toBeNull();
});

it('one account fills no process: another one has its log-in begun however many the first one has there', async () => {
  const accesos = createAccesos(0, wipeCredencial);
  const begun: string[] = [];
  const join = (clave: string, cuentaId: string) =>
    errorOf(
      accesos.join(clave, cuentaId, ciecDe(), new AbortController().signal, (_credencial, signal) => {
        begun.push(cuentaId);
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      }),
    );
  for (let n = 0; n < 300; n += 1) expect((await join(`uno ${n}`, 'uno')).motivo).toBe('OCUPADO');
  expect((await join('dos', 'dos')).motivo).toBe('OCUPADO');
  expect([begun.length > 100, begun.at(-1)]).toEqual([true, 'dos']);
  await accesos.close();
});
