import type { Row } from '../taxpayers/row.ts';
import { type Cents, centsOf, money } from './amounts.ts';
import { type Csd, postalCodeOf, regimenOf, withT } from './comprobante.ts';
import { element, type XmlElement } from './element.ts';

const NAMESPACE = 'http://www.sat.gob.mx/esquemas/retencionpago/2';
const HEAD =
  'xmlns:retenciones xmlns:xsi xsi:schemaLocation Version Sello NoCertificado Certificado FechaExp LugarExpRetenc CveRetenc DescRetenc';

/** The Retenciones 2.0 of a row with an empty Sello and without a stamp: ISR of 10 % on the row's amount. */
export function createRetencion(row: Row, { numero, certificado }: Csd): XmlElement {
  const { rfcEmisor, rfcReceptor, fechaEmision } = row;
  const amount = centsOf(row.monto);
  const [year, month] = fechaEmision.split('-');
  const head = [
    ...[NAMESPACE, 'http://www.w3.org/2001/XMLSchema-instance', `${NAMESPACE} ${NAMESPACE}/retencionpagov2.xsd`],
    ...['2.0', '', numero, certificado, withT(fechaEmision), postalCodeOf(rfcEmisor), '25', 'Servicios profesionales'],
  ];
  const receptor = element('retenciones:Nacional', 'RfcR NomDenRazSocR DomicilioFiscalR', [
    ...[rfcReceptor, row.nombreReceptor || rfcReceptor, postalCodeOf(rfcReceptor)],
  ]);
  return element('retenciones:Retenciones', HEAD, head, [
    element('retenciones:Emisor', 'RfcE NomDenRazSocE RegimenFiscalE', [
      ...[rfcEmisor, row.nombreEmisor || rfcEmisor, regimenOf(rfcEmisor)],
    ]),
    element('retenciones:Receptor', 'NacionalidadR', ['Nacional'], [receptor]),
    element('retenciones:Periodo', 'MesIni MesFin Ejercicio', [month, month, year]),
    totalsOf(amount, Math.round(amount / 10)),
  ]);
}

function totalsOf(amount: Cents, withheld: Cents): XmlElement {
  const tax = element('retenciones:ImpRetenidos', 'BaseRet ImpuestoRet MontoRet TipoPagoRet', [
    ...[money(amount), '001', money(withheld), '04'],
  ]);
  const values = [money(amount), money(amount), '0.00', money(withheld)];
  return element('retenciones:Totales', 'MontoTotOperacion MontoTotGrav MontoTotExent MontoTotRet', values, [tax]);
}
