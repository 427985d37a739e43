import { loadConfig } from '@acuse/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createMemoryBreakerState } from '../http/circuit-breaker.ts';
import { openSat, type SatCompartido, satFields } from '../open-sat.ts';
import { ciecDe, DIA, errorOf, RFC } from '../portal/testing/canal-de-prueba.ts';
import { startPortalDePrueba } from '../portal/testing/portal-de-prueba.ts';
import { createSelladoEfimero } from '../portal/testing/sellado-efimero.ts';
import { createSesionesEnMemoria } from '../portal/testing/sesiones-en-memoria.ts';

const closing: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const configOf = (env: Record<string, string>) => loadConfig(z.object(satFields), { SESSION_KEYS: 's1:x', ...env });

function open(env: Record<string, string>, compartido: Partial<SatCompartido> = {}) {
  const abierto = openSat(configOf(env), {
    sesiones: createSesionesEnMemoria(),
    estado: createMemoryBreakerState(),
    captchas: null,
    sellado: createSelladoEfimero(),
    ...compartido,
  });
  closing.push(() => abierto.close());
  return abierto;
}

const ask = ({ sat }: ReturnType<typeof open>) =>
  sat.send({ consulta: 'solicitar-metadata', rfc: RFC, tipo: 'recibidos', periodo: DIA }, ciecDe(RFC, 'buena'), {
    signal: new AbortController().signal,
  });

/** A resolver over the port of captchas for people: it reads what the test portal writes into its images. */
function personas(): NonNullable<SatCompartido['captchas']> {
  const imagenes = new Map<string, Buffer>();
  return {
    async ask(imagen) {
      imagenes.set(String(imagenes.size), imagen);
      return String(imagenes.size - 1);
    },
    respuesta: async (id) => imagenes.get(id)?.subarray(8).toString() ?? null,
    async drop(id) {
      imagenes.set(id, Buffer.alloc(0));
    },
    pendientes: async () => [],
    answer: async () => false,
    tidy: async () => 0,
  };
}

describe('the way to the SAT as the settings say', () => {
  it('logs in with the captchas that people read, and logs out only what has ended', async () => {
    const portal = await startPortalDePrueba();
    closing.push(() => portal.close());
    portal.guion.ciecs.set(RFC, 'buena');
    const env = { SAT_BASE_URL: portal.baseUrl, CAPTCHA_RESOLVER: 'personas' };
    const abierto = open(env, { captchas: personas() });
    expect(await ask(abierto)).toMatchObject({ resultado: 'ACEPTADA' });
    expect(await abierto.logout(new AbortController().signal)).toBe(0);
    expect([portal.envios(), portal.salidas]).toEqual([1, []]);
  });

  it('keeps sessions that other processes use when it closes', async () => {
    const portal = await startPortalDePrueba();
    closing.push(() => portal.close());
    portal.guion.ciecs.set(RFC, 'buena');
    const env = { SAT_BASE_URL: portal.baseUrl, CAPTCHA_RESOLVER: 'personas' };
    const compartido = {
      captchas: personas(),
      sesiones: createSesionesEnMemoria(),
      sellado: createSelladoEfimero(),
    };
    const first = open(env, compartido);
    await ask(first);
    await first.close();
    await ask(open(env, compartido));
    expect([portal.envios(), portal.salidas]).toEqual([1, []]);
  });

  it('says what is missing for a CIEC when nobody reads captchas, and what is switched off', async () => {
    expect(await errorOf(ask(open({})))).toMatchObject({ motivo: 'SIN_RESOLVEDOR_DE_CAPTCHA' });
    const off = open({ SAT_CANALES_DESACTIVADOS: 'portal:solicitar-metadata' });
    expect(await errorOf(ask(off))).toMatchObject({ motivo: 'CANAL_DESACTIVADO' });
  });

  it('does not start with half of a resolver', () => {
    expect(() => open({ CAPTCHA_RESOLVER: 'http' })).toThrow(/CAPTCHA_URL/);
    expect(() => open({ CAPTCHA_RESOLVER: 'personas' })).toThrow(/base de datos/);
  });
});
