import type { NombreError } from '@acuse/contract';
import { z } from 'zod';
import { readJson } from './api.ts';

/** A page of the RFC, with its slash, or of the panel where it says so. */
interface Lugar {
  readonly texto: string;
  readonly deRfc: boolean;
  readonly path: `/${string}`;
}

const CREDENCIALES: Lugar = { texto: 'Ir a Credenciales', deRfc: true, path: '/credenciales' };
const SALDO: Lugar = { texto: 'Ver el saldo', deRfc: false, path: '/saldo' };
const OPERACIONES: Lugar = { texto: 'Ir a Operaciones', deRfc: true, path: '/operaciones' };
const DIRECCIONES: Lugar = { texto: 'Ir a Direcciones IP', deRfc: true, path: '/direcciones' };

/** Texts of the catalogue for a reader with a form, and the place of the remedy. */
const EN_EL_PANEL: Partial<Record<NombreError, readonly [texto: string, lugar?: Lugar]>> = {
  API_KEY_INVALIDA: ['La API key no es válida. Escriba la última que se generó para este RFC.'],
  API_KEY_REVOCADA: ['La API key se revocó, o se generó otra. Escriba la última que se generó para este RFC.'],
  CIEC_NO_GUARDADA: [
    'Falta guardar la CIEC de este RFC; para una descarga sirve también la e.firma. Guárdela y envíe otra vez el formulario.',
    CREDENCIALES,
  ],
  CIEC_RECHAZADA: [
    'El SAT rechazó la CIEC guardada, y no se vuelve a usar para no bloquear su acceso. Compruébela en el portal del SAT, guarde la correcta y envíe otra vez el formulario.',
    CREDENCIALES,
  ],
  EFIRMA_NO_DISPONIBLE: [
    'La e.firma no está completa, o venció. Guarde su certificado y su llave y envíe otra vez el formulario.',
    CREDENCIALES,
  ],
  EFIRMA_RECHAZADA: [
    'El SAT rechazó la e.firma: puede estar revocada o vencida. Compruébela en el portal del SAT y guárdela otra vez.',
    CREDENCIALES,
  ],
  RFC_NO_REGISTRADO: [
    'Este RFC todavía no está asociado a su API key: queda asociado al guardar su CIEC o su e.firma. Guárdela y envíe otra vez el formulario.',
    CREDENCIALES,
  ],
  SALDO_INSUFICIENTE: [
    'El saldo no alcanza. Compre créditos, o pida a un propietario de la cuenta que los compre, y envíe otra vez el formulario.',
    SALDO,
  ],
  OPERACION_NO_HABILITADA: [
    'La operación está deshabilitada para este RFC. Habilítela, o pídalo a un propietario o a un desarrollador de la cuenta.',
    OPERACIONES,
  ],
  IP_NO_PERMITIDA: [
    'La API key de este RFC no se acepta desde la dirección IP desde la que usted entra. Agréguela, o pídalo a un propietario o a un desarrollador de la cuenta.',
    DIRECCIONES,
  ],
  SINCRONIZACION_DE_OTRO_MODO: [
    'Este RFC ya se mantiene al día con una API key de la otra clase (de pruebas o real), y sus CFDI no se mezclan. No se cambió nada. Use una de aquella clase o, para empezar con esta, antes «Dejar de mantener al día y borrar».',
  ],
  IDEMPOTENCIA_EN_CONFLICTO: [
    'Este formulario ya se envió y todavía se atiende. Espere unos segundos y envíelo otra vez.',
  ],
  DEMASIADAS_PETICIONES: ['Se enviaron demasiadas peticiones en poco tiempo. Espere un minuto y envíe otra vez.'],
  RESULTADO_INCIERTO: [
    'No se sabe si quedó hecho. Envíe otra vez este mismo formulario: no se hace ni se cobra dos veces.',
  ],
  ERROR_INTERNO: ['Ocurrió un error nuestro. Inténtelo otra vez y, si se repite, avise al operador del servicio.'],
};

const rechazada = z.object({
  cfdi_texto: z.string(),
  error: z.string().optional(),
  data: z.object({ campo: z.string().optional(), motivo: z.string().optional() }).optional(),
});

/** Why the API did not do what a form of the panel asked for. */
export interface RechazoApi {
  /** What happened and what to do, without a word that only programs read. */
  readonly texto: string;
  /** The field of the call that is wrong. */
  readonly campo: string | undefined;
  /** The page where it is mended, where there is one. */
  readonly ir?: Lugar | undefined;
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`;

/** Reads the body of an answer that is an error of the API; null for anything else. */
export function readRechazo(body: string): RechazoApi | null {
  const read = rechazada.safeParse(readJson(body));
  if (!read.success) return null;
  const { cfdi_texto: dicho, error = '', data: { campo, motivo } = {} } = read.data;
  // Of a field the cause says all; the text of the catalogue names a place in the answer.
  if (campo !== undefined && motivo !== undefined) return { texto: sentence(motivo), campo };
  const [texto, ir] = isTold(error) ? (EN_EL_PANEL[error] ?? []) : [];
  return { texto: texto ?? [dicho, motivo].filter(Boolean).join(' '), campo, ir };
}

const isTold = (name: string): name is keyof typeof EN_EL_PANEL => Object.hasOwn(EN_EL_PANEL, name);

/** The same in a message of the page of an RFC. */
export function DichoPorApi({
  rechazo: { texto, ir },
  rfc,
}: {
  readonly rechazo: Omit<RechazoApi, 'campo'>;
  readonly rfc: string;
}) {
  if (ir === undefined) return <>{texto}</>;
  return (
    <>
      {texto} <a href={ir.deRfc ? `/rfcs/${encodeURIComponent(rfc)}${ir.path}` : ir.path}>{ir.texto}</a>
    </>
  );
}
