import type { MotivoCertificado } from './certificado.ts';
import type { MotivoLlave } from './llave.ts';

/** What a person reads about a refused certificate: in `data.motivo` of the API, beside the field in the panel. */
export const MOTIVOS_CERTIFICADO: Record<MotivoCertificado, string> = {
  NO_ES_CERTIFICADO:
    'El archivo no es un certificado. Envíe el .cer tal como lo entregó el SAT (por la API, en base64).',
  DEMASIADO_GRANDE: 'El archivo es demasiado grande para ser un certificado. Envíe el .cer que entregó el SAT.',
  NO_ES_DEL_SAT: 'El certificado no fue emitido por el SAT. Envíe el .cer de la e.firma del RFC.',
  ES_CSD:
    'El archivo es un certificado de sello digital (CSD), que solo sirve para timbrar. Envíe el .cer de la e.firma.',
  NO_ES_EFIRMA: 'El certificado no es de una e.firma. Envíe el .cer de la e.firma del RFC.',
  RFC_DISTINTO: 'El certificado es de otro RFC. Envíe el .cer de la e.firma del RFC de esta API key.',
  LLAVE_DEBIL:
    'La llave del certificado es demasiado corta para ser de una e.firma vigente. Renueve la e.firma en el SAT.',
  AUN_NO_VIGENTE: 'El certificado todavía no entra en vigor. Espere a su fecha de inicio y vuelva a registrarlo.',
  VENCIDO: 'El certificado ya venció. Renueve la e.firma en el SAT y registre el .cer nuevo.',
  EMISOR_DESCONOCIDO:
    'El certificado no lo firmó ninguna autoridad conocida del SAT. Si es reciente, avísenos para agregar a su emisor.',
  EMISOR_NO_VIGENTE:
    'La autoridad que firmó el certificado no estaba vigente al firmarlo. Registre un .cer vigente del SAT.',
};

/** What a person reads about a refused private key. */
export const MOTIVOS_LLAVE: Record<MotivoLlave, string> = {
  NO_ES_LLAVE: 'El archivo no es una llave privada. Envíe el .key tal como lo entregó el SAT (por la API, en base64).',
  DEMASIADO_GRANDE: 'El archivo es demasiado grande para ser una llave privada. Envíe el .key que entregó el SAT.',
  CIFRADO_NO_SOPORTADO:
    'El .key está cifrado con un algoritmo antiguo que ya no se admite. Cambie su contraseña con Certifica del SAT y envíe el archivo nuevo.',
  PASSWORD_INCORRECTA: 'La contraseña no abre el .key. Revise mayúsculas, acentos y espacios, y vuelva a enviarla.',
  NO_ES_RSA: 'La llave privada no es del tipo que usa la e.firma. Envíe el .key de la e.firma.',
};

export const MOTIVO_NO_ES_PAR =
  'El .key no corresponde al .cer registrado. Registre el certificado de esa llave (por la API, con firma-registrar), o envíe la llave de ese certificado.';
export const MOTIVO_SIN_CER =
  'Registre primero el certificado .cer (por la API, con firma-registrar); después guarde su llave.';
export const MOTIVO_CER_VENCIDO =
  'El certificado registrado ya venció. Registre el nuevo (por la API, con firma-registrar) y guarde su llave.';
export const MOTIVO_ILEGIBLE = 'La credencial guardada ya no se puede abrir; guárdela de nuevo.';
