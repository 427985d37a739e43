import {
  bool,
  choice,
  ciecLengthOf,
  correoFields,
  credentialFields,
  databaseFields,
  decimal,
  downloadFields,
  drainFields,
  durationMs,
  durationSeconds,
  integer,
  loadConfig,
  metricsFields,
  modoOf,
  panelFields,
  port,
  processFields,
  proxyFields,
  queueFields,
  rotationFields,
  saldoFields,
  secret,
  storageFields,
  text,
  url,
} from '@acuse/runtime';
import { z } from 'zod';
import { PANEL_FIELDS } from './features.ts';
import { isClabe, parsePrecios } from './pagos.ts';

export type { Precio } from './pagos.ts';

const LOOPBACK = /^http:\/\/(localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/|$)/;

const intentos = (que: string) => integer(`${que} de una vez, tras una pausa.`, { min: 1, max: 100_000 });
const espera = (que: string) => durationSeconds(`Segundos hasta ganar ${que} más.`, { min: 1, max: 86_400 });

const precios = z
  .string()
  .transform((value, context) => {
    const leidos = parsePrecios(value);
    if (leidos) return leidos;
    context.addIssue({
      code: 'custom',
      message: 'debe ser créditos:precio, separados por comas y sin repetir, como 100:99,1000:890.50',
    });
    return z.NEVER;
  })
  .meta({ description: 'Paquetes de créditos que se venden, créditos:precio en MXN sin IVA, separados por comas.' });

const clabe = z
  .string()
  .trim()
  .refine(isClabe, { error: 'debe ser una CLABE: 18 dígitos, el último de control' })
  .meta({ description: 'CLABE que recibe las transferencias.' });

/** The settings of the sale of credits, to be spread into the panel's schema. */
const AJUSTES_PAGOS = {
  PAGOS_PAQUETES: precios.prefault('100:99,1000:890,10000:7900'),
  PAGOS_IVA: decimal('IVA en porcentaje.', { min: 0, max: 100 }).default(16),
  PAGOS_DEMOSTRACION: bool(
    'Ofrece compras de demostración: abonan créditos sin cobrar. Solo para probar el producto.',
  ).default(false),
  PAGOS_TRANSFERENCIA_BANCO: text('Banco que recibe las transferencias.').optional(),
  PAGOS_TRANSFERENCIA_TITULAR: text('Titular de la cuenta que recibe las transferencias.').optional(),
  PAGOS_TRANSFERENCIA_CLABE: clabe.optional(),
  ...saldoFields,
} as const;

/** Everything the panel can be told. The only place of this app where the environment is read. */
export const panelConfig = z
  .object({
    ...processFields,
    ...metricsFields,
    PANEL_HOST: text('Dirección en la que escucha el panel.').default('127.0.0.1'),
    PANEL_PORT: port('Puerto del panel; 0 deja que el sistema lo elija.').default(8081),
    ...panelFields,
    API_PUBLIC_URL: url('Dirección de la API para quien la llama.').default('http://127.0.0.1:8080'),
    API_INTERNAL_URL: url('Dirección de la API para el panel. Sin ella, API_PUBLIC_URL.').optional(),

    ...databaseFields(10),
    DATABASE_TIMEOUT_MS: durationMs('Milisegundos hasta dar por perdida una consulta.', { min: 100 }).default(5_000),
    ...queueFields,

    PANEL_SECRETS: secret(
      'Claves de 32 bytes con las que se sellan los segundos factores y se protegen contraseñas y formularios, id:base64 separadas por comas; la primera es la vigente.',
    ),
    ...credentialFields,
    ...rotationFields,
    ...PANEL_FIELDS,
    ...correoFields,

    PANEL_REGISTRO: choice(
      ['abierto', 'cerrado'],
      'Quién puede crear una cuenta: cualquiera, o solo el operador.',
    ).default('abierto'),
    SESION_INACTIVA_SECONDS: durationSeconds('Segundos sin uso tras los que termina una sesión.', { min: 60 }).default(
      1_800,
    ),
    SESION_MAXIMA_SECONDS: durationSeconds('Segundos tras los que termina una sesión en cualquier caso.', {
      min: 60,
    }).default(43_200),
    LLAVE_RECORDADA_SECONDS: durationSeconds(
      'Segundos sin uso durante los que una sesión recuerda, sellada, la API key que se generó o escribió; por omisión, toda la sesión. 0 la pide siempre.',
      { min: 0, max: 43_200 },
    ).default(43_200),
    COOKIE_HOST: bool(
      'Cookie con prefijo __Host- y Secure. Solo se puede quitar en http sobre localhost, para navegadores que ahí no la aceptan.',
    ).default(true),
    ...proxyFields,
    ...drainFields,
    ENTRADAS_CUENTA: intentos(
      'Contraseñas que se pueden probar en una cuenta desde una red, o códigos en una cuenta',
    ).default(5),
    ENTRADA_CUENTA_SECONDS: espera('una prueba por cuenta').default(60),
    ENTRADAS_IP: intentos('Contraseñas o códigos que se pueden probar desde una dirección').default(20),
    ENTRADA_IP_SECONDS: espera('una prueba por dirección').default(10),
    REGISTROS_IP: intentos('Cuentas que se pueden crear desde una dirección').default(5),
    REGISTRO_IP_SECONDS: espera('una cuenta por dirección').default(600),

    ...AJUSTES_PAGOS,
    ENLACES_CORREO: intentos('Enlaces para elegir otra contraseña que se pueden pedir para un correo').default(3),
    ENLACE_CORREO_SECONDS: espera('un enlace por correo').default(1_200),

    ...storageFields,
    ...downloadFields,
  })
  .refine(({ COOKIE_HOST, PANEL_PUBLIC_URL: publica }) => COOKIE_HOST || !publica || LOOPBACK.test(publica), {
    path: ['COOKIE_HOST'],
    error: 'solo puede ser false cuando PANEL_PUBLIC_URL es http sobre localhost',
  });

