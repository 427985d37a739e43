import { verify, X509Certificate } from 'node:crypto';
import { nodeFromXmlString } from '@nodecfdi/cfdi-core';
import type { XmlNodeInterface } from '@nodecfdi/cfdi-core/types';
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
import type { Row } from '../world/taxpayers/row.ts';
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

  it.each([
    ['issued', '2026-01-01', '2026-05-31', '4.0'],
    ['received', '2026-01-01', '2026-05-31', '4.0'],
    ['issued', '2022-01-01', '2022-05-31', '3.3'],
    ['received', '2022-01-01', '2022-05-31', '3.3'],
  ] as const)(
    'gets %s XML of %s to %s with sums that agree and seals that verify: CFDI %s',
    async (side, inicio, fin, version) => {
      const service = await createService('cfdi');
      const parameters = period(side, `${inicio} 00:00:00`, `${fin} 23:59:59`, 'cfdi')
        .withRequestType(new RequestType('xml'))
        .withDocumentStatus(new DocumentStatus('active'));
      const query = await service.query(parameters);
      await service.verify(query.getRequestId());
      const done = await service.verify(query.getRequestId());
      const tipo = side === 'issued' ? 'emitidos' : 'recibidos';
      const rows = new Map(
        [...simulador.world.taxpayers.rows(RFC, tipo, at(inicio), at(fin) + 86_399)].map((row) => [row.uuid, row]),
      );
      const kinds = new Set<string>();
      for (const id of done.getPackageIds()) {
        const reader = await CfdiPackageReader.createFromContents(decode(await service.download(id)));
        for await (const entry of reader.cfdis()) {
          for (const [name, text] of entry) {
            const xml = nodeFromXmlString(text);
            const row = rows.get(name.toUpperCase());
            expect(xml.getAttribute('Version')).toBe(version);
            if (!row) throw new Error(`${name} is no row of this request`);
            await checkCfdi(xml, row);
            kinds.add(xml.getAttribute('TipoDeComprobante'));
            rows.delete(name.toUpperCase());
          }
        }
      }
      expect([...rows.values()].filter(({ estatus }) => estatus === 'Vigente')).toEqual([]);
      expect([...kinds].sort()).toEqual(['E', 'I', 'N', 'P', 'T']);
    },
  );

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

