import { Hono } from 'hono';
import { compress } from 'hono/compress';
import type { Documento } from '../world/taxpayers/row.ts';
import type { World } from '../world/world.ts';
import { createAutenticacion } from './autenticacion.ts';
import { createDescarga } from './descarga.ts';
import { createEndpoint } from './soap/endpoint.ts';
import { createSolicita } from './solicita.ts';
import { createSolicitudes } from './solicitudes.ts';
import { createTokens } from './tokens.ts';
import { createVerifica } from './verifica.ts';

/** The two hosts of a bulk service, by the first label of their names. */
const HOSTS: Record<Documento, { solicitud: string; descarga: string }> = {
  cfdi: { solicitud: 'cfdidescargamasivasolicitud', descarga: 'cfdidescargamasiva' },
  retenciones: { solicitud: 'retendescargamasivasolicitud', descarga: 'retendescargamasiva' },
};

/** The web service "Descarga Masiva" v1.5, for CFDI or for retenciones; each has its own tokens and requests. */
export function createDescargaMasiva(world: World, documento: Documento): { prefix: string; app: Hono }[] {
  const tokens = createTokens(world, documento);
  const solicitudes = createSolicitudes(world, documento);
  const deps = { world, tokens, solicitudes, documento };
  const { solicitud, descarga } = HOSTS[documento];
  const operations = [createAutenticacion(world, tokens), ...createSolicita(deps), createVerifica(deps)];
  return [
    { prefix: `/${solicitud}`, app: compressed(createEndpoint(world, solicitud, operations)) },
    { prefix: `/${descarga}`, app: compressed(createEndpoint(world, descarga, [createDescarga(deps)])) },
  ];
}

/** Answers with gzip where it is asked for, as live answers do (petergtam/DescargaMasivaSATKit, tests). */
function compressed(service: Hono): Hono {
  return new Hono().use(compress({ encoding: 'gzip', threshold: 0 })).route('/', service);
}
