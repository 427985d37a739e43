import type { Documento, Row } from '../taxpayers/row.ts';
import { createComprobante, withT } from './comprobante.ts';
import type { Csds } from './csd.ts';
import { cadenaOriginal, element, writeXml, type XmlElement } from './element.ts';
import { createRetencion } from './retencion.ts';

const SAT = ['SAT970701NN3', 'SERVICIO DE ADMINISTRACION TRIBUTARIA'] as const;
/** Years in which the SAT stamps. */
const [FIRST_YEAR, LAST_YEAR] = [2011, 2040];

/** Creates the writer of CFDI; their seals verify against certificates of the simulator's own authority. */
export function createCfdis(csds: Csds) {
  const sealed = (row: Row, documento: Documento) => {
    const csd = csds.of(row.rfcEmisor, row.nombreEmisor || row.rfcEmisor, row.emision);
    const comprobante = documento === 'cfdi' ? createComprobante(row, csd) : createRetencion(row, csd);
    return { comprobante, sello: csds.seal(cadenaOriginal(comprobante)) };
  };
  const stamp = (row: Row, sello: string): XmlElement => {
    const { numero } = csds.of(...SAT, row.emision);
    const date = withT(row.fechaCertificacionSat);
    const values = ['1.1', row.uuid, date, row.rfcPac, sello, numero];
    const unsealed = element('', 'Version UUID FechaTimbrado RfcProvCertif SelloCFD NoCertificadoSAT', values);
    const selloSat = csds.seal(cadenaOriginal(unsealed));
    return element('tfd:TimbreFiscalDigital', STAMP, [NAMESPACE, SCHEMA, ...values, selloSat]);
  };
  return {
    /**
     * The XML of a row with its stamp, the same bytes at every call: CFDI 4.0, or 3.3 if it was emitted before 2023;
     * of retenciones 2.0.
     */
    xmlOf: (row: Row, documento: Documento = 'cfdi'): string => {
      const { comprobante, sello } = sealed(row, documento);
      return `<?xml version="1.0" encoding="UTF-8"?>\n${writeXml(withStamp(comprobante, sello, stamp(row, sello)))}\n`;
    },
    /** The issuer's seal of a row, base64; its last eight characters are the `fe` of the printed expression. */
    selloOf: (row: Row, documento: Documento = 'cfdi'): string => sealed(row, documento).sello,
    /** DER of a seal certificate by its 20 digits: the SAT's, or an issuer's whose CFDI was written; else null. */
    findCertificate: (numero: string): Buffer | null => {
      for (let year = FIRST_YEAR; year <= LAST_YEAR; year++) csds.of(...SAT, Date.UTC(year, 0, 1) / 1000);
      const csd = csds.find(numero);
      return csd && Buffer.from(csd.certificado, 'base64');
    },
  };
}

const NAMESPACE = 'http://www.sat.gob.mx/TimbreFiscalDigital';
const SCHEMA = `${NAMESPACE} http://www.sat.gob.mx/sitio_internet/cfd/TimbreFiscalDigital/TimbreFiscalDigitalv11.xsd`;
const STAMP =
  'xmlns:tfd xsi:schemaLocation Version UUID FechaTimbrado RfcProvCertif SelloCFD NoCertificadoSAT SelloSAT';

function withStamp({ name, attributes, children }: XmlElement, sello: string, stamp: XmlElement): XmlElement {
  const complemento = name.replace(/:.*/, ':Complemento');
  const others = children.filter((child) => child.name !== complemento);
  const complements = children.find((child) => child.name === complemento)?.children ?? [];
  return {
    name,
    attributes: attributes.map(([key, value]) => [key, key === 'Sello' ? sello : value] as const),
    children: [...others, element(complemento, '', [], [...complements, stamp])],
  };
}