/** Attributes and children of each element in the order of the SAT's stylesheets of the cadena original. */
const CADENA: Readonly<Record<string, string>> = {
  'cfdi:Comprobante':
    '@Version @Serie @Folio @Fecha @FormaPago @NoCertificado @CondicionesDePago @SubTotal @Descuento @Moneda @TipoCambio @Total @TipoDeComprobante @Exportacion @MetodoPago @LugarExpedicion @Confirmacion cfdi:InformacionGlobal cfdi:CfdiRelacionados cfdi:Emisor cfdi:Receptor cfdi:Conceptos cfdi:Impuestos cfdi:Complemento',
  'cfdi:InformacionGlobal': '@Periodicidad @Meses @Año',
  'cfdi:CfdiRelacionados': '@TipoRelacion cfdi:CfdiRelacionado',
  'cfdi:CfdiRelacionado': '@UUID',
  'cfdi:Emisor': '@Rfc @Nombre @RegimenFiscal @FacAtrAdquirente',
  'cfdi:Receptor':
    '@Rfc @Nombre @DomicilioFiscalReceptor @ResidenciaFiscal @NumRegIdTrib @RegimenFiscalReceptor @UsoCFDI',
  'cfdi:Conceptos': 'cfdi:Concepto',
  'cfdi:Concepto':
    '@ClaveProdServ @NoIdentificacion @Cantidad @ClaveUnidad @Unidad @Descripcion @ValorUnitario @Importe @Descuento @ObjetoImp cfdi:Impuestos cfdi:ACuentaTerceros cfdi:ComplementoConcepto',
  'cfdi:ACuentaTerceros':
    '@RfcACuentaTerceros @NombreACuentaTerceros @RegimenFiscalACuentaTerceros @DomicilioFiscalACuentaTerceros',
  'cfdi:ComplementoConcepto': 'terceros:PorCuentadeTerceros',
  'terceros:PorCuentadeTerceros': '@version @rfc @nombre',
  'cfdi:Concepto/cfdi:Impuestos': 'cfdi:Traslados cfdi:Retenciones',
  'cfdi:Comprobante/cfdi:Impuestos':
    'cfdi:Retenciones @TotalImpuestosRetenidos cfdi:Traslados @TotalImpuestosTrasladados',
  'cfdi:Traslados': 'cfdi:Traslado',
  'cfdi:Retenciones': 'cfdi:Retencion',
  'cfdi:Traslado': '@Base @Impuesto @TipoFactor @TasaOCuota @Importe',
  'cfdi:Retencion': '@Base @Impuesto @TipoFactor @TasaOCuota @Importe',
  'cfdi:Complemento': 'pago20:Pagos pago10:Pagos nomina12:Nomina',
  'pago20:Pagos': '@Version pago20:Totales pago20:Pago',
  'pago20:Totales': '@TotalTrasladosBaseIVA16 @TotalTrasladosImpuestoIVA16 @MontoTotalPagos',
  'pago20:Pago':
    '@FechaPago @FormaDePagoP @MonedaP @TipoCambioP @Monto @NumOperacion pago20:DoctoRelacionado pago20:ImpuestosP',
  'pago20:DoctoRelacionado':
    '@IdDocumento @Serie @Folio @MonedaDR @EquivalenciaDR @NumParcialidad @ImpSaldoAnt @ImpPagado @ImpSaldoInsoluto @ObjetoImpDR pago20:ImpuestosDR',
  'pago20:ImpuestosDR': 'pago20:RetencionesDR pago20:TrasladosDR',
  'pago20:TrasladosDR': 'pago20:TrasladoDR',
  'pago20:TrasladoDR': '@BaseDR @ImpuestoDR @TipoFactorDR @TasaOCuotaDR @ImporteDR',
  'pago20:ImpuestosP': 'pago20:RetencionesP pago20:TrasladosP',
  'pago20:TrasladosP': 'pago20:TrasladoP',
  'pago20:TrasladoP': '@BaseP @ImpuestoP @TipoFactorP @TasaOCuotaP @ImporteP',
  'pago10:Pagos': '@Version pago10:Pago',
  'pago10:Pago': '@FechaPago @FormaDePagoP @MonedaP @TipoCambioP @Monto @NumOperacion pago10:DoctoRelacionado',
  'pago10:DoctoRelacionado':
    '@IdDocumento @Serie @Folio @MonedaDR @TipoCambioDR @MetodoDePagoDR @NumParcialidad @ImpSaldoAnt @ImpPagado @ImpSaldoInsoluto',
  'nomina12:Nomina':
    '@Version @TipoNomina @FechaPago @FechaInicialPago @FechaFinalPago @NumDiasPagados @TotalPercepciones @TotalDeducciones @TotalOtrosPagos nomina12:Emisor nomina12:Receptor nomina12:Percepciones nomina12:Deducciones nomina12:OtrosPagos',
  'nomina12:Emisor': '@Curp @RegistroPatronal @RfcPatronOrigen',
  'nomina12:Receptor':
    '@Curp @NumSeguridadSocial @FechaInicioRelLaboral @Antigüedad @TipoContrato @Sindicalizado @TipoJornada @TipoRegimen @NumEmpleado @Departamento @Puesto @RiesgoPuesto @PeriodicidadPago @Banco @CuentaBancaria @SalarioBaseCotApor @SalarioDiarioIntegrado @ClaveEntFed',
  'nomina12:Percepciones': '@TotalSueldos @TotalGravado @TotalExento nomina12:Percepcion',
  'nomina12:Percepcion': '@TipoPercepcion @Clave @Concepto @ImporteGravado @ImporteExento',
  'nomina12:Deducciones': '@TotalOtrasDeducciones @TotalImpuestosRetenidos nomina12:Deduccion',
  'nomina12:Deduccion': '@TipoDeduccion @Clave @Concepto @Importe',
  'nomina12:OtrosPagos': 'nomina12:OtroPago',
  'nomina12:OtroPago': '@TipoOtroPago @Clave @Concepto @Importe nomina12:SubsidioAlEmpleo',
  'nomina12:SubsidioAlEmpleo': '@SubsidioCausado',
};

