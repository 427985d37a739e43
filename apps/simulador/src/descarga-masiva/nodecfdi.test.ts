import {
  CfdiPackageReader,
  type CRequest,
  CResponse,
  DateTimePeriod,
  DocumentStatus,
  type DownloadResult,
  DownloadType,
  Fiel,
  FielRequestBuilder,
  MetadataPackageReader,
  QueryParameters,
  RequestType,
  Service,
  ServiceEndpoints,
  ServiceType,
  Uuid,
  type WebClientInterface,
} from '@nodecfdi/sat-ws-descarga-masiva';
import { describe, expect, it } from 'vitest';
import { startForTests } from '../testing/start-for-tests.ts';
import { parseWallTime } from '../world/wall-time.ts';

const RFC = 'EKU9003173C9';
const MAYO = { inicio: '2026-05-01', fin: '2026-05-31' };

const simulador = await startForTests({ settings: { filas_por_paquete: 40 } });

describe.each(['cfdi', 'retenciones'] as const)(
  'the public client @nodecfdi/sat-ws-descarga-masiva, %s',
  (documento) => {
    it.each(['issued', 'received'] as const)(
      'carries %s metadata through to rows equal to the generated ones',
      async (side) => {
        const service = await createService(documento);
        const tipo = side === 'issued' ? 'emitidos' : 'recibidos';
        const query = await service.query(period(side, '2026-01-01 00:00:00', '2026-05-31 23:59:59', documento));
        expect(query.getStatus().getCode()).toBe(5000);

        const first = await service.verify(query.getRequestId());
        expect(first.getStatusRequest().isTypeOf('Accepted')).toBe(true);
        const done = await service.verify(query.getRequestId());
        expect(done.getStatusRequest().isTypeOf('Finished')).toBe(true);

        const expected = [
          ...simulador.world.taxpayers.rows(RFC, tipo, at('2026-01-01'), at('2026-05-31') + 86_399, { documento }),
        ];
        expect(done.getNumberCfdis()).toBe(expected.length);
        expect(done.getPackageIds()).toHaveLength(Math.ceil(expected.length / 40));
        if (documento === 'cfdi') expect(expected.length).toBeGreaterThan(80);

        const items: Record<string, string>[] = [];
        for (const id of done.getPackageIds()) {
          const download = await service.download(id);
          expect(download.getStatus().getCode()).toBe(5000);
          const reader = await MetadataPackageReader.createFromContents(decode(download));
          for await (const item of reader.metadata()) items.push(item.all());
        }
        expect(items).toHaveLength(expected.length);
        expected.forEach((row, n) => {
          expect(items[n]).toMatchObject({
            uuid: row.uuid,
            rfcEmisor: row.rfcEmisor,
            rfcReceptor: row.rfcReceptor,
            nombreReceptor: row.nombreReceptor.replaceAll('\n', ''),
            nombreEmisor: row.nombreEmisor.replaceAll('\n', ''),
            fechaEmision: row.fechaEmision,
            fechaCancelacion: row.fechaCancelacion,
            monto: row.monto,
            efectoComprobante: row.efecto,
            estatus: row.estatus === 'Vigente' ? '1' : '0',
            rfcACuentaTerceros: row.tercero?.rfc ?? '',
            nombreACuentaTerceros: row.tercero?.nombre ?? '',
          });
        });
      },
    );
  },
);

describe('the public client, other requests', () => {
  it('gets the XML of valid received CFDI', async () => {
    const service = await createService('cfdi');
    const parameters = period('received', `${MAYO.inicio} 00:00:00`, `${MAYO.fin} 23:59:59`, 'cfdi')
      .withRequestType(new RequestType('xml'))
      .withDocumentStatus(new DocumentStatus('active'));
    const query = await service.query(parameters);
    await service.verify(query.getRequestId());
    const done = await service.verify(query.getRequestId());
    const vigentes = [
      ...simulador.world.taxpayers.rows(RFC, 'recibidos', at(MAYO.inicio), at(MAYO.fin) + 86_399),
    ].filter((row) => row.estatus === 'Vigente');
    const uuids: string[] = [];
    for (const id of done.getPackageIds()) {
      const reader = await CfdiPackageReader.createFromContents(decode(await service.download(id)));
      for await (const entry of reader.cfdis()) uuids.push(...entry.keys());
    }
    expect(uuids.sort()).toEqual(vigentes.map((row) => row.uuid.toLowerCase()).sort());
  });

  it('gets one CFDI by its UUID', async () => {
    const service = await createService('cfdi');
    const [row] = simulador.world.taxpayers.rows(RFC, 'emitidos', at('2026-05-02'), at('2026-05-20'));
    const query = await service.query(QueryParameters.create().withUuid(Uuid.create(row?.uuid ?? '')));
    expect(query.getStatus().getCode()).toBe(5000);
    await service.verify(query.getRequestId());
    const done = await service.verify(query.getRequestId());
    expect(done.getNumberCfdis()).toBe(1);
    const download = await service.download(done.getPackageIds()[0] ?? '');
    const reader = await CfdiPackageReader.createFromContents(decode(download));
    expect(await reader.count()).toBe(1);
  });
});

function period(side: 'issued' | 'received', inicio: string, fin: string, documento: 'cfdi' | 'retenciones') {
  return QueryParameters.create()
    .withPeriod(DateTimePeriod.createFromValues(inicio, fin))
    .withDownloadType(new DownloadType(side))
    .withRequestType(new RequestType('metadata'))
    .withServiceType(new ServiceType(documento));
}

/** The client leaves a package in base64; its readers want one character a byte. */
function decode(download: DownloadResult): string {
  return Buffer.from(download.getPackageContent(), 'base64').toString('latin1');
}

function at(day: string): number {
  return parseWallTime(day) ?? Number.NaN;
}

/** The client as published; only its addresses and how it reaches them are ours. */
async function createService(documento: 'cfdi' | 'retenciones'): Promise<Service> {
  const { world, url } = simulador;
  const now = Date.now();
  const { cer, key, password } = await world.pki.issue({
    rfc: RFC,
    nombre: 'ESCUELA KEMPER URGATE',
    password: '12345678a',
    desde: new Date(now - 86_400_000),
    vence: new Date(now + 86_400_000),
  });
  const fiel = Fiel.create(cer.toString('binary'), key.toString('binary'), password);
  expect(fiel.isValid()).toBe(true);
  const label = documento === 'cfdi' ? 'cfdi' : 'reten';
  const base = `${url}/${label}descargamasivasolicitud`;
  const endpoints = new ServiceEndpoints(
    `${base}/Autenticacion/Autenticacion.svc`,
    `${base}/SolicitaDescargaService.svc`,
    `${base}/VerificaSolicitudDescargaService.svc`,
    `${url}/${label}descargamasiva/DescargaMasivaService.svc`,
    new ServiceType(documento),
  );
  return new Service(new FielRequestBuilder(fiel), createWebClient(), null, endpoints);
}

function createWebClient(): WebClientInterface {
  return {
    fireRequest: () => undefined,
    fireResponse: () => undefined,
    call: async (request: CRequest) => {
      const response = await fetch(request.getUri(), {
        method: request.getMethod(),
        headers: request.getHeaders(),
        body: request.getBody(),
      });
      return new CResponse(response.status, await response.text(), Object.fromEntries(response.headers));
    },
  };
}
