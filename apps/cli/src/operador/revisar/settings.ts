import { type Finding, fault, fine, skipped, warning } from '@acuse/roles/finding';
import { parseQueueUrl } from '@acuse/runtime';
import type { Installation, Settings } from './environment.ts';

/** What the processes would refuse, and what stands in the settings that is for trying and not for the live SAT. */
export function reviewSettings({ processes, settings, faults, logins }: Installation): readonly Finding[] {
  const refused = [...faults].map(([text, by]) =>
    fault(
      `${by.join(', ')} no arrancaría: ${text}`,
      'Ponga el ajuste en el ambiente de ese proceso (.env.example los describe todos); si esta máquina es de otro proceso, dígalo con --proceso.',
    ),
  );
  const found = [...refused, ...forTrying(settings), ...(isLive(settings) ? forLive(settings, processes) : [])];
  const { DATABASE_URL: base, QUEUE_URL: queue } = settings;
  found.push(
    ...unencrypted([{ name: 'DATABASE_URL', url: base }, ...logins.values(), { name: 'QUEUE_URL', url: queue }]),
  );
  return refused.length > 0 ? found : [fine(`${processes.join(', ')}: ajustes completos`), ...found];
}

/** Whether the SAT itself is asked. */
export const isLive = ({ SAT_BASE_URL: simulator }: Settings): boolean => simulator === undefined;

function* forTrying(settings: Settings): Generator<Finding> {
  if (settings.SAT_BASE_URL !== undefined) {
    const { host, hostname } = new URL(settings.SAT_BASE_URL);
    const remedy = 'Para salir en vivo, quite SAT_BASE_URL de todos los procesos.';
    yield LOCAL.test(hostname)
      ? skipped(`habla con el simulador de esta máquina (${host}): instalación de prueba. ${remedy}`)
      : warning(`habla con un simulador (${host}), no con el SAT`, remedy);
  }
  const { SAT_CANALES_DESACTIVADOS: off = [] } = settings;
  if (off.length > 0)
    yield warning(
      `SAT_CANALES_DESACTIVADOS apaga ${off.join(', ')}: lo que va por ahí se devuelve sin cargo`,
      'Quítelo de la API y de los workers cuando el SAT conteste bien otra vez.',
    );
  if (settings.FAILPOINT !== undefined)
    yield fault('FAILPOINT hace fallar a propósito a los workers', 'Quite FAILPOINT: solo es para pruebas.');
}

/** Addresses of PostgreSQL and Redis by which passwords and data leave the machine in the clear. */
function unencrypted(addresses: readonly { readonly name: string; readonly url: string | undefined }[]): Finding[] {
  const found = new Map<string, Finding>();
  for (const { name, url } of addresses) {
    for (const { protocol, hostname, searchParams } of url === undefined ? [] : parseQueueUrl(url).servers) {
      const host = searchParams.get('host') ?? hostname;
      // A folder of a socket, or a name of the network that the containers of one machine share.
      const isNear = host.startsWith('/') || LOCAL.test(host) || !host.includes('.');
      // As node-postgres and ioredis read their addresses.
      const mode = searchParams.get('sslmode') ?? (searchParams.get('ssl') === 'true' ? 'require' : 'disable');
      if (isNear || protocol === 'rediss:' || (protocol !== 'redis:' && mode !== 'disable') || found.has(name))
        continue;
      const remedy =
        protocol === 'redis:'
          ? 'Use rediss en lugar de redis en esa dirección.'
          : 'Agregue ?sslmode=verify-full a esa dirección.';
      found.set(
        name,
        warning(`${name} va sin cifrar a ${host}: contraseñas y datos pueden leerse en el camino`, remedy),
      );
    }
  }
  return [...found.values()];
}

const LOCAL = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Why an address does not serve those who come from outside, or null. */
function reproachOf(address: string | undefined): string | null {
  if (address === undefined) return 'falta';
  const { protocol, hostname } = new URL(address);
  if (LOCAL.test(hostname)) return `solo se alcanza desde esta máquina (${hostname})`;
  return protocol === 'https:' ? null : 'no es https: lo que viaja puede leerse en el camino';
}

function* forLive(settings: Settings, processes: readonly string[]): Generator<Finding> {
  const ofPanel = processes.includes('panel');
  // A feature that is not installed has no setting.
  const isOn = (name: string) => Reflect.get(settings, name) === true;
  if (ofPanel && isOn('PAGOS_DEMOSTRACION'))
    yield fault('PAGOS_DEMOSTRACION regala créditos a quien los pida', 'Quite PAGOS_DEMOSTRACION.');
  if (isOn('WEBHOOK_PERMITIR_HTTP'))
    yield fault('WEBHOOK_PERMITIR_HTTP manda webhooks sin cifrar', 'Quite WEBHOOK_PERMITIR_HTTP.');
  if (ofPanel && settings.COOKIE_HOST === false)
    yield fault('COOKIE_HOST=false deja la sesión del panel sin Secure', 'Quite COOKIE_HOST.');
  const addresses = [
    ...(ofPanel ? (['API_PUBLIC_URL', 'PANEL_PUBLIC_URL'] as const) : []),
    ...(ofPanel || processes.includes('api') ? (['S3_PUBLIC_ENDPOINT'] as const) : []),
  ];
  for (const name of addresses) {
    // Without an address of its own the storage is Amazon's, which everybody reaches by TLS.
    const value = settings[name] ?? (name === 'S3_PUBLIC_ENDPOINT' ? settings.S3_ENDPOINT : undefined);
    const reproach = name === 'S3_PUBLIC_ENDPOINT' && value === undefined ? null : reproachOf(value);
    if (reproach !== null)
      yield fault(`${name} ${reproach}`, `Ponga en ${name} la dirección https con la que se llega desde fuera.`);
  }
  if (processes.includes('api') && settings.TRUSTED_PROXIES?.length === 0)
    yield warning(
      'TRUSTED_PROXIES está vacía: si un proxy pone el TLS, la API tomará su dirección por la de quien llama',
      'Ponga en TRUSTED_PROXIES la red del proxy, en CIDR.',
    );
}
