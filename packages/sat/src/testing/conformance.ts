import { buffer } from 'node:stream/consumers';
import type { Consulta, Credencial, DescargarPaquete, NombreDescarga, Sat } from '@acuse/core';
import { describe, expect, it } from 'vitest';

/** A state of affairs at the authority that a channel must be able to tell. */
export type EscenarioSat = keyof typeof ESCENARIOS;

/** A `Sat` in front of an authority where the scenario holds for the folio and the package named here. */
interface EntornoSat {
  readonly sat: Sat<NombreDescarga>;
  readonly credencial: Credencial;
  /** Criteria, folio and package of every consulta of the test. */
  readonly base: Omit<DescargarPaquete, 'consulta'>;
  /** The bytes of the package. */
  readonly zip: Buffer;
  close(): Promise<void>;
}

type Prueba = (entorno: EntornoSat) => Promise<void>;

const { signal } = new AbortController();
const NOMBRES: readonly NombreDescarga[] = ['solicitar-metadata', 'verificar-metadata', 'descargar-paquete'];

function consultaOf(nombre: NombreDescarga, { base }: EntornoSat): Consulta<NombreDescarga> {
  return { ...base, consulta: nombre };
}

function ask(entorno: EntornoSat, nombre: NombreDescarga, own = signal) {
  return entorno.sat.send(consultaOf(nombre, entorno), entorno.credencial, { signal: own });
}

function answers(nombre: NombreDescarga, expected: object): Prueba {
  return async (entorno) => expect(await ask(entorno, nombre)).toEqual(expected);
}

function rejectsAll(expected: object): Prueba {
  return async (entorno) => {
    for (const nombre of NOMBRES) {
      await expect(ask(entorno, nombre)).rejects.toMatchObject({ name: 'SatError', ...expected });
    }
  };
}

/** A code of the SAT, or the name of what the portal, which has no codes, shows. */
const said = { codigo: expect.stringMatching(/^(\d+|[A-Z_]+)$/), mensaje: expect.any(String) };

async function openZip(entorno: EntornoSat, own = signal) {
  const respuesta = await ask(entorno, 'descargar-paquete', own);
  if (!('zip' in respuesta)) throw new Error(`no package: ${respuesta.resultado}`);
  return respuesta.zip;
}

const ESCENARIOS = {
  /** A request is accepted. */
  aceptada: answers('solicitar-metadata', { resultado: 'ACEPTADA', folio: expect.stringMatching(/^[\w-]+$/) }),
  /** An equal request is in force, or the quota of its criteria is spent. */
  repetida: answers('solicitar-metadata', {
    resultado: 'REPETIDA',
    ...said,
    codigo: expect.stringMatching(/^500[25]$/),
  }),
  /** The request will never be accepted as it is. */
  rechazada: answers('solicitar-metadata', { resultado: 'RECHAZADA', ...said }),
  'en-proceso': answers('verificar-metadata', { resultado: 'EN_PROCESO' }),
  /** The request ended with the package among its packages; asking again gives the same. */
  terminada: async (entorno: EntornoSat) => {
    const first = await ask(entorno, 'verificar-metadata');
    expect(first).toMatchObject({ resultado: 'TERMINADA', paquetes: expect.arrayContaining([entorno.base.paquete]) });
    expect(await ask(entorno, 'verificar-metadata')).toEqual(first);
  },
  /** The period has no CFDI. */
  vacia: answers('verificar-metadata', { resultado: 'VACIA' }),
  /** The period has more CFDI than the authority gives at once. */
  demasiados: answers('verificar-metadata', { resultado: 'DEMASIADOS' }),
  vencida: answers('verificar-metadata', { resultado: 'VENCIDA', ...said }),
  /** The folio is unknown to the authority. */
  desconocida: answers('verificar-metadata', { resultado: 'DESCONOCIDA', ...said }),
  /** The package can be had. */
  paquete: async (entorno: EntornoSat) => {
    expect(await buffer(await openZip(entorno))).toEqual(entorno.zip);
  },
  /** The package can be had; the caller gives up when its stream is open. */
  'paquete-cancelado': async (entorno: EntornoSat) => {
    const controller = new AbortController();
    const zip = await openZip(entorno, controller.signal);
    controller.abort();
    await expect(buffer(zip)).rejects.toMatchObject({ name: 'SatError', motivo: 'CANCELADA' });
  },
  /** The package is gone, or was given as often as it is given. */
  agotado: answers('descargar-paquete', { resultado: 'AGOTADO', ...said }),
  /** The authority refuses the credential in every consulta. */
  'credencial-rechazada': rejectsAll({ clase: 'credencial' }),
  /** The authority cannot answer now. */
  'servicio-con-error': rejectsAll({ clase: 'reintentable' }),
  /** Anything, but the caller has given up before asking. */
  cancelada: async (entorno: EntornoSat) => {
    for (const nombre of NOMBRES) {
      await expect(ask(entorno, nombre, AbortSignal.abort())).rejects.toMatchObject({
        name: 'SatError',
        motivo: 'CANCELADA',
      });
    }
  },
} satisfies Record<string, Prueba>;

export const ESCENARIOS_SAT = Object.keys(ESCENARIOS) as EscenarioSat[];

/**
 * What every `Sat` must do, real or in memory. `setup` builds the scenario; leave out with `escenarios` only those that
 * a channel cannot have (the portal, for one, knows no credential refused in the middle of its session).
 */
export function conformSat(
  name: string,
  setup: (escenario: EscenarioSat) => Promise<EntornoSat>,
  escenarios: readonly EscenarioSat[] = ESCENARIOS_SAT,
): void {
  describe(`${name} conforms to Sat`, () => {
    it.each(escenarios)('%s', async (escenario) => {
      const entorno = await setup(escenario);
      try {
        await ESCENARIOS[escenario](entorno);
      } finally {
        await entorno.close();
      }
    });
  });
}
