import { formatCambio, formatCreditos, formatNumero } from '../../components/formato.ts';
import { nombreOperacion } from '../../operaciones.ts';
import { formatPesos } from '../../pagos/catalogo.ts';

type Detalle = Readonly<Record<string, unknown>>;

/** What was done, as the name of a kind and as a sentence about one case. */
interface Frase {
  readonly nombre: string;
  readonly texto?: (detalle: Detalle) => string;
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
const count = (value: unknown) => (typeof value === 'number' ? value : Number(value) || 0);
const because = ({ motivo }: Detalle) => (motivo ? `: ${text(motivo)}` : '');

const FRASES: Readonly<Record<string, Frase>> = {
  'abonar-creditos': {
    nombre: 'Abono de créditos',
    texto: ({ creditos, referencia, detalle }) =>
      `Abonó ${formatCreditos(count(creditos))} por el pago ${text(referencia)}${detalle ? ` (${text(detalle)})` : ''}.`,
  },
  'acreditar-pago': {
    nombre: 'Pago acreditado',
    texto: ({ creditos, total }) =>
      total === undefined
        ? `Se acreditaron ${formatCreditos(count(creditos))} por un pago.`
        : `Se acreditaron ${formatCreditos(count(creditos))} por un pago de ${formatPesos(count(total))}.`,
  },
  'crear-pago': {
    nombre: 'Compra iniciada',
    texto: ({ creditos, total }) =>
      `Inició una compra de ${formatCreditos(count(creditos))} por ${formatPesos(count(total))}.`,
  },
  'cancelar-solicitud': {
    nombre: 'Solicitud cancelada',
    texto: () => 'Canceló una solicitud y se le devolvió el crédito.',
  },
  'pago-sin-acreditar': {
    nombre: 'Pago sin acreditar',
    texto: (detalle) => `Llegó un pago que no se pudo acreditar${because(detalle)}.`,
  },
  'rechazar-pago': {
    nombre: 'Pago rechazado',
    texto: (detalle) => `Rechazó un pago${because(detalle)}.`,
  },
  'ajustar-saldo': {
    nombre: 'Ajuste de saldo',
    texto: ({ creditos, motivo, saldo }) =>
      `Ajustó el saldo en ${formatCambio(count(creditos))} y quedó en ${formatCreditos(count(saldo))}: ${text(motivo)}.`,
  },
  'suspender-cuenta': {
    nombre: 'Cuenta suspendida',
    texto: (detalle) => `Suspendió la cuenta${because(detalle)}.`,
  },
  'reabrir-cuenta': { nombre: 'Cuenta reabierta', texto: () => 'Reabrió la cuenta.' },
  'crear-cuenta': { nombre: 'Cuenta creada', texto: () => 'Creó la cuenta.' },
  'crear-usuario': {
    nombre: 'Persona agregada',
    texto: ({ rol }) => `Agregó a una persona con el rol de ${rol === 'OPERADOR' ? 'operador' : 'cliente'}.`,
  },
  registrarse: { nombre: 'Registro', texto: () => 'Creó su cuenta desde el panel.' },
  'cambiar-rol': {
    nombre: 'Cambio de rol',
    texto: ({ rol }) => `Cambió el rol de una persona a ${rol === 'OPERADOR' ? 'operador' : 'cliente'}.`,
  },
  'cambiar-nombre': { nombre: 'Cambio de nombre', texto: () => 'Cambió su nombre.' },
  'cambiar-password': { nombre: 'Cambio de contraseña', texto: () => 'Cambió su contraseña.' },
  'ofrecer-password': {
    nombre: 'Código de acceso',
    texto: () => 'Dio un código para elegir otra contraseña.',
  },
  'elegir-password': {
    nombre: 'Contraseña elegida',
    texto: () => 'Eligió su contraseña con el código que se le dio.',
  },
  'activar-dos-pasos': {
    nombre: 'Dos pasos activados',
    texto: () => 'Activó la verificación en dos pasos.',
  },
  'desactivar-dos-pasos': {
    nombre: 'Dos pasos desactivados',
    texto: () => 'Desactivó la verificación en dos pasos.',
  },
  'quitar-dos-pasos': {
    nombre: 'Dos pasos quitados',
    texto: () => 'Quitó la verificación en dos pasos a una persona.',
  },
  'renovar-codigos': {
    nombre: 'Códigos renovados',
    texto: () => 'Renovó sus códigos de recuperación.',
  },
  'entrar-con-recuperacion': {
    nombre: 'Entrada con código de recuperación',
    texto: () => 'Entró con un código de recuperación.',
  },
  'cerrar-sesion': { nombre: 'Sesión cerrada', texto: () => 'Cerró una de sus sesiones.' },
  'cerrar-sesiones': { nombre: 'Sesiones cerradas', texto: () => 'Cerró sus demás sesiones.' },
  'agregar-rfc': { nombre: 'RFC agregado', texto: () => 'Agregó el RFC a la cuenta.' },
  'rfc-registrar': { nombre: 'RFC asociado', texto: () => 'Asoció el RFC con su API key.' },
  'generar-llave': {
    nombre: 'API key generada',
    texto: ({ api_key: llave }) => `Generó la API key ${text(llave)}; la anterior dejó de servir.`,
  },
  'revocar-llave': {
    nombre: 'API key revocada',
    texto: ({ api_key: llave }) => `Revocó la API key ${text(llave)}.`,
  },
  'habilitar-operacion': {
    nombre: 'Operación encendida',
    texto: ({ operacion }) => `Encendió «${nombreOperacion(text(operacion))}».`,
  },
  'deshabilitar-operacion': {
    nombre: 'Operación apagada',
    texto: ({ operacion }) => `Apagó «${nombreOperacion(text(operacion))}».`,
  },
  'cambiar-ips': {
    nombre: 'Direcciones permitidas',
    texto: ({ cidrs }) =>
      Array.isArray(cidrs) && cidrs.length > 0
        ? `Permitió llamar solo desde ${cidrs.join(', ')}.`
        : 'Permitió llamar desde cualquier dirección.',
  },
  'nombrar-rfc': {
    nombre: 'Nombre de un RFC',
    texto: ({ nombre }) => (nombre ? `Llamó al RFC «${text(nombre)}».` : 'Quitó el nombre del RFC.'),
  },
  'cambiar-idcif': { nombre: 'Cambio de idCIF', texto: () => 'Cambió el idCIF del RFC.' },
  'cambiar-aviso-saldo': {
    nombre: 'Aviso de poco saldo',
    texto: ({ umbral }) =>
      count(umbral) === 0
        ? 'Pidió que no se le avise del saldo.'
        : `Pidió aviso cuando queden menos de ${formatCreditos(count(umbral))}.`,
  },
  'pedir-solicitud': { nombre: 'Solicitud pedida', texto: () => 'Pidió CFDI al SAT desde el panel.' },
  'descargar-paquete': { nombre: 'ZIP descargado', texto: () => 'Descargó el ZIP de una solicitud.' },
  'contestar-captcha': { nombre: 'Captcha contestado', texto: () => 'Contestó un captcha.' },
  'pedir-lista-69b': {
    nombre: 'Lista 69-B pedida',
    texto: ({ forzar }) =>
      forzar === true ? 'Pidió la lista 69-B, aunque pareciera incompleta.' : 'Pidió la lista 69-B.',
  },
  'importar-edos': {
    nombre: 'Lista de EDOS importada',
    texto: ({ fuente, rfcs }) =>
      `Importó la lista de EDOS${fuente ? ` de ${text(fuente)}` : ''}${rfcs === undefined ? '' : `, con ${formatNumero(count(rfcs))} RFC`}.`,
  },
  'borrar-edos': { nombre: 'Lista de EDOS borrada', texto: () => 'Borró la lista de EDOS.' },
};

const fraseDe = (accion: string): Frase | undefined => (Object.hasOwn(FRASES, accion) ? FRASES[accion] : undefined);

/** How a kind of change is called; one that this version does not know keeps its own word. */
export const nombreAccion = (accion: string): string => fraseDe(accion)?.nombre ?? accion;

/** A change as a sentence; one that this version does not know is told with everything that was noted of it. */
export function describeCambio(accion: string, detalle: Detalle): string {
  const told = fraseDe(accion)?.texto?.(detalle);
  if (told !== undefined) return told;
  const noted = Object.entries(detalle).map(([name, value]) => `${name}: ${text(value)}`);
  return noted.length === 0 ? accion : `${accion} (${noted.join(', ')})`;
}
