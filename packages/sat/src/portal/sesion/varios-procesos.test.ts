import { describe, expect, it } from 'vitest';
import { createEfirma } from '../../testing/certificados.ts';
import { ciecDe, errorOf, RESOLVEDOR, RFC, setUp, solicitar } from '../testing/canal-de-prueba.ts';

const TITULAR = { rfc: RFC, tipo: 'ciec' } as const;

describe('several processes over one store', () => {
  it('log in once when they start together', async () => {
    const { portal, canal, another } = await setUp();
    const canales = [canal, another(), another(), another()];
    await Promise.all(canales.map((each) => solicitar(each)));
    expect([portal.envios(), portal.solicitudes.length]).toEqual([1, 4]);
  });

  it('send a wrong CIEC exactly once when they start together, and never later', async () => {
    const { portal, canal, another } = await setUp();
    const credencial = ciecDe(RFC, 'equivocada');
    const canales = [canal, another(), another(), another()];
    const errors = await Promise.all(canales.map((each) => errorOf(solicitar(each, { credencial }))));
    for (const error of errors) expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA', codigo: 'CIEC' });
    await errorOf(solicitar(another(), { credencial }));
    expect(portal.envios()).toBe(1);
  });

  it('do not send a refused CIEC again after another one was refused too', async () => {
    const { portal, canal, another } = await setUp();
    for (const ciec of ['una', 'otra', 'una', 'otra']) {
      const error = await errorOf(solicitar(another(), { credencial: ciecDe(RFC, ciec) }));
      expect(error.motivo).toBe('CIEC_RECHAZADA');
    }
    expect(portal.envios()).toBe(2);
    await solicitar(canal);
    expect(portal.envios()).toBe(3);
  });

  it('do not send a CIEC that was refused at another portal', async () => {
    const { portal, canal, another, sesiones } = await setUp();
    const credencial = ciecDe(RFC, 'equivocada');
    await errorOf(solicitar(canal, { credencial }));
    expect(await sesiones.rechazos({ rfc: RFC, tipo: 'efirma' })).toEqual([]);
    const [rechazo] = await sesiones.rechazos(TITULAR);
    expect(JSON.stringify(rechazo)).not.toContain('equivocada');
    const minusculas = { ...credencial, rfc: RFC.toLowerCase() };
    expect((await errorOf(solicitar(another(), { credencial: minusculas }))).motivo).toBe('CIEC_RECHAZADA');
    expect(portal.envios()).toBe(1);
  });

  it('read the answer to a CIEC that was sent although the one who asked has left', async () => {
    const { portal, canal, another } = await setUp();
    const credencial = ciecDe(RFC, 'equivocada');
    const leaving = new AbortController();
    const push = portal.peticiones.push.bind(portal.peticiones);
    portal.peticiones.push = (...items) => {
      if (items.some(({ campos }) => campos.has('Ecom_Password'))) leaving.abort();
      return push(...items);
    };
    const error = await errorOf(solicitar(canal, { credencial, signal: leaving.signal }));
    expect(error.motivo).toBe('CANCELADA');
    expect((await errorOf(solicitar(another(), { credencial }))).motivo).toBe('CIEC_RECHAZADA');
    expect(portal.envios()).toBe(1);
  });

  it('replace one that died while it logged in', async () => {
    const { portal, canal, sesiones, advance } = await setUp();
    await sesiones.acquireTurn(TITULAR, 30_000);
    const waiting = solicitar(canal);
    await untilAsked(sesiones);
    expect(portal.peticiones).toEqual([]);
    advance(31_000);
    await waiting;
    expect(portal.envios()).toBe(1);
  });

  it('give up the wait for a turn with CANCELADA', async () => {
    const { portal, canal, sesiones } = await setUp();
    await sesiones.acquireTurn(TITULAR, 30_000);
    const leaving = new AbortController();
    const waiting = errorOf(solicitar(canal, { signal: leaving.signal }));
    await untilAsked(sesiones);
    leaving.abort();
    expect(await waiting).toMatchObject({ motivo: 'CANCELADA' });
    expect(portal.peticiones).toEqual([]);
  });

  it('use the session that another one has opened while they waited for their turn', async () => {
    const { portal, canal, another, sesiones } = await setUp();
    await solicitar(canal);
    const turno = await sesiones.acquireTurn(TITULAR, 30_000);
    expect(turno).not.toBeNull();
    await solicitar(another());
    expect(portal.envios()).toBe(1);
  });

  it('stop a log-in whose turn was lost before the CIEC is sent', async () => {
    let isAsked = false;
    const { portal, another, sesiones } = await setUp({ settings: { loginLockMs: 30 } });
    const canal = another({
      sesiones: { ...sesiones, extendTurn: async () => !isAsked },
      captcha: {
        resolve: (imagen, signal) =>
          new Promise((resolve, reject) => {
            isAsked = true;
            signal.addEventListener('abort', () => {
              resolve(RESOLVEDOR.resolve(imagen, signal));
              reject(signal.reason);
            });
          }),
      },
    });
    expect(await errorOf(solicitar(canal))).toMatchObject({
      motivo: 'NO_RESPONDE',
      codigo: 'TURNO',
      clase: 'reintentable',
    });
    expect(portal.envios()).toBe(0);
  });

  it('hold on to the turn for as long as a log-in takes, and give it back', async () => {
    let extended = 0;
    const { portal, another, sesiones } = await setUp({ settings: { loginLockMs: 15 } });
    const canal = another({
      sesiones: {
        ...sesiones,
        extendTurn: async (...args) => {
          extended += 1;
          return sesiones.extendTurn(...args);
        },
      },
      captcha: {
        resolve: async (imagen, signal) => {
          while (extended < 3) await new Promise((resolve) => setImmediate(resolve));
          return RESOLVEDOR.resolve(imagen, signal);
        },
      },
    });
    await solicitar(canal);
    expect(portal.envios()).toBe(1);
    expect(await sesiones.acquireTurn(TITULAR, 1)).not.toBeNull();
  });

  it('give the answer of the SAT although the store is away when it arrives', async () => {
    const { another, sesiones } = await setUp();
    const touch = () => Promise.reject(new Error('store away'));
    const canal = another({ sesiones: { ...sesiones, touch } });
    expect(await solicitar(canal)).toMatchObject({ resultado: 'ACEPTADA' });
  });

  it('keep the sessions of CIEC and e.firma of one RFC apart', async () => {
    const { sesiones } = await setUp();
    const efirma = createEfirma({ rfc: RFC });
    expect(efirma.rfc).toBe(RFC);
    expect(await sesiones.acquireTurn(TITULAR, 1_000)).not.toBeNull();
    expect(await sesiones.acquireTurn({ rfc: RFC, tipo: 'efirma' }, 1_000)).not.toBeNull();
  });
});

/** Resolves when somebody has asked the store for the turn and did not get it. */
function untilAsked(sesiones: Awaited<ReturnType<typeof setUp>>['sesiones']): Promise<void> {
  const original = sesiones.acquireTurn;
  return new Promise((resolve) => {
    sesiones.acquireTurn = async (...args) => {
      const turno = await original(...args);
      if (turno === null) resolve();
      return turno;
    };
  });
}
