import {
  type Filtros,
  type RespuestaSolicitarMetadata,
  type RespuestaVerificarMetadata,
  SatError,
  type SolicitarMetadata,
  type TipoDescarga,
  type VerificarMetadata,
} from '@acuse/core';
import { ilegible } from '../texto.ts';
import { call } from './call.ts';
import { ACEPTADO, type ContextoSoap, conToken, errorOf, readCodigo, readId, readMessage } from './contexto.ts';
import { type Criterios, NS_DESCARGA, sobreFirmado, sobreVerifica } from './sobres.ts';
import { type Elemento, resultOf } from './xml.ts';

const OPERACION = { emitidos: 'SolicitaDescargaEmitidos', recibidos: 'SolicitaDescargaRecibidos' } as const;

/**
 * Asks for the metadata or the XML of a period. Metadata: valid and cancelled CFDI alike, received ones too (SAT's
 * manual, quoted in luisiturrios1/python-cfdiclient#58). XML: received ones only if valid
 * (SAT-CFDI/python-satcfdi#43); issued ones of either state as the manual says, and only valid ones once the SAT has
 * answered 301 to that (python-cfdiclient#70): that call spent nothing. "No information" (5004) may come at once
 * (petergtam/DescargaMasivaSATKit, captures of the live service).
 */
export async function solicitarMetadata(
  contexto: ContextoSoap,
  consulta: SolicitarMetadata,
): Promise<RespuestaSolicitarMetadata> {
  const { estados } = contexto;
  const isChoice =
    consulta.contenido === 'xml' && consulta.tipo === 'emitidos' && !consulta.filtros?.estado_comprobante;
  if (!isChoice || estados.areRefused) return solicitar(contexto, consulta, isChoice ? 'Vigente' : null);
  try {
    return await solicitar(contexto, consulta, 'Todos');
  } catch (error) {
    if (!(error instanceof SatError && error.codigo === '301')) throw error;
    const answer = await solicitar(contexto, consulta, 'Vigente');
    estados.areRefused = true;
    return answer;
  }
}

