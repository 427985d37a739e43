import type { SatRow } from './sat-rows.ts';

/** A CFDI 4.0 as its row of the metadata tells it, with so many concepts; the seal and the certificate are none. */
export function cfdiXml(row: SatRow, concepts = 1): string {
  const concept = (number: number) =>
    `<cfdi:Concepto ClaveProdServ="01010101" Cantidad="${number}" ClaveUnidad="H87" Descripcion="Pieza &quot;${number}&quot;, de acero" ValorUnitario="10.50" Importe="${(number * 10.5).toFixed(2)}" ObjetoImp="02">` +
    `<cfdi:Impuestos><cfdi:Traslados><cfdi:Traslado Base="10.50" Impuesto="002" TipoFactor="Tasa" TasaOCuota="0.160000" Importe="1.68"/></cfdi:Traslados></cfdi:Impuestos></cfdi:Concepto>`;
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4" Version="4.0" Fecha="${row.fechaEmision.replace(' ', 'T')}" Moneda="MXN" TipoDeComprobante="${row.efecto}" Total="${row.monto}">` +
    `<cfdi:Emisor Rfc="${row.rfcEmisor}" Nombre="EMISORA"/><cfdi:Receptor Rfc="${row.rfcReceptor}" Nombre="RECEPTORA"/>` +
    `<cfdi:Conceptos>${Array.from({ length: concepts }, (_, index) => concept(index + 1)).join('')}</cfdi:Conceptos>` +
    '<cfdi:Complemento><tfd:TimbreFiscalDigital xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="1.1" ' +
    `UUID="${row.uuid}" FechaTimbrado="${row.fechaCertificacion.replace(' ', 'T')}"/></cfdi:Complemento></cfdi:Comprobante>`
  );
}
