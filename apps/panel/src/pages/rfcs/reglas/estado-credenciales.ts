import type { RfcVista } from '@acuse/db';
import { needsShredKey } from '@acuse/vault';

/** A state in words, with the colour that repeats them. */
interface EstadoCredencial {
  readonly texto: string;
  readonly tono: 'exito' | 'alerta' | 'error' | 'neutro';
}

/** Where the SAT refused an e.firma that the other channel still takes, by that other one. */
export const RECHAZADA_EN: Readonly<Record<'soap' | 'portal', string>> = {
  portal: 'en el servicio web',
  soap: 'en los portales',
};

export function estadoCiec({ ciec }: Pick<RfcVista, 'ciec'>): EstadoCredencial {
  if (ciec === null) return { texto: 'No guardada', tono: 'neutro' };
  return ciec.rechazadaEn === null
    ? { texto: 'Guardada', tono: 'exito' }
    : { texto: 'El SAT la rechazó', tono: 'error' };
}

export function estadoCer({ cer }: Pick<RfcVista, 'cer'>, now: Date): EstadoCredencial {
  if (cer === null) return { texto: 'No registrado', tono: 'neutro' };
  if (cer.vigenteHasta !== null && cer.vigenteHasta <= now) return { texto: 'Vencido', tono: 'error' };
  if (cer.rechazadaEn === null) return { texto: 'Registrado', tono: 'exito' };
  return cer.sirveEn === null
    ? { texto: 'El SAT lo rechazó', tono: 'error' }
    : { texto: `Rechazado ${RECHAZADA_EN[cer.sirveEn]}`, tono: 'alerta' };
}

/** Whether a stored e.firma key opens: it does not without its shred key, which a crash may have lost. */
export function isLlaveUtil({ efirmaKey }: Pick<RfcVista, 'efirmaKey'>): boolean {
  return efirmaKey !== null && (efirmaKey.tieneShred || !needsShredKey(efirmaKey.encabezado));
}

export function estadoLlaveEfirma(rfc: Pick<RfcVista, 'efirmaKey'>): EstadoCredencial {
  if (!isLlaveUtil(rfc)) return { texto: 'No guardada', tono: 'neutro' };
  return { texto: 'Guardada', tono: 'exito' };
}

/** The e.firma as a whole, for a list. */
export function estadoEfirma(rfc: Pick<RfcVista, 'cer' | 'efirmaKey'>, now: Date): EstadoCredencial {
  const cer = estadoCer(rfc, now);
  if (cer.tono !== 'exito') return cer.tono === 'neutro' ? { texto: 'No guardada', tono: 'neutro' } : cer;
  return isLlaveUtil(rfc) ? { texto: 'Lista', tono: 'exito' } : { texto: 'Falta la llave', tono: 'alerta' };
}

const DIA_MS = 86_400_000;

/** Age of a key in whole days. */
export function edadEnDias(creadaEn: Date, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - creadaEn.getTime()) / DIA_MS));
}

/** Credentials under the active key, in words, for a sentence. */
export function guardadas(rfc: RfcVista): string[] {
  return [
    ...(rfc.ciec ? ['la CIEC'] : []),
    ...(rfc.cer ? ['el certificado de la e.firma'] : []),
    ...(isLlaveUtil(rfc) ? ['la llave privada de la e.firma'] : []),
  ];
}