async function solicitar(
  contexto: ContextoSoap,
  { rfc, tipo, periodo, filtros, contenido }: SolicitarMetadata,
  estado: string | null,
): Promise<RespuestaSolicitarMetadata> {
  const { http, servicio, signer, signal, settings } = contexto;
  const operacion = OPERACION[tipo];
  const only = contenido === 'xml' && tipo === 'recibidos' ? 'Vigente' : estado;
  const sobre = sobreFirmado(signer, operacion, 'solicitud', {
    RfcSolicitante: rfc,
    TipoSolicitud: contenido === 'xml' ? 'CFDI' : 'Metadata',
    FechaInicial: periodo.inicio,
    FechaFinal: periodo.fin,
    ...criteriosOf(rfc, tipo, filtros ?? {}),
    ...(only === null ? {} : { EstadoComprobante: only }),
  });
  const { codigo, attrs } = await conToken(contexto, async (token) => {
    const paso = servicio[tipo];
    const { contenido, texto } = await call(http, { paso, sobre, token, signal }, settings.maxAnswerBytes);
    contexto.onAnswer?.(texto);
    const { attrs } = resultOf(contenido, NS_DESCARGA, operacion);
    return { codigo: readCodigo(attrs['CodEstatus'], 'CodEstatus'), attrs };
  });
  const mensaje = readMessage(attrs['Mensaje']);
  switch (codigo) {
    case ACEPTADO:
      return { resultado: 'ACEPTADA', folio: readId(attrs['IdSolicitud'], 'IdSolicitud') };
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

const ESTADOS = { vigente: 'Vigente', cancelado: 'Cancelado' } as const;

/** Attributes of a request, and the receivers of issued CFDI as the children that version 1.5 takes. */
function criteriosOf(rfc: string, tipo: TipoDescarga, filtros: Filtros): Criterios {
  const { estado_comprobante: estado, tipo_comprobante: TipoComprobante, complemento: Complemento } = filtros;
  const { rfc_contraparte: contrapartes = [] } = filtros;
  return {
    EstadoComprobante: estado === undefined ? 'Todos' : ESTADOS[estado],
    ...(TipoComprobante === undefined ? {} : { TipoComprobante }),
    ...(Complemento === undefined ? {} : { Complemento }),
    ...(tipo === 'emitidos' ? { RfcEmisor: rfc } : { RfcReceptor: rfc }),
    ...(contrapartes.length === 0
      ? {}
      : tipo === 'emitidos'
        ? { RfcReceptores: contrapartes }
        : { RfcEmisor: contrapartes[0] ?? '' }),
  };
}

/** Codes that the SAT gives as the reason of a state (`CodigoEstadoSolicitud`). */
const REASONS = new Set('300 301 302 303 304 305 404 5000 5001 5002 5003 5004 5005 5006 5010 5011 5012'.split(' '));

/** Asks how far a request is. */
export async function verificarMetadata(
  contexto: ContextoSoap,
  { rfc, folio }: VerificarMetadata,
): Promise<RespuestaVerificarMetadata> {
  const { http, servicio, signer, signal, settings } = contexto;
  const sobre = sobreVerifica(signer, rfc, folio);
  const { codigo, result } = await conToken(contexto, async (token) => {
    const paso = servicio.verifica;
    const { contenido, texto } = await call(http, { paso, sobre, token, signal }, settings.maxAnswerBytes);
    contexto.onAnswer?.(texto);
    const result = resultOf(contenido, NS_DESCARGA, 'VerificaSolicitudDescarga');
    return { codigo: readCodigo(result.attrs['CodEstatus'], 'CodEstatus'), result };
  });
  return readEstado(result, codigo);
}

/**
 * The state decides, then its reason, then the code of the call: an empty period is state 5 with reason 5004 while the
 * code of the call stays 5000 (luisiturrios1/python-cfdiclient#40, FiscalAPI/xml-downloader#7). State 0, or none, means
 * that the call failed.
 */
function readEstado(result: Elemento, codEstatus: string): RespuestaVerificarMetadata {
  const { EstadoSolicitud, CodigoEstadoSolicitud, Mensaje } = result.attrs;
  const mensaje = readMessage(Mensaje);
  const razon = () => {
    const codigo = readCodigo(CodigoEstadoSolicitud || codEstatus, 'CodigoEstadoSolicitud');
    if (!REASONS.has(codigo)) throw ilegible('CodigoEstadoSolicitud desconocido', codigo);
    return codigo;
  };
  switch (EstadoSolicitud || '0') {
    case '0':
      if (codEstatus === '5004') return { resultado: 'DESCONOCIDA', codigo: codEstatus, mensaje };
      throw errorOf(codEstatus);
    case '1':
    case '2':
      return { resultado: 'EN_PROCESO' };
    case '3':
      return readTerminada(result);
    case '4':
      return { resultado: 'ERROR', codigo: razon(), mensaje };
    case '5': {
      const codigo = razon();
      if (codigo === '5004') return { resultado: 'VACIA' };
      if (codigo === '5003') return { resultado: 'DEMASIADOS' };
      return { resultado: 'RECHAZADA', codigo, mensaje };
    }
    case '6':
      return { resultado: 'VENCIDA', codigo: razon(), mensaje };
    default:
      throw ilegible('EstadoSolicitud desconocido');
  }
}

function readTerminada(result: Elemento): RespuestaVerificarMetadata {
  const paquetes = result.children
    .filter((child) => child.nombre === 'IdsPaquetes' && child.ns === NS_DESCARGA)
    .map((child) => readId(child.texto.trim(), 'IdsPaquetes'));
  const numero = result.attrs['NumeroCFDIs'];
  if (numero !== undefined && !/^\d{1,9}$/.test(numero)) throw ilegible('NumeroCFDIs no es un número');
  const registros = numero === undefined ? null : Number(numero);
  if (paquetes.length === 0) {
    if (registros === 0) return { resultado: 'VACIA' };
    throw ilegible('terminada sin paquetes');
  }
  return { resultado: 'TERMINADA', paquetes: [...new Set(paquetes)], registros };
}