function cadenaOf(node: XmlNodeInterface, parent = ''): string[] {
  const order = CADENA[`${parent}/${node.name()}`] ?? CADENA[node.name()] ?? '';
  return order.split(' ').flatMap((token) => {
    if (!token.startsWith('@')) return [...node.searchNodes(token)].flatMap((child) => cadenaOf(child, node.name()));
    const name = token.slice(1);
    return node.hasAttribute(name) ? [node.getAttribute(name).replace(/\s+/g, ' ').trim()] : [];
  });
}

const cents = (text: string) => Math.round(Number(text) * 100);

/** Sum of an attribute over all elements of a path, in cents. */
function total(node: XmlNodeInterface, attribute: string, ...path: string[]): number {
  const [name = '', ...rest] = path;
  const found = [...node.searchNodes(name)];
  if (rest.length === 0) return found.reduce((sum, each) => sum + cents(each.getAttribute(attribute) || '0'), 0);
  return found.reduce((sum, each) => sum + total(each, attribute, ...rest), 0);
}

async function checkCfdi(xml: XmlNodeInterface, row: Row) {
  const get = (name: string) => xml.getAttribute(name);
  const stampNode = xml.searchNode('cfdi:Complemento', 'tfd:TimbreFiscalDigital');
  const stamp = (name: string) => stampNode?.getAttribute(name) ?? '';
  expect([get('TipoDeComprobante'), cents(get('Total'))]).toEqual([row.efecto, cents(row.monto)]);
  expect([stamp('UUID'), stamp('FechaTimbrado')]).toEqual([row.uuid, row.fechaCertificacionSat.replace(' ', 'T')]);
  expect(xml.searchAttribute('cfdi:Emisor', 'Rfc')).toBe(row.rfcEmisor);
  expect(xml.searchAttribute('cfdi:Receptor', 'Rfc')).toBe(row.rfcReceptor);
  checkSums(xml);
  checkComplement(xml);

  const certificate = new X509Certificate(Buffer.from(get('Certificado'), 'base64'));
  const { isOwn, rfc, numero, tipo } = simulador.world.pki.inspect(certificate.raw);
  expect({ isOwn, rfc, numero, tipo }).toEqual({
    isOwn: true,
    rfc: row.rfcEmisor,
    numero: get('NoCertificado'),
    tipo: 'csd',
  });
  const [date, first, last] = [get('Fecha'), certificate.validFrom, certificate.validTo].map((text) =>
    Date.parse(text),
  );
  expect(date).toBeGreaterThan(first ?? Number.NaN);
  expect(date).toBeLessThan(last ?? Number.NaN);
  expect(isSealed(cadenaOf(xml), get('Sello'), certificate)).toBe(true);
  expect(stamp('SelloCFD')).toBe(get('Sello'));
  const names = ['Version', 'UUID', 'FechaTimbrado', 'RfcProvCertif', 'SelloCFD', 'NoCertificadoSAT'];
  const sat = await fetchCertificate(stamp('NoCertificadoSAT'));
  expect(isSealed(names.map(stamp), stamp('SelloSAT'), sat)).toBe(true);
}

const certificates = new Map<string, X509Certificate>();

