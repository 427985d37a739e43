import { wipeCredencial } from '@acuse/core';
import type { ResolvedorCaptcha } from '@acuse/sat';
import { logoutEnded } from '@acuse/sat/portal';
import { describe, expect, it } from 'vitest';
import { createAccesos } from '../../packages/sat/src/portal/sesion/accesos.ts';
import { PORTAL_DEFAULTS } from '../../packages/sat/src/portal/settings.ts';
import {
  ciecDe,
  edited,
  errorOf,
  type Mount,
  newRfc,
  resolvedorDe,
  SOLICITAR,
  setUp,
  simulate,
  VERIFICAR,
} from './setup.ts';

const claveDe = ({ rfc }: Mount) => ({ portal: 'cfdi', rfc, tipo: 'ciec' }) as const;
const { signal } = new AbortController();
const solicitudes = (m: Mount) => m.calls('DescargaMetadatos').length;
const logout = (m: Mount, idleMs: number = PORTAL_DEFAULTS.sesionInactivaMs, canal = m.canal) =>
  logoutEnded(m.sesiones, idleMs, signal, (ended) => canal.leave(ended, signal));
const salidas = (m: Mount) => m.calls('Salir', 'portalcfdi').map(({ rfc }) => rfc);

describe('a session of a portal', () => {
  it('serves many consultas of one RFC, at once and in a row, and none of another', async () => {
    const m = await setUp();
    const otro = ciecDe(newRfc());
    const emitidos = { ...SOLICITAR, tipo: 'emitidos' } as const;
    await Promise.all([m.ask(SOLICITAR), m.ask(VERIFICAR), m.ask(emitidos), m.ask(SOLICITAR, otro)]);
    await Promise.all([m.ask(VERIFICAR), m.ask(SOLICITAR, otro)]);
    expect(m.accesos()).toBe(2);
  });

  it('is of no use to a wrong CIEC of the same RFC', async () => {
    const m = await setUp();
    await m.ask(SOLICITAR);
    expect(await errorOf(m.ask(SOLICITAR, ciecDe(m.rfc, 'adivinada')))).toMatchObject({ motivo: 'CIEC_RECHAZADA' });
    await m.ask(SOLICITAR);
    expect(m.accesos()).toBe(2);
  });

  it('is opened again once it was idle for too long, and not while it is used', async () => {
    const m = await setUp({ settings: { sesionInactivaMs: 60_000 } });
    for (let i = 0; i < 4; i += 1) {
      await m.ask(VERIFICAR);
      m.advance(50_000);
    }
    expect(m.accesos()).toBe(1);
    m.advance(20_000);
    await m.ask(VERIFICAR);
    expect(m.accesos()).toBe(2);
  });

  it.each(['ElegirFiltro', 'Buscar', 'DescargaMetadatos'])('that ends just before %s is opened anew', async (paso) => {
    const m = await setUp();
    await m.ask(VERIFICAR);
    m.fault('portalcfdi', paso, { kind: 'expired', times: 1 });
    expect(await m.ask(SOLICITAR)).toMatchObject({ resultado: 'ACEPTADA' });
    expect(m.accesos()).toBe(2);
  });

  it('is logged out, once, when nobody has used it for its life, and nothing younger', async () => {
    const m = await setUp();
    const otro = ciecDe(newRfc());
    await m.ask(SOLICITAR);
    m.advance(10 * 60_000);
    await m.ask(SOLICITAR, otro);
    m.advance(6 * 60_000);
    expect(await Promise.all([logout(m), logout(m, undefined, m.another())])).toEqual([1, 0]);
    expect(salidas(m)).toEqual([m.rfc]);
    expect(await m.sesiones.load(claveDe(m))).toBeNull();
    expect(await logout(m, 0)).toBe(1);
    expect(salidas(m)).toEqual([m.rfc, otro.rfc]);
  });

  it('is logged out when its credential is stored again', async () => {
    const m = await setUp();
    await m.ask(SOLICITAR);
    await m.sesiones.forget(m.rfc);
    await m.ask(SOLICITAR);
    expect(await logout(m)).toBe(1);
    await m.ask(SOLICITAR);
    expect([m.accesos(), salidas(m)]).toEqual([2, [m.rfc]]);
  });

  it('is stored as cookies that tell nothing and open nowhere else; what cannot be read is opened anew', async () => {
    const m = await setUp();
    const otro = ciecDe(newRfc());
    await m.ask(SOLICITAR);
    await m.ask(SOLICITAR, otro);
    const [una, ajena] = await Promise.all([
      m.sesiones.load(claveDe(m)),
      m.sesiones.load({ ...claveDe(m), rfc: otro.rfc }),
    ]);
    if (una === null || ajena === null) throw new Error('no session');
    for (const secreto of ['FedAuth', 'JSESSIONID', String(ciecDe(m.rfc).ciec)]) {
      expect(una.sesion.cookies.includes(secreto)).toBe(false);
    }
    await m.sesiones.save({ ...claveDe(m), rfc: otro.rfc }, { ...ajena.sesion, cookies: una.sesion.cookies });
    await m.ask(SOLICITAR, otro);
    expect(m.accesos()).toBe(3);
    await m.sesiones.save(claveDe(m), { ...una.sesion, cookies: Buffer.from('roto') });
    await m.ask(SOLICITAR);
    expect(m.accesos()).toBe(4);
  });

  it.each([
    ['another RFC', (texto: string) => texto.replace(/RFC Autenticado: \w+/, 'RFC Autenticado: XAXX010101000')],
    ['none', (texto: string) => texto.replace('LblRfcAutenticado', 'otro')],
  ])('is not believed in when the portal names %s, and left at once', async (_name, change) => {
    const m = await setUp();
    m.fault('portalcfdi', 'Inicio', edited(change));
    expect(await errorOf(m.ask(SOLICITAR))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect([salidas(m), solicitudes(m)]).toEqual([[m.rfc], 0]);
    expect(await m.sesiones.load(claveDe(m))).toBeNull();
  });

  it('that cannot be stored is left at once; one that is not noted as used costs no answer', async () => {
    const m = await setUp();
    const away = () => Promise.reject(new Error('away'));
    const lost = m.another({ sesiones: { ...m.sesiones, save: away } });
    await expect(m.ask(SOLICITAR, undefined, { canal: lost })).rejects.toThrow('away');
    expect(salidas(m)).toEqual([m.rfc]);
    await errorOf(m.ask(SOLICITAR, ciecDe(m.rfc, 'equivocada')));
    expect(salidas(m)).toHaveLength(1);
    const untouched = m.another({ sesiones: { ...m.sesiones, touch: away } });
    expect(await m.ask(SOLICITAR, undefined, { canal: untouched })).toMatchObject({ resultado: 'ACEPTADA' });
  });

  it('is not put back where another one has replaced it meanwhile', async () => {
    const m = await setUp();
    await m.ask(VERIFICAR);
    const antigua = await m.sesiones.load(claveDe(m));
    if (antigua === null) throw new Error('no session');
    const nueva = { ...antigua.sesion, id: 'nueva' };
    m.fault('portalcfdi', 'Buscar', {
      kind: 'edited',
      edit: async (answer) => {
        await m.sesiones.save(claveDe(m), nueva);
        return answer;
      },
    });
    await m.ask(SOLICITAR);
    expect((await m.sesiones.load(claveDe(m)))?.sesion).toEqual(nueva);
  });
});

describe('several processes over one store', () => {
  it('log in once when they start together, and send a wrong CIEC once, now and later', async () => {
    const m = await setUp();
    const canales = [m.canal, m.another(), m.another(), m.another()];
    await Promise.all(canales.map((canal) => m.ask(SOLICITAR, undefined, { canal })));
    expect([m.accesos(), solicitudes(m)]).toEqual([1, 4]);
    const mala = ciecDe(newRfc(), 'equivocada');
    for (const error of await Promise.all(canales.map((canal) => errorOf(m.ask(SOLICITAR, mala, { canal }))))) {
      expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA', codigo: 'CIEC', clase: 'credencial' });
    }
    m.advance(400 * 24 * 3_600_000);
    const lowercase = { ...mala, rfc: mala.rfc.toLowerCase() };
    expect(await errorOf(m.ask(SOLICITAR, lowercase, { canal: m.another() }))).toMatchObject({
      motivo: 'CIEC_RECHAZADA',
    });
    expect(m.accesos()).toBe(2);
    const titular = { rfc: mala.rfc, tipo: 'ciec' } as const;
    expect(JSON.stringify(await m.sesiones.rechazos(titular))).not.toContain('equivocada');
    expect(await m.sesiones.rechazos({ ...titular, tipo: 'efirma' })).toEqual([]);
    await m.sesiones.forget(mala.rfc);
    await errorOf(m.ask(SOLICITAR, mala));
    expect(m.accesos()).toBe(3);
  });

  it('do not send a refused CIEC again after another one was refused too, nor hold it against a right one', async () => {
    const m = await setUp();
    for (const ciec of ['una', 'otra', 'una', 'otra']) {
      const error = await errorOf(m.ask(SOLICITAR, ciecDe(m.rfc, ciec), { canal: m.another() }));
      expect(error.motivo).toBe('CIEC_RECHAZADA');
    }
    expect(m.accesos()).toBe(2);
    await m.ask(SOLICITAR);
    expect(m.accesos()).toBe(3);
  });

  it('read the answer to a CIEC that was sent although the one who asked has left', async () => {
    const m = await setUp();
    const mala = ciecDe(m.rfc, 'equivocada');
    const leaving = new AbortController();
    m.fault('cfdiau', 'EntrarCiec', {
      kind: 'edited',
      edit: (answer) => {
        leaving.abort();
        return answer;
      },
    });
    expect((await errorOf(m.ask(SOLICITAR, mala, { signal: leaving.signal }))).motivo).toBe('CANCELADA');
    expect((await errorOf(m.ask(SOLICITAR, mala, { canal: m.another() }))).motivo).toBe('CIEC_RECHAZADA');
    expect(m.accesos()).toBe(1);
  });

  it('wait for a turn until who has it died, until they give up, or until there is a session', async () => {
    const m = await setUp();
    const titular = { rfc: m.rfc, tipo: 'ciec' } as const;
    await m.sesiones.acquireTurn(titular, 30_000);
    expect(await m.sesiones.acquireTurn({ ...titular, tipo: 'efirma' }, 1_000)).not.toBeNull();
    const leaving = new AbortController();
    const given = errorOf(m.ask(SOLICITAR, undefined, { signal: leaving.signal }));
    await untilAsked(m);
    leaving.abort();
    expect(await given).toMatchObject({ motivo: 'CANCELADA' });
    const waiting = m.ask(SOLICITAR);
    await untilAsked(m);
    expect(m.requests).toEqual([]);
    m.advance(31_000);
    await waiting;
    expect(await m.sesiones.acquireTurn(titular, 30_000)).not.toBeNull();
    await m.ask(SOLICITAR, undefined, { canal: m.another() });
    expect(m.accesos()).toBe(1);
  });

  it('stop a log-in whose turn was lost before the CIEC is sent', async () => {
    let isAsked = false;
    const m = await setUp({ settings: { loginLockMs: 30 } });
    const canal = m.another({
      sesiones: { ...m.sesiones, extendTurn: async () => !isAsked },
      captcha: {
        resolve: (imagen, until) =>
          new Promise((resolve) => {
            isAsked = true;
            until.addEventListener('abort', () => resolve(m.resolvedor.resolve(imagen, signal)));
          }),
      },
    });
    const lost = { motivo: 'NO_RESPONDE', codigo: 'TURNO', clase: 'reintentable' };
    expect(await errorOf(m.ask(SOLICITAR, undefined, { canal }))).toMatchObject(lost);
    expect(m.accesos()).toBe(0);
  });

  it('hold on to the turn for as long as a log-in takes, and give it back', async () => {
    let extended = 0;
    const m = await setUp({ settings: { loginLockMs: 15 } });
    const extendTurn: typeof m.sesiones.extendTurn = (...args) => {
      extended += 1;
      return m.sesiones.extendTurn(...args);
    };
    const captcha: ResolvedorCaptcha = {
      async resolve(imagen, until) {
        while (extended < 3) await new Promise((resolve) => setImmediate(resolve));
        return m.resolvedor.resolve(imagen, until);
      },
    };
    await m.ask(SOLICITAR, undefined, { canal: m.another({ sesiones: { ...m.sesiones, extendTurn }, captcha }) });
    expect(m.accesos()).toBe(1);
    expect(await m.sesiones.acquireTurn({ rfc: m.rfc, tipo: 'ciec' }, 1)).not.toBeNull();
  });
});

describe('a log-in behind a captcha', () => {
  const IMPATIENT = { esperaAccesoMs: 0 };

  it('keeps nobody: whoever needs it comes again, one after the other, and it is made once', async () => {
    const { captcha, asked, open } = await held();
    const m = await setUp({ settings: IMPATIENT, captcha });
    const turnedAway = [];
    for (let n = 0; n < 5; n += 1) {
      const credencial = ciecDe(m.rfc);
      turnedAway.push(await errorOf(m.ask(SOLICITAR, credencial)));
      // A step wipes its credential when it is over; the log-in has its own.
      wipeCredencial(credencial);
    }
    expect(turnedAway.map(({ motivo, clase }) => [motivo, clase])).toEqual(Array(5).fill(['OCUPADO', 'reintentable']));
    const esperas = turnedAway.map(({ esperaMs }) => esperaMs);
    expect(esperas).toEqual([...new Set(esperas)].sort((a, b) => a - b));
    expect(esperas[0]).toBeGreaterThan(0);
    await expect.poll(asked).toBe(1);
    expect(solicitudes(m)).toBe(0);
    open();
    await expect
      .poll(() =>
        m.ask(SOLICITAR).then(
          ({ resultado }) => resultado,
          () => null,
        ),
      )
      .toBe('ACEPTADA');
    await m.ask(VERIFICAR);
    expect([asked(), m.accesos()]).toEqual([1, 1]);
  });

  it('that fails is told to those who were sent away from it, and is not tried anew for each of them', async () => {
    const { captcha, asked, open } = await held({ resolve: async () => 'mal' });
    const m = await setUp({ settings: { ...IMPATIENT, captchaIntentos: 2 }, captcha });
    const motivo = async () => (await errorOf(m.ask(VERIFICAR))).motivo;
    for (let n = 0; n < 5; n += 1) expect(await motivo()).toBe('OCUPADO');
    open();
    await expect.poll(motivo).toBe('CAPTCHA_RECHAZADO');
    for (let n = 0; n < 4; n += 1) expect(await motivo()).toBe('CAPTCHA_RECHAZADO');
    expect(asked()).toBe(2);
  });

  it('that refuses a CIEC says so at once, and does not stand in the way of another one', async () => {
    const m = await setUp({ settings: { esperaAccesoMs: 60_000 } });
    for (let n = 0; n < 2; n += 1) {
      expect((await errorOf(m.ask(SOLICITAR, ciecDe(m.rfc, 'mala')))).motivo).toBe('CIEC_RECHAZADA');
    }
    expect(await m.ask(SOLICITAR)).toMatchObject({ resultado: 'ACEPTADA' });
    expect(m.accesos()).toBe(2);
  });

  it('ends with CANCELADA for who gives up, leader or follower, and with its process', async () => {
    const { captcha, asked, open } = await held();
    const m = await setUp({ captcha });
    const [leader, follower] = [new AbortController(), new AbortController()];
    const first = errorOf(m.ask(SOLICITAR, undefined, { signal: leader.signal }));
    await expect.poll(asked).toBe(1);
    const second = errorOf(m.ask(SOLICITAR, undefined, { signal: follower.signal }));
    follower.abort();
    expect(await second).toMatchObject({ motivo: 'CANCELADA' });
    leader.abort();
    expect(await first).toMatchObject({ motivo: 'CANCELADA' });
    open();
    expect(m.accesos()).toBe(0);

    const silent = await setUp({ settings: IMPATIENT, captcha: { resolve: () => new Promise(() => {}) } });
    expect((await errorOf(silent.ask(VERIFICAR))).motivo).toBe('OCUPADO');
    await silent.canal.close();
    expect((await errorOf(silent.ask(VERIFICAR))).motivo).toBe('CANCELADA');
    // The turn is given back.
    const turno = () => silent.sesiones.acquireTurn({ rfc: silent.rfc, tipo: 'ciec' }, 1_000);
    await expect.poll(turno).not.toBeNull();
  });

  it('fills no process with one account: another has its log-in begun however many the first one has there', async () => {
    const accesos = createAccesos(0, wipeCredencial);
    const begun: string[] = [];
    const join = (clave: string, cuentaId: string) =>
      errorOf(
        accesos.join(clave, cuentaId, ciecDe('EKU9003173C9'), signal, (_credencial, until) => {
          begun.push(cuentaId);
          return new Promise((_, reject) => {
            until.addEventListener('abort', () => reject(until.reason), { once: true });
          });
        }),
      );
    for (let n = 0; n < 300; n += 1) expect((await join(`uno ${n}`, 'uno')).motivo).toBe('OCUPADO');
    expect((await join('dos', 'dos')).motivo).toBe('OCUPADO');
    expect([begun.length > 100, begun.at(-1)]).toEqual([true, 'dos']);
    await accesos.close();
  });
});

/** A resolver that answers after `open`; by default correctly. */
async function held(answer?: ResolvedorCaptcha) {
  const own = answer ?? resolvedorDe(await simulate());
  let [asked, open] = [0, () => {}];
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    asked: () => asked,
    open: () => open(),
    captcha: {
      async resolve(imagen: Buffer, until: AbortSignal) {
        asked += 1;
        await gate;
        return own.resolve(imagen, until);
      },
    },
  };
}

/** Resolves when a caller has asked the store for the turn and did not get it. */
function untilAsked({ sesiones }: Mount): Promise<void> {
  const original = sesiones.acquireTurn;
  return new Promise((resolve) => {
    Object.assign(sesiones, {
      acquireTurn: async (...args: Parameters<typeof original>) => {
        const turno = await original(...args);
        if (turno === null) resolve();
        return turno;
      },
    });
  });
}
