const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const DES = 'http://DescargaMasivaTerceros.sat.gob.mx';
const WSS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';

/** Answers of the SAT's service as texts, with its names and namespaces. Contents are made up. */
export function autenticaResponse(token: string, created: Date, seconds = 300): string {
  const expires = new Date(created.getTime() + seconds * 1000);
  return (
    `<s:Envelope xmlns:s="${SOAP}" xmlns:u="${WSS}-wssecurity-utility-1.0.xsd"><s:Header>` +
    `<o:Security s:mustUnderstand="1" xmlns:o="${WSS}-wssecurity-secext-1.0.xsd"><u:Timestamp u:Id="_0">` +
    `<u:Created>${created.toISOString()}</u:Created><u:Expires>${expires.toISOString()}</u:Expires>` +
    '</u:Timestamp></o:Security></s:Header><s:Body>' +
    '<AutenticaResponse xmlns="http://DescargaMasivaTerceros.gob.mx">' +
    `<AutenticaResult>${token}</AutenticaResult></AutenticaResponse></s:Body></s:Envelope>`
  );
}

type Atributos = Readonly<Record<string, string>>;

export function solicitaResponse(operacion: string, atributos: Atributos): string {
  return sobre(`<${operacion}Response xmlns="${DES}"><${operacion}Result${pairs(atributos)}/></${operacion}Response>`);
}

export function verificaResponse(atributos: Atributos, paquetes: readonly string[] = []): string {
  const ids = paquetes.map((id) => `<IdsPaquetes>${id}</IdsPaquetes>`).join('');
  return sobre(
    `<VerificaSolicitudDescargaResponse xmlns="${DES}">` +
      `<VerificaSolicitudDescargaResult${pairs(atributos)}>${ids}</VerificaSolicitudDescargaResult>` +
      '</VerificaSolicitudDescargaResponse>',
  );
}

/** Split where the base64 stands, so that a test can send a large one piece by piece. */
export function descargaResponse(atributos: Atributos): { before: string; after: string } {
  return {
    before:
      `<s:Envelope xmlns:s="${SOAP}"><s:Header>` +
      `<h:respuesta${pairs(atributos)} xmlns:h="${DES}" xmlns="${DES}"/></s:Header><s:Body>` +
      `<RespuestaDescargaMasivaTercerosSalida xmlns="${DES}"><Paquete>`,
    after: '</Paquete></RespuestaDescargaMasivaTercerosSalida></s:Body></s:Envelope>',
  };
}

export function soapFault(codigo: string): string {
  return sobre(
    `<s:Fault><faultcode xmlns:a="urn:prueba">${codigo}</faultcode>` +
      '<faultstring xml:lang="es-MX">Texto de la falla que no debe salir</faultstring></s:Fault>',
  );
}

function sobre(body: string): string {
  return `<s:Envelope xmlns:s="${SOAP}"><s:Body>${body}</s:Body></s:Envelope>`;
}

function pairs(atributos: Atributos): string {
  return Object.entries(atributos)
    .map(([name, value]) => ` ${name}="${value.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}"`)
    .join('');
}
