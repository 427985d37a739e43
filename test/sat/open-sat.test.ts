import type { Credencial } from '@acuse/core';
import { loadConfig } from '@acuse/runtime';
import { openSat } from '@acuse/sat';
import { satFields } from '@acuse/sat/settings';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createMemoryBreakerState } from '../../packages/sat/src/http/circuit-breaker.ts';
import type { SatCompartido } from '../../packages/sat/src/open-sat.ts';
import { createSesionesEnMemoria } from '../../packages/sat/src/portal/testing/sesiones-en-memoria.ts';
import { ciecDe, efirmaDe, errorOf, type Mount, newRfc, newSellado, SOLICITAR, setUp } from './setup.ts';

function open(env: Record<string, string>, compartido: Partial<SatCompartido> = {}) {
  const config = loadConfig(z.object(satFields), { SESSION_KEYS: 's1:x', ...env });
  const abierto = openSat(config, {
    sesiones: createSesionesEnMemoria(),
    estado: createMemoryBreakerState(),
    captchas: null,
    sellado: newSellado(),
    ...compartido,
  });
  onTestFinished(() => abierto.close());
  return abierto;
}

const ask = ({ sat }: ReturnType<typeof open>, rfc = newRfc(), credencial: Credencial = ciecDe(rfc)) =>
  sat.send({ ...SOLICITAR, rfc }, credencial, { signal: new AbortController().signal });

/** People who read what the simulator draws. */
function personas({ resolvedor }: Mount): NonNullable<SatCompartido['captchas']> {
  const imagenes: Buffer[] = [];
  return {
    ask: async (imagen) => String(imagenes.push(imagen) - 1),
    respuesta: (id) => resolvedor.resolve(imagenes[Number(id)] ?? Buffer.alloc(0), new AbortController().signal),
    drop: async () => {},
    pendientes: async () => [],
    answer: async () => false,
    tidy: async () => 0,
  };
}

describe('the way to the SAT as the settings say', () => {
  it('logs in with the captchas that people read, and keeps sessions that other processes use when it closes', async () => {
    const mount = await setUp();
    const env = { SAT_BASE_URL: mount.url, CAPTCHA_RESOLVER: 'personas' };
    const compartido = { captchas: personas(mount), sesiones: createSesionesEnMemoria(), sellado: newSellado() };
    const first = open(env, compartido);
    expect(await ask(first, mount.rfc)).toMatchObject({ resultado: 'ACEPTADA' });
    expect(await first.logout(new AbortController().signal)).toBe(0);
    await first.close();
    await ask(open(env, compartido), mount.rfc);
    expect([mount.accesos(), mount.calls('Salir')]).toEqual([1, []]);
  });

  it('names the missing setting for a CIEC when no captcha resolver is configured', async () => {
    expect(await errorOf(ask(open({})))).toMatchObject({ motivo: 'SIN_RESOLVEDOR_DE_CAPTCHA' });
  });

  it.each([
    ['soap', 'DescargaMetadatos'],
    ['soap:solicitar-metadata', 'DescargaMetadatos'],
    ['portal,soap:descargar-paquete', 'SolicitaDescargaRecibidos'],
    ['portal:solicitar-metadata', 'SolicitaDescargaRecibidos'],
  ])('with %s switched off asks by the other channel what belongs there, and nothing more', async (off, operation) => {
    const mount = await setUp();
    const env = { SAT_BASE_URL: mount.url, CAPTCHA_RESOLVER: 'personas', SAT_CANALES_DESACTIVADOS: off };
    const abierto = open(env, { captchas: personas(mount) });
    const efirma = await efirmaDe(mount.rfc);
    const isSoapOff = operation === 'DescargaMetadatos';
    const refused = await errorOf(ask(abierto, mount.rfc, isSoapOff ? efirma : undefined));
    expect(refused).toMatchObject({ motivo: 'CANAL_DESACTIVADO', clase: 'permanente' });
    expect(mount.calls()).toEqual([]);
    expect(await ask(abierto, mount.rfc, isSoapOff ? undefined : efirma)).toMatchObject({ resultado: 'ACEPTADA' });
    expect(mount.calls(operation)).toHaveLength(1);
  });

  it.each(['portall', 'Portal', 'portal:listar-factura', 'soap:listar-facturas', 'portal,xml'])(
    'does not start with the unknown channel in %s, and names those that there are',
    (off) => {
      expect(() => open({ SAT_CANALES_DESACTIVADOS: off })).toThrow(
        /SAT_CANALES_DESACTIVADOS: no existe .*soap, portal, publico/,
      );
    },
  );

  it('does not start with half of a resolver', () => {
    expect(() => open({ CAPTCHA_RESOLVER: 'http' })).toThrow(/CAPTCHA_URL/);
    expect(() => open({ CAPTCHA_RESOLVER: 'personas' })).toThrow(/base de datos/);
  });
});
