import { describe, expect, it } from 'vitest';
import type { Paquetes } from '../ports/paquetes.ts';
import type { Claims } from '../ports/solicitudes.ts';
import { assembleSolicitud, type ObserveRows } from './ensamble.ts';
import { noCheckpoint } from './parte.ts';
import { claimed, parte } from './testing/un-paso.ts';

describe('assembly', () => {
  it('waits for a package that is not there, whatever brought it here, instead of leaving its rows out', async () => {
    const calls: unknown[] = [];
    const claims = {
      release: async (...args: unknown[]) => void calls.push(args.slice(1)),
    } as Partial<Claims> as Claims;
    const paquetes = { assemble: () => Promise.reject(new Error('assembled')), remove: async () => {} };
    const solicitud = claimed({ fase: 'ENSAMBLE', partes: [parte({ estado: 'DISPONIBLE', folio: 'F' })] });
    const deps = { claims, paquetes, checkpoint: noCheckpoint, observe: [] };
    await assembleSolicitud(deps, solicitud, new AbortController().signal);
    expect(calls).toEqual([[{}, { queue: 'descargas', inSeconds: 0 }]]);
  });

  it('gives a package the observers that want it, and its end what they observed', async () => {
    const hecho = { objectKey: 'k', bytes: 1, sha256: 'a', registros: 1, confianza: 'confirmado' } as const;
    const observer = { name: 'vistas', see: () => {}, observed: [1] };
    const [given, finished]: [unknown[], unknown[]] = [[], []];
    const claims = {
      finish: async (_claimed: unknown, paquete: unknown) => finished.push(paquete) === 1,
    } as Partial<Claims> as Claims;
    const resumen = { porEfecto: {}, porMes: {}, cancelados: 0 };
    const paquetes: Pick<Paquetes, 'assemble' | 'remove'> = {
      async assemble(_plan, _signal, observers) {
        given.push(observers);
        return { ...hecho, resumen, notas: { vistas: [1] } };
      },
      remove: async () => {},
    };
    const solicitud = claimed({ fase: 'ENSAMBLE', partes: [parte({ estado: 'DESCARGADA' })] });
    const asked: unknown[] = [];
    const observe: ObserveRows[] = [
      (each) => {
        asked.push(each.id);
        return observer;
      },
      () => null,
    ];
    const deps = { claims, paquetes, checkpoint: noCheckpoint, observe };
    await assembleSolicitud(deps, solicitud, new AbortController().signal);
    expect([given, asked]).toEqual([[[observer]], [solicitud.id]]);
    expect(finished).toEqual([{ ...hecho, resumen, notas: { vistas: [1] } }]);
  });
});
