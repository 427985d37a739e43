import { X509Certificate } from 'node:crypto';
import { type CredencialEfirma, SatError } from '@acuse/core';
import { openEfirma } from '../../soap/efirma.ts';

/** What the log-in page of the e.firma is answered with. */
export interface FirmaAcceso {
  readonly token: string;
  /** End of the certificate, UTC, as `yyMMddHHmmssZ`. */
  readonly fert: string;
}

/**
 * Signs the challenge `guid` of the log-in page: `guid|RFC|certificate number` in UTF-8, then base64( base64(text) `#`
 * base64(base64(RSA-SHA1 of the text)) ) (phpcfdi/cfdi-sat-scraper, src/Sessions/Fiel/ChallengeResolver.php;
 * SAT-CFDI/python-satcfdi, satcfdi/portal/utils.py). Throws EFIRMA_RECHAZADA for an e.firma that cannot be read.
 */
export function firmarAcceso(credencial: CredencialEfirma, guid: string): FirmaAcceso {
  const firmante = openEfirma(credencial);
  const texto = `${guid}|${credencial.rfc.toUpperCase()}|${numeroDe(credencial.cer)}`;
  return {
    token: base64(`${base64(texto)}#${base64(firmante.sign(texto))}`),
    fert: `${firmante.validoHasta.toISOString().slice(2, 19).replace(/\D/g, '')}Z`,
  };
}

/** The bytes of the serial number of a certificate of the SAT are its twenty digits in ASCII. */
function numeroDe(cer: Buffer): string {
  const numero = Buffer.from(new X509Certificate(cer).serialNumber, 'hex').toString('latin1');
  if (!/^\d{1,40}$/.test(numero)) {
    throw new SatError('EFIRMA_RECHAZADA', { detalle: 'el número del certificado no es del SAT' });
  }
  return numero;
}

const base64 = (texto: string) => Buffer.from(texto, 'utf8').toString('base64');
