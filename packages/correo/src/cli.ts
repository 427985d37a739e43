import { type FeatureCheck, type Finding, fault, fine, skipped, warning } from '@acuse/roles/finding';
import { type CorreoSettings, readServidor } from './settings.ts';
import { createMailer, type Envio, type FallaSmtp } from './smtp.ts';

type Settings = Partial<Pick<CorreoSettings, 'SMTP_URL' | 'CORREO_DE' | 'SMTP_TLS'>> & {
  readonly WORKER_ROLES?: readonly string[] | undefined;
};

const FAULTS: Readonly<Record<FallaSmtp, readonly [seen: string, remedy: string]>> = {
  NOMBRE_SIN_DIRECCION: ['el nombre del servidor no existe', 'Corrija el servidor en SMTP_URL.'],
  SIN_CONEXION: [
    'el servidor no se alcanza',
    'Revise servidor y puerto de SMTP_URL, y el cortafuegos: muchos centros de datos cierran el 25; use 587 o 465.',
  ],
  CONEXION_CORTADA: [
    'el servidor corta la conexión',
    'Si SMTP_URL empieza con smtp://, quizá ese puerto espera smtps://, o al revés.',
  ],
  TIEMPO_AGOTADO: [
    'el servidor no contesta a tiempo',
    'Revise servidor y puerto de SMTP_URL: smtp:// es para el 587, smtps:// para el 465.',
  ],
  TLS_RECHAZADO: [
    'la conexión no se puede cifrar: el certificado no es válido, o no ofrece STARTTLS',
    'Use el nombre que está en el certificado. Con una autoridad propia, NODE_EXTRA_CA_CERTS. Solo si es de su misma red, SMTP_TLS=sin.',
  ],
  ACCESO_RECHAZADO: [
    'el servidor no acepta el usuario o la contraseña',
    'Corrija SMTP_URL; lo que no es letra ni número va como %40.',
  ],
  REMITENTE_RECHAZADO: [
    'el servidor no acepta el remitente',
    'Ponga en CORREO_DE una dirección que el servicio le permita usar.',
  ],
  DIRECCION_INVALIDA: ['CORREO_DE no es una dirección', 'Corrija CORREO_DE.'],
  APLAZADO: ['el servidor no atiende por ahora', 'Repita en unos minutos; lo que está por enviar se reintenta solo.'],
  RECHAZADO: ['el servidor no nos atiende', 'Pregunte a quien da el servicio de correo.'],
};

/** Asks the mail server for connection, greeting, TLS and log-in. Sends no mail. */
export const MAIL_CHECK: FeatureCheck<Settings> = {
  check: 'correo',
  process: 'worker',
  elsewhere: 'solo lo envían los workers',
  review: reviewMail,
};

async function reviewMail(settings: Settings, timeoutMs: number): Promise<readonly Finding[]> {
  const { SMTP_URL, CORREO_DE: de, SMTP_TLS: tls = 'exigir', WORKER_ROLES: roles } = settings;
  if (roles !== undefined && !roles.includes('correo')) return [skipped('este proceso no tiene el papel correo')];
  const servidor = SMTP_URL === undefined ? null : readServidor(SMTP_URL);
  if (servidor === null || de === undefined)
    return [skipped('sin SMTP_URL y CORREO_DE no se envía correo: los códigos para entrar los da el operador')];
  const envio = await createMailer({ servidor, de, tls, timeoutMs }).probe(AbortSignal.timeout(timeoutMs));
  return [...findingsOf(envio, `${servidor.host}:${servidor.port}`), ...plain(tls === 'sin' && !servidor.secure)];
}

function findingsOf({ falla, respuesta, ms }: Envio, server: string): readonly Finding[] {
  if (falla === null) return [fine(`${server} toma correos (${ms} ms)`)];
  const [seen, remedy] = FAULTS[falla];
  return [fault(`${server}: ${seen}${respuesta === null ? '' : ` («${respuesta}»)`}`, remedy)];
}

const plain = (isPlain: boolean): readonly Finding[] =>
  isPlain
    ? [
        warning(
          'los correos van al servidor sin cifrar (SMTP_TLS=sin)',
          'Déjelo así solo si el servidor está en esta misma red.',
        ),
      ]
    : [];
