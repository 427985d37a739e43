import type { Installation, Settings } from './environment.ts';
import { type Finding, fault, fine, warning } from './finding.ts';

/** What the processes would refuse, and what stands in the settings that is for trying and not for the live SAT. */
export function reviewSettings({ processes, settings, faults }: Installation): readonly Finding[] {
  const refused = [...faults].map(([text, by]) =>
    fault(
      `${by.join(', ')} no arrancaría: ${text}`,
      'Ponga el ajuste en el ambiente de ese proceso (.env.example los describe todos); si esta máquina es de otro proceso, dígalo con --proceso.',
    ),
  );
  const found = [...refused, ...forTrying(settings), ...(isLive(settings) ? forLive(settings, processes) : [])];
  return refused.length > 0 ? found : [fine(`${processes.join(', ')}: ajustes completos`), ...found];
}

/** Whether the SAT itself is asked. */
export const isLive = ({ SAT_BASE_URL: simulator }: Settings): boolean => simulator === undefined;

function* forTrying(settings: Settings): Generator<Finding> {
  if (settings.SAT_BASE_URL !== undefined)
    yield warning(
      `habla con un simulador (${new URL(settings.SAT_BASE_URL).host}), no con el SAT`,
      'Para salir en vivo, quite SAT_BASE_URL de todos los procesos.',
    );
  if (settings.FAILPOINT !== undefined)
    yield fault('FAILPOINT hace fallar a propósito a los workers', 'Quite FAILPOINT: solo es para pruebas.');
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
  const isOn = (name: 'PAGOS_DEMOSTRACION' | 'WEBHOOK_PERMITIR_HTTP') => settings[name] === true;
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
