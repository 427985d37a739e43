import { reparoCiec, storeCredencial, wipeApiKey } from '@acuse/vault';
import { quien } from '../../http/quien.ts';
import type { ContextoCliente } from '../../http/ruta.ts';
import { renderCredenciales } from './credenciales.tsx';
import { duenoDe, openBoveda } from './reglas/boveda.ts';
import { type LlaveTecleada, readLlaveTecleada } from './reglas/llave-tecleada.ts';
import { defineRutaRfc, hrefRfc } from './reglas/ruta-rfc.ts';

/** Stores the CIEC, as `vault/rfc-guardar` does. */
export const guardarCiec = defineRutaRfc({
  metodo: 'POST',
  sub: '/credenciales/ciec',
  async handle(contexto, rfc) {
    const { campos, deps, redirigir } = contexto;
    const ciec = Buffer.from(campos['ciec'] ?? '');
    const tecleada = await readLlaveTecleada(campos['api_key'], rfc, contexto);
    try {
      const reparo = reparoCiec(ciec, deps.settings.ciecLength);
      const reparos = {
        ...(reparo === null
          ? {}
          : { ciec: `La CIEC ${reparo}. Es la contraseña con la que se entra al portal del SAT.` }),
        ...(typeof tecleada === 'string' ? { api_key: tecleada } : {}),
      };
      if (reparo !== null || typeof tecleada === 'string') return renderCredenciales(contexto, rfc, { ciec: reparos });
      const boveda = openBoveda(contexto);
      const credencial = { tipo: 'ciec', rfc: rfc.rfc, ciec } as const;
      if (!(await storeCredencial(credencial, 'ciec', {}, duenoDe(tecleada, contexto), boveda)))
        return renderCredenciales(contexto, rfc, { ciec: { api_key: LLAVE_MUERTA } });
      const texto = `La CIEC quedó guardada.${await registrar(tecleada, contexto)}`;
      return redirigir(hrefRfc(rfc.rfc, '/credenciales'), { tono: 'exito', texto });
    } finally {
      ciec.fill(0);
      if (typeof tecleada !== 'string') wipeApiKey(tecleada.apiKey);
    }
  },
});

/** What is said when the key was replaced or revoked between its check and the write. */
export const LLAVE_MUERTA = 'La API key se cambió o se revocó en este momento: no se guardó nada. Use la nueva.';

/**
 * Associates the RFC with a key that was typed in, as `vault/rfc-registrar` does with the key of its call. Returns what
 * to add to the message.
 */
export async function registrar({ apiKey, access }: LlaveTecleada, contexto: ContextoCliente): Promise<string> {
  if (access.apiKey.isRegistrada) return '';
  const { boveda } = openBoveda(contexto);
  const { contribuyenteId } = access;
  await boveda.register({ apiKeyId: apiKey.keyId, contribuyenteId, ...quien(contexto) });
  return ' El RFC quedó asociado con la llave: ya puede llamar a la API.';
}
