import type { Row } from './taxpayers/row.ts';
import { escapeXml } from './texts.ts';

/**
 * The XML of a row as a CFDI 4.0 with its stamp. The seals are not real signatures (the simulator has no
 * key of the issuer); the amounts, people, dates and UUID are those of the row.
 */
export function createCfdiXml(row: Row): string {
  const total = Number(row.monto).toFixed(2);
  const moneda = row.efecto === 'P' || row.efecto === 'T' ? 'XXX' : 'MXN';
  const fecha = row.fechaEmision.replace(' ', 'T');
  return `<?xml version="1.0" encoding="UTF-8"?>
<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4" Version="4.0" Fecha="${fecha}" SubTotal="${total}" Moneda="${moneda}" Total="${total}" TipoDeComprobante="${row.efecto}" Exportacion="01" LugarExpedicion="06300" NoCertificado="30001000000500003416" Certificado="" Sello="${selloOf(row.uuid)}">
  <cfdi:Emisor Rfc="${escapeXml(row.rfcEmisor)}" Nombre="${escapeXml(row.nombreEmisor).replaceAll('\n', '&#10;')}" RegimenFiscal="601"/>
  <cfdi:Receptor Rfc="${escapeXml(row.rfcReceptor)}" Nombre="${escapeXml(row.nombreReceptor).replaceAll('\n', '&#10;')}" DomicilioFiscalReceptor="06300" RegimenFiscalReceptor="601" UsoCFDI="G03"/>
  <cfdi:Conceptos>
    <cfdi:Concepto ClaveProdServ="84111506" Cantidad="1" ClaveUnidad="ACT" Descripcion="Servicio" ValorUnitario="${total}" Importe="${total}" ObjetoImp="01">${tercero(row)}</cfdi:Concepto>
  </cfdi:Conceptos>
  <cfdi:Complemento>
    <tfd:TimbreFiscalDigital xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="1.1" UUID="${row.uuid}" FechaTimbrado="${row.fechaCertificacionSat.replace(' ', 'T')}" RfcProvCertif="${row.rfcPac}" SelloCFD="${selloOf(row.uuid)}" NoCertificadoSAT="30001000000500003456" SelloSAT="${selloOf(row.uuid)}"/>
  </cfdi:Complemento>
</cfdi:Comprobante>
`;
}

function tercero({ tercero: persona }: Row): string {
  if (!persona) return '';
  return `<cfdi:ACuentaTerceros RfcACuentaTerceros="${escapeXml(persona.rfc)}" NombreACuentaTerceros="${escapeXml(persona.nombre)}" RegimenFiscalACuentaTerceros="601" DomicilioFiscalACuentaTerceros="06300"/>`;
}

/** The issuer's seal of a row, base64; its last eight characters are the `fe` of the printed expression. */
export function selloOf(uuid: string): string {
  return Buffer.from(uuid.repeat(4)).toString('base64');
}
