import type { ServerResponse } from 'node:http';
import type { CredencialEfirma, NombreDescarga, Sat } from '@acuse/core';
import type { SatHttpSettings } from '../http/direcciones.ts';
import { createSatHttp, type SatHttp, type SatHttpDeps } from '../http/sat-http.ts';
import type { SatSoapSettings } from '../soap/contexto.ts';
import { createSatSoap } from '../soap/sat-soap.ts';
import { createEfirma } from './certificados.ts';
import { autenticaResponse } from './respuestas-soap.ts';
import { type PeticionRecibida, type Servidor, startServidor } from './servidor.ts';

export type Operacion =
  | 'Autentica'
  | 'SolicitaDescargaEmitidos'
  | 'SolicitaDescargaRecibidos'
  | 'VerificaSolicitudDescarga'
  | 'Descargar';

/** A text (HTTP 200), or the whole answer by hand. */
export type RigAnswer = string | ((response: ServerResponse, peticion: PeticionRecibida) => void | Promise<void>);

/** The SOAP channel wired to a scripted server over a real socket. */
export interface SoapRig {
  readonly sat: Sat<NombreDescarga>;
  readonly http: SatHttp;
  readonly servidor: Servidor;
  readonly credencial: CredencialEfirma;
  /** Answers for an operation: the last one stays. Without any, authentication succeeds and the rest is HTTP 404. */
  on(operacion: Operacion, ...respuestas: RigAnswer[]): void;
  /** How often an operation was asked. */
  count(operacion: Operacion): number;
  last(operacion: Operacion): PeticionRecibida;
  close(): Promise<void>;
}

let shared: CredencialEfirma | undefined;

export async function startSoapRig(
  options: {
    http?: SatHttpSettings;
    deps?: SatHttpDeps;
    soap?: SatSoapSettings;
    now?: () => number;
    credencial?: CredencialEfirma;
  } = {},
): Promise<SoapRig> {
  const guion = new Map<Operacion, RigAnswer[]>();
  const now = options.now ?? Date.now;
  let tokens = 0;
  const servidor = await startServidor(async (peticion, response) => {
    const operacion = operacionOf(peticion);
    const queue = guion.get(operacion);
    const next = queue !== undefined && queue.length > 1 ? queue.shift() : queue?.[0];
    if (typeof next === 'function') return next(response, peticion);
    tokens += 1;
    const text = next ?? (operacion === 'Autentica' ? autenticaResponse(`token${tokens}`, new Date(now())) : undefined);
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/xml; charset=utf-8' });
    response.end(text);
  });
  const http = createSatHttp({ baseUrl: servidor.url, ...options.http }, options.deps);
  shared ??= createEfirma();
  return {
    sat: createSatSoap({ http, now, settings: { refusalPauseMs: 0, ...options.soap } }),
    http,
    servidor,
    credencial: options.credencial ?? { ...shared },
    on: (operacion, ...respuestas) => void guion.set(operacion, respuestas),
    count: (operacion) => servidor.peticiones.filter((p) => operacionOf(p) === operacion).length,
    last(operacion) {
      const found = servidor.peticiones.findLast((p) => operacionOf(p) === operacion);
      if (found === undefined) throw new Error(`${operacion} was not asked`);
      return found;
    },
    async close() {
      await http.close();
      await servidor.close();
    },
  };
}

function operacionOf(peticion: PeticionRecibida): Operacion {
  return String(peticion.headers['soapaction']).split('/').at(-1) as Operacion;
}
