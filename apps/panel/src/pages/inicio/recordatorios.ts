import type { RfcVista } from '@acuse/db';
import type { Tono } from '../../components/aviso.tsx';
import { formatFecha, formatRelativo } from '../../components/formato.ts';
import { DIAS_ROTACION, edadEnDias, isLlaveUtil, RECHAZADA_EN } from '../rfcs/reglas/estado-credenciales.ts';
import { hrefRfc } from '../rfcs/reglas/ruta-rfc.ts';

/** Something that will stop working, or should be changed, and where. */
export interface Recordatorio {
  readonly tono: Exclude<Tono, 'exito'>;
  readonly texto: string;
  readonly href: string;
  readonly accion: string;
}

/** Days before the end of a certificate from which it is mentioned. */
const DIAS_AVISO = 30;
const DIA_MS = 86_400_000;
const ORDEN = ['error', 'alerta', 'info'] as const;

/** What needs attention in the account's taxpayers, the most urgent first. */
export function recordatoriosOf(rfcs: readonly RfcVista[], now: Date): readonly Recordatorio[] {
  const todos = rfcs.flatMap((rfc) => [...ofCredenciales(rfc, now), ...ofLlave(rfc, now)]);
  return ORDEN.flatMap((tono) => todos.filter((each) => each.tono === tono));
}

function* ofCredenciales(vista: RfcVista, now: Date): Generator<Recordatorio> {
  const { rfc, ciec, cer, efirmaKey } = vista;
  const base = { href: hrefRfc(rfc, '/credenciales') };
  if (ciec?.rechazadaEn)
    yield {
      ...base,
      tono: 'error',
      texto: `El SAT rechazó la CIEC de ${rfc}.`,
      accion: 'Guardar la correcta',
    };
  if (cer?.rechazadaEn)
    yield {
      ...base,
      tono: cer.sirveEn === null ? 'error' : 'alerta',
      texto: `El SAT rechazó la e.firma de ${rfc}${cer.sirveEn === null ? '' : ` ${RECHAZADA_EN[cer.sirveEn]}`}.`,
      accion: cer.sirveEn === null ? 'Guardar otra' : 'Revisarla',
    };
  if (cer?.vigenteHasta && cer.vigenteHasta <= now)
    yield {
      ...base,
      tono: 'error',
      texto: `El certificado de la e.firma de ${rfc} venció el ${formatFecha(cer.vigenteHasta, 'dia')}.`,
      accion: 'Subir el nuevo',
    };
  else if (cer?.vigenteHasta && cer.vigenteHasta.getTime() - now.getTime() <= DIAS_AVISO * DIA_MS)
    yield {
      ...base,
      tono: 'alerta',
      texto: `El certificado de la e.firma de ${rfc} vence ${formatRelativo(cer.vigenteHasta, now)}. Renuévelo ante el SAT.`,
      accion: 'Ver la e.firma',
    };
  if (efirmaKey && isLlaveUtil(vista))
    yield {
      ...base,
      tono: 'info',
      texto: `La llave de la e.firma de ${rfc} se borra ${formatRelativo(efirmaKey.expiraEn, now)}.`,
      accion: 'Guardarla de nuevo',
    };
}

function* ofLlave({ rfc, llave }: RfcVista, now: Date): Generator<Recordatorio> {
  if (llave === null) return;
  const dias = edadEnDias(llave.creadaEn, now);
  if (dias >= DIAS_ROTACION)
    yield {
      tono: 'alerta',
      texto: `La API key …${llave.ultimos4} de ${rfc} tiene ${dias} días. Conviene cambiarla cada ${DIAS_ROTACION}.`,
      href: hrefRfc(rfc, '/llave'),
      accion: 'Cambiarla',
    };
}