/** A certificate from the repository, as python-satcfdi asks for it. */
async function fetchCertificate(numero: string): Promise<X509Certificate> {
  const path = numero.replace(/^(.{6})(.{6})(..)(..)(..)..$/, '$1/$2/$3/$4/$5');
  const address = `${simulador.url}/rdc/rccf/${path}/${numero}.cer`;
  const known =
    certificates.get(numero) ?? new X509Certificate(Buffer.from(await (await fetch(address)).arrayBuffer()));
  certificates.set(numero, known);
  return known;
}

function isSealed(values: readonly string[], seal: string, { publicKey }: X509Certificate): boolean {
  return verify('sha256', Buffer.from(`||${values.join('|')}||`), publicKey, Buffer.from(seal, 'base64'));
}

function checkSums(xml: XmlNodeInterface) {
  const items = ['cfdi:Conceptos', 'cfdi:Concepto'];
  const summary = xml.searchNode('cfdi:Impuestos');
  const added = cents(summary?.getAttribute('TotalImpuestosTrasladados') || '0');
  const withheld = cents(summary?.getAttribute('TotalImpuestosRetenidos') || '0');
  expect(total(xml, 'Importe', ...items)).toBe(cents(xml.getAttribute('SubTotal')));
  expect(total(xml, 'Descuento', ...items)).toBe(cents(xml.getAttribute('Descuento') || '0'));
  expect(cents(xml.getAttribute('SubTotal')) - cents(xml.getAttribute('Descuento') || '0') + added - withheld).toBe(
    cents(xml.getAttribute('Total')),
  );
  for (const [list, name, sum] of [
    ['cfdi:Traslados', 'cfdi:Traslado', added],
    ['cfdi:Retenciones', 'cfdi:Retencion', withheld],
  ] as const) {
    expect(total(xml, 'Importe', ...items, 'cfdi:Impuestos', list, name)).toBe(sum);
    expect(total(xml, 'Importe', 'cfdi:Impuestos', list, name)).toBe(sum);
  }
  for (const item of xml.searchNodes(...items)) {
    const price = Number(item.getAttribute('Cantidad')) * Number(item.getAttribute('ValorUnitario'));
    expect(cents(price.toFixed(2))).toBe(cents(item.getAttribute('Importe')));
    for (const tax of item.searchNodes('cfdi:Impuestos', 'cfdi:Traslados', 'cfdi:Traslado')) {
      if (tax.getAttribute('TipoFactor') === 'Exento') continue;
      const exact = cents(tax.getAttribute('Base')) * Number(tax.getAttribute('TasaOCuota'));
      expect(Math.abs(exact - cents(tax.getAttribute('Importe')))).toBeLessThanOrEqual(0.500001);
    }
  }
}

function checkComplement(xml: XmlNodeInterface) {
  const [payments] = ['pago20', 'pago10'].filter((prefix) => xml.searchNode('cfdi:Complemento', `${prefix}:Pagos`));
  const payroll = xml.searchNode('cfdi:Complemento', 'nomina12:Nomina');
  const kind = xml.getAttribute('TipoDeComprobante');
  expect([payments !== undefined, payroll !== undefined]).toEqual([kind === 'P', kind === 'N']);
  if (payments) {
    const path = ['cfdi:Complemento', `${payments}:Pagos`, `${payments}:Pago`];
    const paid = total(xml, 'Monto', ...path);
    expect(paid).toBeGreaterThan(0);
    const documents = [...path, `${payments}:DoctoRelacionado`];
    expect(total(xml, 'ImpPagado', ...documents)).toBe(paid);
    expect(total(xml, 'ImpSaldoAnt', ...documents) - total(xml, 'ImpSaldoInsoluto', ...documents)).toBe(paid);
  }
  if (payroll) {
    const earned = cents(payroll.getAttribute('TotalPercepciones'));
    const deducted = cents(payroll.getAttribute('TotalDeducciones'));
    expect(earned - deducted).toBe(cents(xml.getAttribute('Total')));
    expect(total(payroll, 'Importe', 'nomina12:Deducciones', 'nomina12:Deduccion')).toBe(deducted);
  }
}
