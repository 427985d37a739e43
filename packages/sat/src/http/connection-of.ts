import { rootCertificates } from 'node:tls';
import { HOSTS_SAT, SAT_HTTP_DEFAULTS, type SatHttpSettings } from './direcciones.ts';

/** How a host of the authority is connected to. Certificates are always verified. */
export function connectionOf(host: string, settings: SatHttpSettings) {
  const s = { ...SAT_HTTP_DEFAULTS, ...settings };
  const sinDhe = HOSTS_SAT[host]?.sinDhe || settings.tlsSinDhe?.includes(host);
  return {
    timeout: s.connectTimeoutMs,
    rejectUnauthorized: true,
    ...(sinDhe ? { ciphers: s.tlsSinDheCiphers } : {}),
    ...(settings.tlsCa === undefined ? {} : { ca: [...rootCertificates, settings.tlsCa] }),
  };
}
