import { conformSat, type EscenarioSat } from '../testing/conformance.ts';
import { descargaResponse, solicitaResponse, verificaResponse } from '../testing/respuestas-soap.ts';
import { type Operacion, type SoapRig, startSoapRig } from '../testing/soap-rig.ts';

const folio = '4e80345d-917f-40bb-a98f-4a73939343c5';
const base = {
  rfc: 'EKU9003173C9',
  tipo: 'emitidos',
  periodo: { inicio: '2026-01-01T00:00:00', fin: '2026-01-31T23:59:59' },
  folio,
  paquete: `${folio}_01`,
} as const;
const zip = Buffer.from('PK'.repeat(50_000));

const solicita = (atributos: Record<string, string>) => solicitaResponse('SolicitaDescargaEmitidos', atributos);
const verifica = (EstadoSolicitud: string, CodigoEstadoSolicitud: string) =>
  verificaResponse({ CodEstatus: '5000', EstadoSolicitud, CodigoEstadoSolicitud, NumeroCFDIs: '7' }, [base.paquete]);
const descarga = (CodEstatus: string, contenido = '') => {
  const { before, after } = descargaResponse({ CodEstatus, Mensaje: 'm' });
  return before + contenido + after;
};
const everywhere = (CodEstatus: string): Partial<Record<Operacion, string>> => ({
  SolicitaDescargaEmitidos: solicita({ CodEstatus }),
  VerificaSolicitudDescarga: verificaResponse({ CodEstatus, EstadoSolicitud: '0' }),
  Descargar: descarga(CodEstatus),
});

const guiones: Record<EscenarioSat, Partial<Record<Operacion, string>>> = {
  aceptada: { SolicitaDescargaEmitidos: solicita({ CodEstatus: '5000', IdSolicitud: folio }) },
  repetida: { SolicitaDescargaEmitidos: solicita({ CodEstatus: '5002', Mensaje: 'm' }) },
  rechazada: { SolicitaDescargaEmitidos: solicita({ CodEstatus: '5001', Mensaje: 'm' }) },
  'en-proceso': { VerificaSolicitudDescarga: verifica('2', '5000') },
  terminada: { VerificaSolicitudDescarga: verifica('3', '5000') },
  vacia: { VerificaSolicitudDescarga: verifica('5', '5004') },
  demasiados: { VerificaSolicitudDescarga: verifica('5', '5003') },
  vencida: { VerificaSolicitudDescarga: verifica('6', '5000') },
  desconocida: { VerificaSolicitudDescarga: verificaResponse({ CodEstatus: '5004' }) },
  paquete: { Descargar: descarga('5000', zip.toString('base64')) },
  'paquete-cancelado': { Descargar: descarga('5000', zip.toString('base64')) },
  agotado: { Descargar: descarga('5007') },
  'credencial-rechazada': everywhere('305'),
  'servicio-con-error': everywhere('404'),
  cancelada: {},
};

for (const documento of ['cfdi', 'retenciones'] as const) {
  conformSat(`createSatSoap, ${documento},`, async (escenario) => {
    const rig: SoapRig = await startSoapRig();
    for (const [operacion, text] of Object.entries(guiones[escenario])) {
      rig.on(operacion as Operacion, text);
    }
    const { sat, credencial, close } = rig;
    return { sat, credencial, base: { ...base, documento }, zip, close };
  });
}
