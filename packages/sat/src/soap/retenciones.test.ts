import { buffer } from 'node:stream/consumers';
import type { Consulta, NombreDescarga } from '@acuse/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { descargaResponse, solicitaResponse, verificaResponse } from '../testing/respuestas-soap.ts';
import { type SoapRig, startSoapRig } from '../testing/soap-rig.ts';

const rfc = 'EKU9003173C9';
const folio = '4e80345d-917f-40bb-a98f-4a73939343c5';
const base = {
  rfc,
  tipo: 'recibidos',
  periodo: { inicio: '2025-01-01T00:00:00', fin: '2025-12-31T23:59:59' },
  documento: 'retenciones',
} as const;
const solicitar = { ...base, consulta: 'solicitar-metadata' } as const;
const verificar = { ...base, consulta: 'verificar-metadata', folio } as const;
const descargar = { ...base, consulta: 'descargar-paquete', folio, paquete: `${folio}_01` } as const;
const { signal } = new AbortController();

let rig: SoapRig;
beforeEach(async () => {
  rig = await startSoapRig();
});
afterEach(() => rig.close());

const ask = <N extends NombreDescarga>(consulta: Consulta<N> & { consulta: N }) =>
  rig.sat.send<N>(consulta, rig.credencial, { signal });

const caminos = () => rig.servidor.peticiones.map(({ url }) => url);

describe('documento retenciones', () => {
  it('goes to the addresses of its own service, step by step', async () => {
    const zip = Buffer.from('PK de retenciones');
    const { before, after } = descargaResponse({ CodEstatus: '5000', Mensaje: 'm' });
    rig.on(
      'SolicitaDescargaRecibidos',
      solicitaResponse('SolicitaDescargaRecibidos', { CodEstatus: '5000', IdSolicitud: folio }),
    );
    rig.on(
      'VerificaSolicitudDescarga',
      verificaResponse({ CodEstatus: '5000', EstadoSolicitud: '3', CodigoEstadoSolicitud: '5000', NumeroCFDIs: '2' }, [
        descargar.paquete,
      ]),
    );
    rig.on('Descargar', before + zip.toString('base64') + after);

    expect(await ask(solicitar)).toEqual({ resultado: 'ACEPTADA', folio });
    expect(await ask(verificar)).toEqual({
      resultado: 'TERMINADA',
      paquetes: [descargar.paquete],
      registros: 2,
    });
    const respuesta = await ask(descargar);
    if (respuesta.resultado !== 'PAQUETE') throw new Error(respuesta.resultado);
    expect(await buffer(respuesta.zip)).toEqual(zip);
    expect(caminos()).toEqual([
      '/retendescargamasivasolicitud/Autenticacion/Autenticacion.svc',
      '/retendescargamasivasolicitud/SolicitaDescargaService.svc',
      '/retendescargamasivasolicitud/VerificaSolicitudDescargaService.svc',
      '/retendescargamasiva/DescargaMasivaService.svc',
    ]);
    const sent = rig.last('SolicitaDescargaRecibidos').body;
    expect(sent).toContain('TipoSolicitud="Metadata"');
    expect(sent).toContain('EstadoComprobante="Todos"');
    expect(sent).toContain(`RfcReceptor="${rfc}"`);
  });

  it('asks for issued ones with the operation of issued ones', async () => {
    rig.on(
      'SolicitaDescargaEmitidos',
      solicitaResponse('SolicitaDescargaEmitidos', { CodEstatus: '5000', IdSolicitud: folio }),
    );
    expect(await ask({ ...solicitar, tipo: 'emitidos' })).toEqual({ resultado: 'ACEPTADA', folio });
    expect(rig.last('SolicitaDescargaEmitidos').body).toContain(`RfcEmisor="${rfc}"`);
  });

  it('has tokens of its own: none goes to the other service, each is kept', async () => {
    rig.on(
      'VerificaSolicitudDescarga',
      verificaResponse({ CodEstatus: '5000', EstadoSolicitud: '1', CodigoEstadoSolicitud: '5000' }),
    );
    const tokens = new Map<string, Set<string>>();
    for (const documento of ['cfdi', 'retenciones', undefined, 'retenciones', 'cfdi'] as const) {
      const { documento: _own, ...rest } = verificar;
      await ask(documento === undefined ? rest : { ...rest, documento });
      const { url, headers } = rig.last('VerificaSolicitudDescarga');
      const servicio = url.split('/')[1] ?? '';
      tokens.set(servicio, (tokens.get(servicio) ?? new Set()).add(String(headers.authorization)));
    }
    expect([...tokens.keys()]).toEqual(['cfdidescargamasivasolicitud', 'retendescargamasivasolicitud']);
    const [cfdi, retenciones] = [...tokens.values()].map((valores) => [...valores]);
    expect(cfdi).toHaveLength(1);
    expect(retenciones).toHaveLength(1);
    expect(cfdi).not.toEqual(retenciones);
    expect(rig.count('Autentica')).toBe(2);
  });

  it('renews its own token, and only that, when the service refuses it', async () => {
    const enProceso = verificaResponse({
      CodEstatus: '5000',
      EstadoSolicitud: '1',
      CodigoEstadoSolicitud: '5000',
    });
    rig.on('VerificaSolicitudDescarga', enProceso);
    await ask({ ...verificar, documento: 'cfdi' });
    await ask(verificar);
    const refused = verificaResponse({ CodEstatus: '300', EstadoSolicitud: '0' });
    rig.on('VerificaSolicitudDescarga', refused, enProceso);
    expect(await ask(verificar)).toEqual({ resultado: 'EN_PROCESO' });
    await ask({ ...verificar, documento: 'cfdi' });
    const autenticaciones = caminos().filter((url) => url.endsWith('Autenticacion.svc'));
    expect(autenticaciones.map((url) => url.split('/')[1])).toEqual([
      'cfdidescargamasivasolicitud',
      'retendescargamasivasolicitud',
      'retendescargamasivasolicitud',
    ]);
  });
});
