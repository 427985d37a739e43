import { describe, expect, it } from 'vitest';
import { ciecDe, errorOf, RESOLVEDOR, RFC, setUp, solicitar, verificar } from '../testing/canal-de-prueba.ts';

const CLAVE = { portal: 'cfdi', rfc: RFC, tipo: 'ciec' } as const;

describe('sessions', () => {
  it('serves many consultas at once and in a row with one log-in', async () => {
    const { portal, canal } = await setUp();
    await Promise.all([solicitar(canal), verificar(canal), solicitar(canal, { tipo: 'emitidos' })]);
    for (let i = 0; i < 5; i += 1) await verificar(canal);
    expect(portal.envios()).toBe(1);
  });

  it('logs in once for each RFC', async () => {
    const { portal, canal } = await setUp();
    portal.guion.ciecs.set('XAXX010101000', 'otra');
    await Promise.all([solicitar(canal), solicitar(canal, { credencial: ciecDe('XAXX010101000', 'otra') })]);
    await Promise.all([solicitar(canal), solicitar(canal, { credencial: ciecDe('XAXX010101000', 'otra') })]);
    expect(portal.envios()).toBe(2);
  });

  it('does not let a wrong CIEC ride on the session of the right one', async () => {
    const { portal, canal } = await setUp();
    await solicitar(canal);
    const error = await errorOf(solicitar(canal, { credencial: ciecDe(RFC, 'adivinada') }));
    expect(error.motivo).toBe('CIEC_RECHAZADA');
    await solicitar(canal);
    expect(portal.envios()).toBe(2);
  });

  it('logs in anew once a session was idle for too long, and not while it is used', async () => {
    const { portal, canal, advance } = await setUp({ settings: { sesionInactivaMs: 60_000 } });
    for (let i = 0; i < 4; i += 1) {
      await verificar(canal);
      advance(50_000);
    }
    expect(portal.envios()).toBe(1);
    advance(20_000);
    await verificar(canal);
    expect(portal.envios()).toBe(2);
  });

  it('renews an expired session and repeats the step once', async () => {
    const { portal, canal } = await setUp();
    await verificar(canal);
    portal.expire('todas');
    expect(await solicitar(canal)).toMatchObject({ resultado: 'ACEPTADA' });
    expect(portal.envios()).toBe(2);
    expect(portal.solicitudes).toHaveLength(1);
  });

  it('renews it once for many consultas that notice together', async () => {
    const { portal, canal } = await setUp();
    await verificar(canal);
    portal.expire('todas');
    await Promise.all([verificar(canal), verificar(canal), solicitar(canal), verificar(canal)]);
    expect(portal.envios()).toBe(2);
  });

  it('lets the identity provider renew the session of the portal without a captcha', async () => {
    const { portal, canal } = await setUp();
    await verificar(canal);
    portal.expire('portal');
    expect(await verificar(canal)).toEqual({ resultado: 'EN_PROCESO' });
    expect(portal.envios()).toBe(1);
  });

  it('does not log in a third time when a new session is gone at once', async () => {
    const { portal, canal } = await setUp();
    portal.guion.resultado = () => {
      portal.expire('todas');
      return '<a href="%2flogout.aspx%3fsalir%3dy">';
    };
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(portal.envios()).toBe(2);
  });

  it.each(['RdoFechas', 'BtnBusqueda', 'DescargaMetadatos'])('notices an expiry just before %s', async (paso) => {
    const { portal, canal } = await setUp();
    await verificar(canal);
    const before = portal.peticiones.push.bind(portal.peticiones);
    let done = false;
    portal.peticiones.push = (...items) => {
      const [peticion] = items;
      const isHere =
        peticion?.donde.endsWith(paso) === true ||
        peticion?.campos.get('ctl00$ScriptManager1')?.endsWith(paso) === true;
      if (isHere && !done) {
        done = true;
        portal.expire('todas');
      }
      return before(...items);
    };
    expect(await solicitar(canal)).toMatchObject({ resultado: 'ACEPTADA' });
    expect([done, portal.envios()]).toEqual([true, 2]);
    expect(portal.solicitudes).toHaveLength(1);
  });

  it('logs out what nobody has used for its life, once, and nothing younger', async () => {
    const { portal, canal, another, sesiones, advance } = await setUp();
    portal.guion.ciecs.set('XAXX010101000', 'otra');
    await solicitar(canal);
    advance(10 * 60_000);
    await solicitar(canal, { credencial: ciecDe('XAXX010101000', 'otra') });
    advance(6 * 60_000);
    const signal = new AbortController().signal;
    expect(await Promise.all([canal.logout(signal), another().logout(signal)])).toEqual([1, 0]);
    expect(portal.salidas).toEqual([`${RFC} y`]);
    expect(await sesiones.load(CLAVE)).toBeNull();
    expect(await canal.logout(signal, 0)).toBe(1);
    expect(portal.salidas).toEqual([`${RFC} y`, 'XAXX010101000 y']);
  });

  it('logs out at once what was opened with a credential that is stored again', async () => {
    const { portal, canal, sesiones } = await setUp();
    await solicitar(canal);
    await sesiones.forget(RFC);
    await solicitar(canal);
    expect(portal.envios()).toBe(2);
    expect(await canal.logout(new AbortController().signal)).toBe(1);
    await solicitar(canal);
    expect([portal.envios(), portal.salidas]).toEqual([2, [`${RFC} y`]]);
  });

  it('stores cookies that tell nothing, open nowhere else, and survives ones it cannot read', async () => {
    const { portal, canal, sesiones } = await setUp();
    portal.guion.ciecs.set('XAXX010101000', 'otra');
    await solicitar(canal);
    await solicitar(canal, { credencial: ciecDe('XAXX010101000', 'otra') });
    const found = await sesiones.load(CLAVE);
    if (found === null) throw new Error('no session');
    const { sesion } = found;
    for (const secreto of ['ASP.NET_SessionId', 'IDP', 'ñ&=+']) {
      expect(sesion.cookies.includes(secreto)).toBe(false);
    }
    const otra = { ...CLAVE, rfc: 'XAXX010101000' };
    const ajena = await sesiones.load(otra);
    if (ajena === null) throw new Error('no session');
    await sesiones.save(otra, { ...ajena.sesion, cookies: sesion.cookies });
    await solicitar(canal, { credencial: ciecDe('XAXX010101000', 'otra') });
    expect(portal.envios()).toBe(3);
    await sesiones.save(CLAVE, { ...sesion, cookies: Buffer.from('roto') });
    await solicitar(canal);
    expect(portal.envios()).toBe(4);
  });

  it('logs out at once a log-in that came to nothing, and not where none was taken', async () => {
    const { portal, canal, another, sesiones } = await setUp();
    portal.guion.muestraRfc = false;
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(portal.salidas).toEqual([`${RFC} y`]);

    portal.guion.muestraRfc = true;
    const away: typeof sesiones = { ...sesiones, save: () => Promise.reject(new Error('away')) };
    await expect(solicitar(another({ sesiones: away }))).rejects.toThrow('away');
    expect(portal.salidas).toHaveLength(2);

    const error = await errorOf(solicitar(canal, { credencial: ciecDe(RFC, 'equivocada') }));
    expect([error.motivo, portal.salidas.length]).toEqual(['CIEC_RECHAZADA', 2]);
  });

  it('does not put a session back that another one has replaced meanwhile', async () => {
    const { portal, canal, sesiones } = await setUp();
    await verificar(canal);
    const antigua = await sesiones.load(CLAVE);
    if (antigua === null) throw new Error('no session');
    const nueva = { ...antigua.sesion, id: 'nueva' };
    portal.guion.resultado = (texto) => {
      void sesiones.save(CLAVE, nueva);
      return texto;
    };
    await solicitar(canal);
    expect((await sesiones.load(CLAVE))?.sesion).toEqual(nueva);
  });

  it('ends with CANCELADA, whether it waits for a captcha or for another log-in', async () => {
    const asked = withResolvers();
    const { portal, canal } = await setUp({
      captcha: {
        resolve: (imagen, signal) => {
          asked.resolve();
          return new Promise((resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
            release = () => resolve(RESOLVEDOR.resolve(imagen, signal));
          });
        },
      },
    });
    let release = () => {};
    const leader = new AbortController();
    const follower = new AbortController();
    const first = errorOf(solicitar(canal, { signal: leader.signal }));
    await asked.promise;
    const second = errorOf(solicitar(canal, { signal: follower.signal }));
    follower.abort();
    expect(await second).toMatchObject({ motivo: 'CANCELADA' });
    leader.abort();
    expect(await first).toMatchObject({ motivo: 'CANCELADA' });
    release();
    expect(portal.envios()).toBe(0);
  });
});

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
