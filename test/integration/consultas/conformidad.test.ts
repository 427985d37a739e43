import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Credencial, type Documento, type NombreDescarga, type Sat, toSeconds } from '@acuse/core';
import { createPortalCanal, createResolvedorSimulador, createSatHttp, createSatSoap } from '@acuse/sat';
import { type RunningSimulador, startSimulador } from '@acuse/simulador';
import { openLlave } from '@acuse/vault';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect } from 'vitest';
import { createSesionesEnMemoria } from '../../../packages/sat/src/portal/testing/sesiones-en-memoria.ts';
import { conformSat, ESCENARIOS_SAT, type EscenarioSat } from '../../../packages/sat/src/testing/conformance.ts';
import { newSellado } from '../../sat/setup.ts';
import { newRfc } from '../fixtures/database.ts';
import { ciecOf } from '../fixtures/servicio.ts';

const PERIODO = { inicio: '2026-01-01T00:00:00', fin: '2026-01-31T23:59:59' } as const;
const TIPO = 'recibidos';
const HOUR_MS = 3_600_000;
const { signal } = new AbortController();

let simulador: RunningSimulador;
beforeAll(async () => {
  simulador = await startSimulador();
});
afterAll(() => simulador.close());

/** A taxpayer with nine rows, and a channel with a memory of its own that asks for it. */
interface Mesa {
  readonly rfc: string;
  readonly documento: Documento;
  readonly sat: Sat<NombreDescarga>;
  readonly credencial: Credencial;
  /** The 20 digits of the certificate. */
  readonly numero: string;
  close(): Promise<void>;
}

async function putSoap(documento: Documento): Promise<Mesa> {
  const { world, url } = simulador;
  const rfc = newRfc();
  const password = '12345678a';
  const now = Date.now();
  const vigencia = { desde: new Date(now - HOUR_MS), vence: new Date(now + 240 * HOUR_MS) };
  const { cer, key, numero } = await world.pki.issue({ rfc, nombre: 'PRUEBA', password, ...vigencia });
  const http = createSatHttp({ baseUrl: url });
  const credencial = { tipo: 'efirma', rfc, cer, key: openLlave(key, Buffer.from(password)) } as const;
  return { rfc, documento, sat: createSatSoap({ http }), credencial, numero, close: () => http.close() };
}

async function putPortal(): Promise<Mesa> {
  const { url } = simulador;
  const rfc = newRfc();
  const http = createSatHttp({ baseUrl: url });
  const captcha = createResolvedorSimulador({ url: `${url}/cfdiau/simulador/captcha` });
  const sat = createPortalCanal({ http, captcha, sesiones: createSesionesEnMemoria(), sellado: newSellado() });
  const credencial = { tipo: 'ciec', rfc, ciec: Buffer.from(ciecOf(rfc)) } as const;
  return { rfc, documento: 'cfdi', sat, credencial, numero: '', close: () => http.close() };
}

/** How the scenario comes about at the simulated authority, before the request of the test or after it. */
const ANTES: Partial<Record<EscenarioSat, (mesa: Mesa) => void>> = {
  vacia: ({ rfc }) => void simulador.world.taxpayers.change(rfc, { filas: [] }),
  demasiados: () => void Object.assign(simulador.world.settings, { max_filas_metadata: 5 }),
  'en-proceso': () => void Object.assign(simulador.world.settings, { verificaciones_hasta_terminar: 99 }),
};
const DESPUES: Partial<Record<EscenarioSat, (mesa: Mesa) => void>> = {
  rechazada: ({ rfc }) => fault(rfc, { operation: 'SolicitaDescargaRecibidos', kind: 'code', code: 5001 }),
  vencida: () => simulador.world.clock.advance(73 * HOUR_MS),
  'credencial-rechazada': ({ rfc, numero }) => {
    simulador.world.pki.revoke(numero);
    simulador.world.taxpayers.change(rfc, { ciec: 'Otra-contrasenia' });
  },
  'servicio-con-error': () => fault(undefined, { kind: 'status' }),
};
/** Scenarios to which a request made before belongs. */
const CON_FOLIO = new Set<EscenarioSat>([
  ...(['en-proceso', 'terminada', 'vacia', 'demasiados', 'vencida', 'repetida'] as const),
  ...(['paquete', 'paquete-cancelado', 'agotado'] as const),
]);

