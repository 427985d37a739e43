import { buffer } from 'node:stream/consumers';
import type { SatMeasurement } from '@acuse/core';
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, get, type PeticionRecibida, start, stream } from '../testing/servidor.ts';
import type { SatHttpSettings } from './direcciones.ts';

afterEach(closeAll);

type Answer = Parameters<typeof start>[0];

async function startMeasured(answer: Answer, settings: SatHttpSettings = {}) {
  const vistas: SatMeasurement[] = [];
  const metrics = { record: (measurement: SatMeasurement) => vistas.push(measurement) };
  return {
    ...(await start(answer, settings, { metrics })),
    resultados: () => vistas.map(({ resultado }) => resultado),
    vistas,
  };
}

const statusOf = ({ url }: PeticionRecibida) => Number(/status=(\d+)/.exec(url)?.[1] ?? 200);

describe('the observer of requests', () => {
  it('sees each request once, with host, channel, time and end, as often as the server does', async () => {
    const { http, servidor, vistas, resultados } = await startMeasured(
      (peticion, response) => void response.writeHead(statusOf(peticion)).end('ok'),
    );
    await http.request(get());
    await http.request(get({ path: '/?status=404' })).catch(() => {});
    await http.request(get({ path: '/?status=503' })).catch(() => {});
    await http.request(get({ path: '/?status=404', acceptStatus: [404] }));
    expect(resultados()).toEqual(['exito', 'rechazo', 'fallo', 'exito']);
    expect(servidor.peticiones).toHaveLength(vistas.length);
    for (const vista of vistas) {
      expect(vista).toMatchObject({ host: 'cfdiau.sat.gob.mx', canal: 'portal' });
      expect(vista.ms).toBeGreaterThan(0);
    }
  });

  it('takes the time of a stream to its headers, and its end from its body', async () => {
    const waiting: (() => void)[] = [];
    const { http, vistas } = await startMeasured((_peticion, response) => {
      response.write('a');
      waiting.push(() => response.end('b'));
    });
    const startedAt = performance.now();
    const { body } = await http.request(stream({ host: 'cfdidescargamasiva.clouda.sat.gob.mx' }));
    const headersMs = performance.now() - startedAt;
    expect(vistas).toEqual([]);
    for (const end of waiting) end();
    await buffer(body);
    expect(vistas).toMatchObject([{ canal: 'soap', resultado: 'exito' }]);
    expect(vistas[0]?.ms).toBeLessThan(headersMs);
  });

  it('gets a stream that breaks off, that its reader leaves and that the caller gives up', async () => {
    const { http, resultados, servidor } = await startMeasured((peticion, response) => {
      response.write('a');
      if (peticion.url.includes('corta')) setImmediate(() => response.destroy());
    });
    const corta = await http.request(stream({ path: '/corta' }));
    await buffer(corta.body).catch(() => {});
    const dejada = await http.request(stream({ path: '/dejada' }));
    dejada.body.destroy();
    await new Promise((resolve) => dejada.body.once('close', resolve));
    const caller = new AbortController();
    const pending = http.request(get({ path: '/colgada', signal: caller.signal })).catch(() => {});
    while (servidor.peticiones.length < 3) await new Promise((resolve) => setImmediate(resolve));
    caller.abort();
    await pending;
    expect(resultados()).toEqual(['fallo', 'cancelada', 'cancelada']);
  });

  it('gets the correction of a false success, once', async () => {
    const { http, resultados } = await startMeasured((_peticion, response) => void response.end('mantenimiento'));
    const respuesta = await http.request(get());
    await respuesta.markFailed();
    await respuesta.markFailed();
    expect(resultados()).toEqual(['exito', 'desmentida']);
  });

  it('separates requests held back by the breaker from sent ones', async () => {
    const { http, servidor, resultados } = await startMeasured(
      (_peticion, response) => void response.writeHead(503).end(),
      { breakerFailures: 2 },
    );
    for (let n = 0; n < 4; n += 1) await http.request(get()).catch(() => {});
    expect(servidor.peticiones).toHaveLength(2);
    expect(resultados()).toEqual(['fallo', 'fallo', 'evitada', 'evitada']);
  });

  it('that throws breaks nothing', async () => {
    let calls = 0;
    const metrics = {
      record() {
        calls += 1;
        throw new Error('the observer fell over');
      },
    };
    const answering: Answer = (peticion, response) => void response.writeHead(statusOf(peticion)).end('ok');
    const { http } = await start(answering, { breakerFailures: 1 }, { metrics });
    const answer = await http.request(get());
    expect(answer.body).toBe('ok');
    await answer.markFailed();
    await expect(http.request(get())).rejects.toMatchObject({ motivo: 'CORTACIRCUITOS_ABIERTO' });
    expect(calls).toBe(3);
  });
});
