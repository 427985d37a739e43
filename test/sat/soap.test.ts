import type { Consulta, NombreDescarga } from '@acuse/core';
import { createSatHttp, createSatSoap } from '@acuse/sat';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SatHttp, SatHttpRequest } from '../../packages/sat/src/http/sat-http.ts';
import { edited, efirmaDe, MARZO, simulate } from './setup.ts';

const RFC = 'EKU9003173C9';
const base = { rfc: RFC, tipo: 'recibidos', periodo: MARZO, documento: 'retenciones' } as const;
const { signal } = new AbortController();

/** The web service's channel in front of the simulated authority, and a folio of each service. */
async function setUp() {
  const { url, world } = await simulate();
  const requests: SatHttpRequest[] = [];
  const real = createSatHttp({ baseUrl: url });
  onTestFinished(() => real.close());
  const http: SatHttp = {
    ...real,
    request(request) {
      requests.push(request);
      return real.request(request);
    },
  };
  const sat = createSatSoap({ http, settings: { refusalPauseMs: 0 } });
  const efirma = await efirmaDe(RFC);
  const ask = <N extends NombreDescarga>(consulta: Consulta<N> & { consulta: N }) =>
    sat.send<N>(consulta, efirma, { signal });
  const services = (operation: string) => world.log.list({ operation }).map(({ service }) => service);
  return { world, requests, ask, services };
}

describe('documento retenciones', () => {
  it('goes to the addresses of its own service, step by step, with the operation of issued or received ones', async () => {
    const { world, requests, ask } = await setUp();
    world.settings.verificaciones_hasta_terminar = 1;
    const solicitada = await ask({ ...base, consulta: 'solicitar-metadata' });
    if (solicitada.resultado !== 'ACEPTADA') throw new Error(solicitada.resultado);
    const { folio } = solicitada;
    const fin = await ask({ ...base, consulta: 'verificar-metadata', folio });
    if (fin.resultado !== 'TERMINADA') throw new Error(fin.resultado);
    const paquete = fin.paquetes[0] ?? '';
    const descargada = await ask({ ...base, consulta: 'descargar-paquete', folio, paquete });
    if (descargada.resultado === 'PAQUETE') descargada.zip.destroy();
    await ask({ ...base, tipo: 'emitidos', consulta: 'solicitar-metadata' });
    expect(requests.map(({ host, path }) => `${host.split('.')[0]}${path}`)).toEqual([
      'retendescargamasivasolicitud/Autenticacion/Autenticacion.svc',
      'retendescargamasivasolicitud/SolicitaDescargaService.svc',
      'retendescargamasivasolicitud/VerificaSolicitudDescargaService.svc',
      'retendescargamasiva/DescargaMasivaService.svc',
      'retendescargamasivasolicitud/SolicitaDescargaService.svc',
    ]);
    const [, recibidas, , , emitidas] = requests.map(({ body }) => String(body));
    for (const text of ['TipoSolicitud="Metadata"', 'EstadoComprobante="Todos"', `RfcReceptor="${RFC}"`]) {
      expect(recibidas).toContain(text);
    }
    expect(emitidas).toContain('SolicitaDescargaEmitidos');
    expect(emitidas).toContain(`RfcEmisor="${RFC}"`);
  });

  it('has tokens of its own, each kept, and renews none but its own when the service refuses it', async () => {
    const { world, requests, ask, services } = await setUp();
    const verificar = {
      ...base,
      consulta: 'verificar-metadata',
      folio: '4e80345d-917f-40bb-a98f-4a73939343c5',
    } as const;
    const { documento: _own, ...cfdi } = verificar;
    for (const consulta of [cfdi, verificar, { ...cfdi, documento: 'cfdi' } as const, verificar]) await ask(consulta);
    const [one, other] = ['cfdidescargamasivasolicitud', 'retendescargamasivasolicitud'] as const;
    expect(services('Autentica')).toEqual([one, other]);
    const verified = requests.filter(({ path }) => path.startsWith('/Verifica'));
    expect(new Set(verified.map(({ headers }) => headers?.['authorization'])).size).toBe(2);
    const refused = edited((xml) => xml.replace('CodEstatus="5004"', 'CodEstatus="300"'), { times: 1 });
    world.faults.add({ service: other, operation: 'VerificaSolicitudDescarga', ...refused });
    expect(await ask(verificar)).toMatchObject({ resultado: 'DESCONOCIDA' });
    await ask(cfdi);
    expect(services('Autentica')).toEqual([one, other, other]);
  });
});
