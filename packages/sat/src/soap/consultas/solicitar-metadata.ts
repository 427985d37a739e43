import type { RespuestaSolicitarMetadata, SolicitarMetadata } from '@acuse/core';
import { ACEPTADO, errorOf, readCodigo, readId, readMensaje } from '../codigos.ts';
import { llamar } from '../llamar.ts';
import { sobreFirmado } from '../sobres.ts';
import { onlyChild, unreadable } from '../xml.ts';
import { type ContextoSoap, conToken } from './contexto.ts';

const OPERACION = { emitidos: 'SolicitaDescargaEmitidos', recibidos: 'SolicitaDescargaRecibidos' } as const;

/**
 * Asks for the metadata of a period, valid and cancelled CFDI alike: the SAT gives both for received ones too when the
 * kind of request is Metadata (SAT's manual, quoted in luisiturrios1/python-cfdiclient#58). "No information" (5004) may
 * come at once (petergtam/DescargaMasivaSATKit, captures of the live service).
 */
export async function solicitarMetadata(
  contexto: ContextoSoap,
  { rfc, tipo, periodo }: SolicitarMetadata,
): Promise<RespuestaSolicitarMetadata> {
  const { http, servicio, firmante, signal, settings } = contexto;
  const operacion = OPERACION[tipo];
  const sobre = sobreFirmado(firmante, operacion, 'solicitud', {
    RfcSolicitante: rfc,
    TipoSolicitud: 'Metadata',
    EstadoComprobante: 'Todos',
    FechaInicial: periodo.inicio,
    FechaFinal: periodo.fin,
    ...(tipo === 'emitidos' ? { RfcEmisor: rfc } : { RfcReceptor: rfc }),
  });
  const { codigo, atributos } = await conToken(contexto, async (token) => {
    const paso = servicio[tipo];
    const { contenido } = await llamar(http, { paso, sobre, token, signal }, settings.maxAnswerBytes);
    if (contenido.nombre !== `${operacion}Response`) throw unreadable(`falta ${operacion}Response`);
    const { atributos } = onlyChild(contenido, `${operacion}Result`);
    return { codigo: readCodigo(atributos['CodEstatus'], 'CodEstatus'), atributos };
  });
  const mensaje = readMensaje(atributos['Mensaje']);
  switch (codigo) {
    case ACEPTADO:
      return { resultado: 'ACEPTADA', folio: readId(atributos['IdSolicitud'], 'IdSolicitud') };
    case '5003':
      return { resultado: 'DEMASIADOS' };
    case '5004':
      return { resultado: 'VACIA' };
    case '5002':
    case '5005':
      return { resultado: 'REPETIDA', codigo, mensaje };
    case '5001':
    case '5012':
      return { resultado: 'RECHAZADA', codigo, mensaje };
    default:
      throw errorOf(codigo);
  }
}
