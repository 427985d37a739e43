import type { Papel } from '@acuse/db';
import { count, type Detalle, type Frases, NOMBRES_PAPEL, text } from '@acuse/page';
import { formatCambio, formatCreditos, formatNumero } from '@acuse/page/formato';
import { FEATURES } from '../../features.ts';
import { nombreOperacion } from '../../operaciones.ts';
import { formatPesos } from '../../pagos/catalogo.ts';

const nombrePapel = (value: unknown) =>
  typeof value === 'string' && Object.hasOwn(NOMBRES_PAPEL, value) ? NOMBRES_PAPEL[value as Papel] : text(value);
const conPapel = (value: unknown) => (value ? ` con el rol de ${nombrePapel(value)}` : '');
const because = ({ motivo }: Detalle) => (motivo ? `: ${text(motivo)}` : '');

/** Sentences of the core, then those of the features. */
const FRASES: Frases = {
  'abonar-creditos': [
    'Abono de créditos',
    ({ creditos, referencia, detalle }) =>
      `Abonó ${formatCreditos(count(creditos))} por el pago ${text(referencia)}${detalle ? ` (${text(detalle)})` : ''}.`,
  ],
  'acreditar-pago': [
    'Pago acreditado',
    ({ creditos, total }) =>
      `Se acreditaron ${formatCreditos(count(creditos))} por un pago${total === undefined ? '' : ` de ${formatPesos(count(total))}`}.`,
  ],
  'crear-pago': [
    'Compra iniciada',
    ({ creditos, total }) =>
      `Inició una compra de ${formatCreditos(count(creditos))} por ${formatPesos(count(total))}.`,
  ],
  'cancelar-solicitud': ['Solicitud cancelada', 'Canceló una solicitud y se le devolvió el crédito.'],
  'pago-sin-acreditar': [
    'Pago sin acreditar',
    (detalle) => `Llegó un pago que no se pudo acreditar${because(detalle)}.`,
  ],
  'rechazar-pago': ['Pago rechazado', (detalle) => `Rechazó un pago${because(detalle)}.`],
  'ajustar-saldo': [
    'Ajuste de saldo',
    ({ creditos, motivo, saldo }) =>
      `Ajustó el saldo en ${formatCambio(count(creditos))} y quedó en ${formatCreditos(count(saldo))}: ${text(motivo)}.`,
  ],
  'suspender-cuenta': ['Cuenta suspendida', (detalle) => `Suspendió la cuenta${because(detalle)}.`],
  'reabrir-cuenta': ['Cuenta reabierta', 'Reabrió la cuenta.'],
  'crear-cuenta': ['Cuenta creada', 'Creó la cuenta.'],
  'crear-usuario': [
    'Persona agregada',
    ({ rol, papel }) =>
      `Agregó a una persona con el rol de ${rol === 'OPERADOR' ? 'operador' : papel ? nombrePapel(papel) : 'cliente'}.`,
  ],
  'agregar-persona': [
    'Persona agregada a la cuenta',
    ({ email, papel }) => `Agregó a ${text(email)} a la cuenta${conPapel(papel)}.`,
  ],
  'invitar-persona': ['Invitación', ({ email, papel }) => `Invitó a ${text(email)} a la cuenta${conPapel(papel)}.`],
  'revocar-invitacion': ['Invitación revocada', ({ email }) => `Revocó la invitación a ${text(email)}.`],
  'aceptar-invitacion': [
    'Invitación aceptada',
    ({ papel }) => `Aceptó la invitación y entró a la cuenta${conPapel(papel)}.`,
  ],
  'cambiar-papel': [
    'Cambio de rol en la cuenta',
    ({ email, papel }) => `Cambió el rol de ${text(email)} en la cuenta${papel ? ` a ${nombrePapel(papel)}` : ''}.`,
  ],
  'quitar-persona': ['Persona quitada de la cuenta', ({ email }) => `Quitó a ${text(email)} de la cuenta.`],
  'dejar-cuenta': ['Salida de la cuenta', 'Dejó la cuenta.'],
  'traspasar-cuenta': ['Cuenta traspasada', ({ email }) => `Traspasó la propiedad de la cuenta a ${text(email)}.`],
  'abrir-cuenta': ['Cambio de cuenta', 'Pasó a esta cuenta desde otra.'],
  registrarse: ['Registro', 'Creó su cuenta desde el panel.'],
  'cambiar-rol': [
    'Cambio de rol',
    ({ rol }) => `Cambió el rol de una persona a ${rol === 'OPERADOR' ? 'operador' : 'cliente'}.`,
  ],
  'cambiar-nombre': ['Cambio de nombre', 'Cambió su nombre.'],
  'cambiar-password': ['Cambio de contraseña', 'Cambió su contraseña.'],
  'ofrecer-password': ['Código de acceso', 'Dio un código para elegir otra contraseña.'],
  'elegir-password': ['Contraseña elegida', 'Eligió su contraseña con el código que se le dio.'],
  'activar-dos-pasos': ['Dos pasos activados', 'Activó la verificación en dos pasos.'],
  'desactivar-dos-pasos': ['Dos pasos desactivados', 'Desactivó la verificación en dos pasos.'],
  'quitar-dos-pasos': ['Dos pasos quitados', 'Quitó la verificación en dos pasos a una persona.'],
  'renovar-codigos': ['Códigos renovados', 'Renovó sus códigos de recuperación.'],
  entrar: ['Entrada', 'Entró al panel.'],
  'entrar-con-recuperacion': ['Entrada con código de recuperación', 'Entró con un código de recuperación.'],
  'cerrar-sesion': ['Sesión cerrada', 'Cerró una de sus sesiones.'],
  'cerrar-sesiones': ['Sesiones cerradas', 'Cerró sus demás sesiones.'],
  'agregar-rfc': ['RFC agregado', 'Agregó el RFC a la cuenta.'],
  'borrar-rfc': ['Borrado de un RFC', 'Pidió borrar todo lo de un RFC de la cuenta.'],
  'rfc-registrar': ['RFC asociado', 'Asoció el RFC con su API key.'],
  'guardar-ciec': ['CIEC guardada', 'Guardó la CIEC del RFC.'],
  'guardar-efirma_cer': ['Certificado guardado', 'Guardó el certificado de la e.firma del RFC.'],
  'guardar-efirma_key': ['Llave de la e.firma guardada', 'Guardó la llave de la e.firma del RFC, por una hora.'],
  'generar-llave': [
    'API key generada',
    ({ api_key: llave, anterior }) =>
      `Generó la API key ${text(llave)}${anterior ? `; la anterior, ${text(anterior)}, dejó de servir` : ''}.`,
  ],
  'revocar-llave': ['API key revocada', ({ api_key: llave }) => `Revocó la API key ${text(llave)}.`],
  'habilitar-operacion': ['Operación activada', ({ operacion }) => `Activó «${nombreOperacion(text(operacion))}».`],
  'deshabilitar-operacion': [
    'Operación desactivada',
    ({ operacion }) => `Desactivó «${nombreOperacion(text(operacion))}».`,
  ],
  'cambiar-ips': [
    'Direcciones permitidas',
    ({ cidrs }) =>
      Array.isArray(cidrs) && cidrs.length > 0
        ? `Permitió llamar solo desde ${cidrs.join(', ')}.`
        : 'Permitió llamar desde cualquier dirección.',
  ],
  'nombrar-rfc': [
    'Nombre de un RFC',
    ({ nombre }) => (nombre ? `Llamó al RFC «${text(nombre)}».` : 'Quitó el nombre del RFC.'),
  ],
  'cambiar-idcif': ['Cambio de idCIF', 'Cambió el idCIF del RFC.'],
  'cambiar-aviso-saldo': [
    'Aviso de poco saldo',
    ({ umbral }) =>
      count(umbral) === 0
        ? 'Pidió que no se le avise del saldo.'
        : `Pidió aviso cuando queden menos de ${formatCreditos(count(umbral))}.`,
  ],
  'pedir-solicitud': ['Solicitud pedida', 'Pidió CFDI al SAT desde el panel.'],
  'descargar-paquete': ['ZIP descargado', 'Descargó el ZIP de una solicitud.'],
  'contestar-captcha': ['Captcha contestado', 'Contestó un captcha.'],
  'respaldar-base': [
    'Base de datos respaldada',
    ({ bytes }) => `Respaldó la base de datos en un archivo de ${formatNumero(count(bytes))} bytes.`,
  ],
  'recuperar-base': [
    'Base de datos recuperada',
    ({ solicitudes, sesiones }) =>
      `Preparó una base restaurada de un respaldo: ${formatNumero(count(solicitudes))} solicitudes siguen en curso y se cerraron ${formatNumero(count(sesiones))} sesiones.`,
  ],
  ...Object.assign({}, ...FEATURES.map(({ frases }) => frases)),
};

/** Changes that schedules make: the log leaves them out unless asked for one, and shows it by day. */
export const SCHEDULED: readonly string[] = FEATURES.flatMap(({ scheduled = [] }) => scheduled);

const fraseDe = (accion: string) => (Object.hasOwn(FRASES, accion) ? FRASES[accion] : undefined);

/** How a kind of change is called; one that this version does not know keeps its own word. */
export const nombreAccion = (accion: string): string => fraseDe(accion)?.[0] ?? accion;

/** A change as a sentence; an unknown one shows everything that was noted. */
export function describeCambio(accion: string, detalle: Detalle): string {
  const told = fraseDe(accion)?.[1];
  if (told !== undefined) return typeof told === 'string' ? told : told(detalle);
  const noted = Object.entries(detalle).map(([name, value]) => `${name}: ${text(value)}`);
  return noted.length === 0 ? accion : `${accion} (${noted.join(', ')})`;
}
