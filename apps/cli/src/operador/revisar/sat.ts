import { SatError } from '@acuse/core';
import { type Finding, fault, fine, warning } from '@acuse/roles/finding';
import { explain } from '@acuse/runtime';
import type { HostFacts } from '@acuse/sat';
import type { Settings } from './environment.ts';
import { isLive } from './settings.ts';

const SERVER_ERROR = 500;
const SLOW_MS = 5_000;
const SOON_MS = 14 * 86_400_000;

/** How a host of the SAT answered. */
export function reviewHost(facts: HostFacts, now: number): Finding {
  const { status, latencyMs, tls } = facts;
  const how = `${tls === null ? 'http' : tls.protocol}, ${latencyMs} ms`;
  if (status >= SERVER_ERROR)
    return warning(
      `contesta HTTP ${status} (${how})`,
      'Es cosa del SAT; se reintenta solo. Repita la revisión más tarde.',
    );
  if (latencyMs > SLOW_MS)
    return warning(
      `tarda ${latencyMs} ms en contestar`,
      'Repita la revisión; si sigue así, revise la salida a internet.',
    );
  if (tls !== null && tls.validTo.getTime() - now < SOON_MS)
    return warning(
      `su certificado vence el ${tls.validTo.toISOString().slice(0, 10)} (${how})`,
      'Es cosa del SAT. Cuando venza, no se le preguntará nada hasta que lo renueve.',
    );
  return fine(how);
}

/** What TLS says of a certificate that cannot be trusted. */
const UNTRUSTED = /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_|ERR_TLS_CERT)/;

/** Why a host could not be reached. */
export function reviewUnreachable(error: unknown): Finding {
  const code = codeOf(error);
  if (UNTRUSTED.test(code))
    return fault(
      `su certificado no se puede comprobar (${code})`,
      'Si un cortafuegos abre el TLS, exclúyalo de él. Si al SAT le falta su intermedio, póngalo en SAT_TLS_CA.',
    );
  if (code.startsWith('ERR_SSL') || code === 'EPROTO')
    return fault(`no se acuerda el TLS (${code})`, 'Revise que nada en medio (proxy, antivirus) cambie el TLS.');
  if (error instanceof SatError) return fault('esta versión no conoce ese servidor', 'Revise SAT_BASE_URL.');
  const remedy = explain(error, { server: 'SAT_BASE_URL' });
  return fault(
    `no se alcanza${code === '' ? '' : ` (${code})`}`,
    /SAT_BASE_URL/.test(remedy)
      ? 'Revise que esta máquina salga a internet por el puerto 443, su DNS y, con un simulador, SAT_BASE_URL.'
      : remedy,
  );
}

function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? '' : codeOf(cause);
}

/** Who reads captchas, as far as the settings say. `null` when they are complete and the service has to be asked. */
export function reviewCaptcha(settings: Settings): Finding | null {
  const { CAPTCHA_RESOLVER: resolver = 'ninguno', CAPTCHA_URL: url } = settings;
  if (resolver === 'ninguno')
    return warning(
      'nadie los resuelve: lo que se pida con CIEC terminará devolviendo su crédito',
      'Ponga CAPTCHA_RESOLVER (personas o http), u ofrezca solo e.firma.',
    );
  if (resolver === 'simulador' && isLive(settings))
    return fault('CAPTCHA_RESOLVER=simulador no sirve ante el SAT', 'Ponga personas o http.');
  if (resolver === 'consola')
    return warning(
      'los resuelve quien esté ante la terminal del proceso',
      'Sirve para probar. Para operar, ponga personas o http.',
    );
  if (resolver === 'personas') return fine('los resuelven personas, con «acuse operador captchas» o el panel');
  if (url === undefined)
    return fault(
      `CAPTCHA_RESOLVER=${resolver} necesita CAPTCHA_URL`,
      'Ponga la dirección del servicio que los resuelve.',
    );
  return null;
}

/** Whether the service that reads captchas can be reached; a question that costs nothing is asked. */
export async function reviewResolver(url: string, signal: AbortSignal): Promise<Finding> {
  try {
    const answer = await fetch(url, { method: 'OPTIONS', signal, redirect: 'manual' });
    await answer.body?.cancel();
    return answer.status >= SERVER_ERROR
      ? warning(`el servicio contesta HTTP ${answer.status}`, 'Revise el servicio de CAPTCHA_URL.')
      : fine(`el servicio de ${new URL(url).host} contesta`);
  } catch (error) {
    signal.throwIfAborted();
    return fault(
      `no se alcanza el servicio de ${new URL(url).host} (${codeOf(error)})`,
      'Revise CAPTCHA_URL y la salida de esta máquina.',
    );
  }
}
