import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { PaqueteSatInvalido } from '../ports/paquetes.ts';
import type { Claims, Parte } from '../ports/solicitudes.ts';
import { assembleSolicitud } from './ensamble.ts';
import { noCheckpoint } from './parte.ts';
import { claimed, parte, step } from './testing/un-paso.ts';

const downloaded = (id: string, change: Partial<Parte> = {}) =>
  parte({
    id,
    estado: 'DESCARGADA',
    folio: 'F',
    vacias: ['soap'],
    paquetes: [1, 2].map((n) => ({ paquete: `P${n}`, orden: n, objectKey: `${id}${n}`, relecturas: 0 })),
    ...change,
  });

/** What an assembly writes that finds the first package of the part `b` gone from the object store. */
async function assembleWithoutB1(partes: readonly Parte[]): Promise<unknown[][]> {
  const calls: unknown[][] = [];
  const note =
    (name: string) =>
    async (...args: unknown[]) =>
      void calls.push([name, ...args.slice(1)]);
  const claims = { release: note('release'), fail: note('fail') } as Partial<Claims> as Claims;
  const paquetes = {
    assemble: () => Promise.reject(new PaqueteSatInvalido('AUSENTE', 'b1', 'm')),
    remove: async () => {},
  };
  const deps = { claims, paquetes, checkpoint: noCheckpoint, observe: [] };
  await assembleSolicitud(deps, claimed({ fase: 'ENSAMBLE', partes }), new AbortController().signal);
  return calls;
}

it('looks for every package again when one is gone from the object store', async () => {
  const empty = parte({ id: 'c', estado: 'VACIA', vacias: ['soap', 'portal'] });
  const again = { estado: 'DISPONIBLE', paquetes: ['P1', 'P2'], vacias: [], dueInSeconds: 0 };
  expect(await assembleWithoutB1([downloaded('a'), downloaded('b', { reenvios: 1 }), empty])).toEqual([
    [
      'release',
      {
        partes: [
          { parteId: 'a', reenvios: 0, ...again },
          { parteId: 'b', reenvios: 2, ...again },
        ],
        eventos: [{ tipo: 'PAQUETE_ILEGIBLE', codigo: 'AUSENTE', detalle: 'P1' }],
      },
      { queue: 'descargas', inSeconds: 0 },
    ],
  ]);
});

it('ends with a refund when the object store loses packages again and again', async () => {
  expect(await assembleWithoutB1([downloaded('b', { reenvios: 2 })])).toEqual([
    ['fail', { estado: 'ERROR', motivo: 'PAQUETE_SAT_INVALIDO', codigo: 'AUSENTE' }],
  ]);
});

it('asks storage before the SAT for a package that is fetched again', async () => {
  const paquetes = [{ paquete: 'P', orden: 1, objectKey: null, relecturas: 1 }];
  const again = parte({ estado: 'DISPONIBLE', folio: 'F', paquetes });
  const zip = { resultado: 'PAQUETE', zip: Readable.from([]) } as const;
  const { names } = await step(claimed({ partes: [again] }), { 'descargar-paquete': zip });
  expect(names).toEqual(['ping', 'sat descargar-paquete', 'saveSat', 'release']);
});