type Falla = Omit<Parameters<RunningSimulador['world']['faults']['add']>[0], 'service' | 'rfc'>;
function fault(rfc: string | undefined, falla: Falla): void {
  simulador.world.faults.add({ service: '*', rfc, ...falla });
}

async function setup(escenario: EscenarioSat, put: () => Promise<Mesa>) {
  const { world } = simulador;
  Object.assign(world.settings, { verificaciones_hasta_terminar: 1, max_filas_metadata: 1_000_000 });
  const mesa = await put();
  const { rfc, documento, sat, credencial } = mesa;
  const [desde, hasta] = [toSeconds(PERIODO.inicio), toSeconds('2026-01-31T00:00:00')];
  world.taxpayers.change(rfc, { filas: [{ documento, tipo: TIPO, desde, hasta, cantidad: 9 }] });
  ANTES[escenario]?.(mesa);

  const criterios = { rfc, tipo: TIPO, periodo: PERIODO, documento } as const;
  let folio: string = randomUUID();
  if (CON_FOLIO.has(escenario)) {
    const respuesta = await sat.send({ ...criterios, consulta: 'solicitar-metadata' }, credencial, { signal });
    if (respuesta.resultado !== 'ACEPTADA') throw new Error(`not accepted: ${respuesta.resultado}`);
    folio = respuesta.folio;
  }
  const base = { ...criterios, folio, paquete: `${folio}_01` };
  const zip: Buffer = Buffer.alloc(0);
  const entorno = {
    sat,
    credencial,
    base,
    zip,
    async close() {
      world.faults.remove();
      world.clock.set(null);
      await mesa.close();
    },
  };
  if (['terminada', 'paquete', 'paquete-cancelado', 'agotado'].includes(escenario)) {
    const fin = await sat.send({ ...base, consulta: 'verificar-metadata' }, credencial, { signal });
    if (fin.resultado !== 'TERMINADA') throw new Error(`not finished: ${fin.resultado}`);
    base.paquete = fin.paquetes[0] ?? '';
  }
  if (['paquete', 'agotado'].includes(escenario)) entorno.zip = await fetch();
  if (escenario === 'agotado') await agotar();
  DESPUES[escenario]?.(mesa);
  return entorno;

  /** The package, whole: every row of the taxpayer is in it. */
  async function fetch(): Promise<Buffer> {
    const respuesta = await sat.send({ ...base, consulta: 'descargar-paquete' }, credencial, { signal });
    if (respuesta.resultado !== 'PAQUETE') throw new Error(`no package: ${respuesta.resultado}`);
    const bytes = await buffer(respuesta.zip);
    const text = Object.values(unzipSync(bytes))
      .map((entry) => Buffer.from(entry).toString('utf8'))
      .join('\n');
    const rows = [...world.taxpayers.rows(rfc, TIPO, desde, toSeconds(PERIODO.fin), { documento })];
    expect(rows).toHaveLength(9);
    for (const { uuid } of rows) expect(text.toUpperCase()).toContain(uuid.toUpperCase());
    return bytes;
  }

  /** By SOAP a package is given twice; on the portal for three days. */
  async function agotar(): Promise<void> {
    if (credencial.tipo === 'efirma') await fetch();
    else world.clock.advance(96 * HOUR_MS);
  }
}

for (const documento of ['cfdi', 'retenciones'] as const) {
  conformSat(`the web service of ${documento}, against the simulator,`, (escenario) =>
    setup(escenario, () => putSoap(documento)),
  );
}

/**
 * The portal refuses no request of metadata, equal or not, and shows nothing of a folio that is not ready, or is none:
 * see `verificarMetadata`.
 */
const SIN_PORTAL: readonly EscenarioSat[] = [
  ...(['repetida', 'rechazada', 'vacia', 'demasiados', 'vencida', 'desconocida'] as const),
];
conformSat(
  'the portal, against the simulator,',
  (escenario) => setup(escenario, putPortal),
  ESCENARIOS_SAT.filter((escenario) => !SIN_PORTAL.includes(escenario)),
);
