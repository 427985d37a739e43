import { DIAS_ROTACION } from '@acuse/core';
import type { FilaSolicitud, RfcVista } from '@acuse/db';
import { hrefRfc, type Parte, type Recordatorio } from '@acuse/page';
import { formatFecha, formatRelativo } from '@acuse/page/formato';
import { edadEnDias, isLlaveUtil, RECHAZADA_EN } from '../rfcs/reglas/estado-credenciales.ts';

export type SolicitudInicio = Pick<FilaSolicitud, 'id' | 'rfc' | 'tipo' | 'desde' | 'hasta' | 'estado' | 'creadaEn'>;

/** What the start page tells of an account. */
export interface Inicio {
  readonly saldo: number;
  /** How many solicitudes are under way. */
  readonly abiertas: number;
  /** The newest of them, newest first. */
  readonly enCurso: readonly SolicitudInicio[];
  /** The newest that ended with a package. */
  readonly terminada: SolicitudInicio | null;
  /** Whether anything was ever asked for. */
  readonly huboSolicitud: boolean;
}

/** One step on the way from an empty account to the first download. */
export interface Paso {
  readonly titulo: string;
  readonly texto: string;
  /** Done, the one to do now, or one that has to wait. */
  readonly estado: 'hecho' | 'ahora' | 'luego';
  /** Where it is done. */
  readonly href: string;
  readonly boton: string;
  /** Whose step it is. */
  readonly permiso: { readonly ver: Parte } | { readonly cambiar: Parte };
}

type Cuenta = Pick<Inicio, 'saldo' | 'huboSolicitud' | 'enCurso' | 'terminada'>;

const hasCredencial = (rfc: RfcVista) => rfc.ciec !== null || (rfc.cer !== null && isLlaveUtil(rfc));

/** How far a taxpayer is, so that the list speaks of the one that is furthest. */
const progreso = (rfc: RfcVista) =>
  [rfc.llave !== null, hasCredencial(rfc), rfc.llave?.registradaEn != null].filter(Boolean).length;

const SIN_CREDITO = {
  titulo: 'Tenga un crédito',
  texto: 'Una descarga cuesta un crédito, de cualquier tamaño. Si termina sin paquete, el crédito vuelve.',
  hecho: false,
  href: '/saldo/comprar',
  boton: 'Comprar créditos',
  permiso: { cambiar: 'compras' },
} as const;

/**
 * The steps in their order, with one for credits where there are none. Each is done when the account shows that it is; the
 * first that is not is the one to do now.
 * A key, a credential and an associated RFC are what the API demands before a query at the SAT (specification,
 * Authentication).
 */
export function pasosOf(rfcs: readonly RfcVista[], cuenta: Cuenta): readonly Paso[] {
  const mejor = rfcs.reduce<RfcVista | null>(
    (best, rfc) => (best === null || progreso(rfc) > progreso(best) ? rfc : best),
    null,
  );
  const rfc = mejor?.rfc ?? '';
  const solicitud = cuenta.terminada ?? cuenta.enCurso[0] ?? null;
  const deRfc = (sub: `/${string}`) => (mejor ? hrefRfc(rfc, sub) : '/rfcs');
  const pasos: readonly (Omit<Paso, 'estado'> & { readonly hecho: boolean })[] = [
    {
      titulo: 'Agregue un RFC',
      texto: 'El del contribuyente del que quiere descargar: persona física o moral.',
      hecho: mejor !== null,
      href: '/rfcs/nuevo',
      boton: 'Agregar RFC',
      permiso: { cambiar: 'rfcs' },
    },
    {
      titulo: 'Guarde la CIEC o la e.firma',
      texto: 'Con cualquiera de las dos se le pregunta al SAT. Se cifra con su API key, que se genera al guardarla.',
      hecho: mejor !== null && hasCredencial(mejor) && mejor.llave?.registradaEn != null,
      href: deRfc('/credenciales'),
      boton: 'Guardar credencial',
      permiso: { cambiar: 'credenciales' },
    },
    ...(cuenta.saldo > 0 || cuenta.huboSolicitud ? [] : [SIN_CREDITO]),
    {
      titulo: 'Pida su primera descarga',
      texto: 'Los CFDI emitidos o recibidos de un periodo. Empiece con el formulario; después, desde su sistema.',
      hecho: cuenta.huboSolicitud,
      href: `/solicitudes/nueva?rfc=${encodeURIComponent(rfc)}`,
      boton: 'Pedir descarga',
      permiso: { cambiar: 'solicitudes' },
    },
    {
      titulo: 'Baje el ZIP',
      texto: 'El SAT tarda de minutos a horas. Puede cerrar esta página: la solicitud sigue sola.',
      hecho: cuenta.terminada !== null,
      href: solicitud ? `/solicitudes/${solicitud.id}` : '/solicitudes',
      boton: 'Ver la solicitud',
      permiso: { ver: 'solicitudes' },
    },
  ];
  const ahora = pasos.findIndex(({ hecho }) => !hecho);
  return pasos.map(({ hecho, ...paso }, lugar) => ({
    ...paso,
    estado: hecho ? 'hecho' : lugar === ahora ? 'ahora' : 'luego',
  }));
}

/** Days before the end of a certificate from which it is mentioned. */
const DIAS_AVISO = 30;
const DIA_MS = 86_400_000;
const ORDEN = ['error', 'alerta', 'info'] as const;

/** Reminders about the account's taxpayers, and those of features, the most urgent first. */
export function recordatoriosOf(
  rfcs: readonly RfcVista[],
  now: Date,
  more: readonly Recordatorio[] = [],
): readonly Recordatorio[] {
  const todos = [...rfcs.flatMap((rfc) => [...ofCredenciales(rfc, now), ...ofLlave(rfc, now)]), ...more];
  return ORDEN.flatMap((tono) => todos.filter((each) => each.tono === tono));
}

function* ofCredenciales(vista: RfcVista, now: Date): Generator<Recordatorio> {
  const { rfc, ciec, cer, efirmaKey } = vista;
  const base = { href: hrefRfc(rfc, '/credenciales'), parte: 'credenciales' } as const;
  if (ciec?.rechazadaEn)
    yield { ...base, tono: 'error', texto: `El SAT rechazó la CIEC de ${rfc}.`, accion: 'Guardar la correcta' };
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
      parte: 'llaves',
    };
}