export type PanelConfig = Readonly<z.output<typeof panelConfig>>;

/** Reads the environment; throws one `ConfigError` with all faults. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): PanelConfig {
  return loadConfig(panelConfig, env);
}

const withoutSlash = (address: string) => address.replace(/\/+$/, '');
/** How often something may be tried at once after a pause, and the seconds until one more is earned. */
const rhythm = (rafaga: number, segundos: number) => ({ rafaga, segundos });

/** What the operator chose, as pages read it. Addresses have no slash at the end, and times are in seconds. */
export type PanelSettings = Readonly<ReturnType<typeof settingsOf>>;

/** `publicUrl` is where people reach the panel, `version` that of this program. */
export function settingsOf(config: PanelConfig, publicUrl: string, version: string) {
  return {
    version,
    publicUrl: withoutSlash(publicUrl),
    apiPublicUrl: withoutSlash(config.API_PUBLIC_URL),
    apiInternalUrl: withoutSlash(config.API_INTERNAL_URL ?? config.API_PUBLIC_URL),
    registro: config.PANEL_REGISTRO,
    sesionInactiva: config.SESION_INACTIVA_SECONDS,
    sesionMaxima: config.SESION_MAXIMA_SECONDS,
    llaveRecordada: config.LLAVE_RECORDADA_SECONDS,
    cookieHost: config.COOKIE_HOST,
    trustedProxies: config.TRUSTED_PROXIES,
    entradasPorCuenta: rhythm(config.ENTRADAS_CUENTA, config.ENTRADA_CUENTA_SECONDS),
    entradasPorIp: rhythm(config.ENTRADAS_IP, config.ENTRADA_IP_SECONDS),
    registrosPorIp: rhythm(config.REGISTROS_IP, config.REGISTRO_IP_SECONDS),
    ciecLength: ciecLengthOf(config),
    modoLlave: modoOf(config),
    /** Whether test keys have a simulator beside the SAT. */
    hayPruebas: config.SAT_PRUEBAS_URL !== undefined,
    /** Whether an e.firma key is also encrypted under a key of a table that no backup has. */
    efirmaShred: config.EFIRMA_SHRED,
    /** Credits below which an account gets a notice, unless it chose another number; 0: never. */
    saldoAviso: config.SALDO_AVISO,
    urlTtlSeconds: config.URL_TTL_SECONDS,
    /** The address that mails come from; null where the installation sends none. */
    correo: config.CORREO_DE?.email ?? null,
    enlacesPorCorreo: rhythm(config.ENLACES_CORREO, config.ENLACE_CORREO_SECONDS),
  };
}
