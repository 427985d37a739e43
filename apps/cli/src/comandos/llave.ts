import { generateApiKey, registroOf, wipeApiKey } from '@acuse/vault';
import type { Command } from 'commander';
import { AUTOR, requireRfc, rfcArgument } from '../buscar.ts';
import type { CliDeps } from '../deps.ts';

export function addLlave(program: Command, deps: () => CliDeps): void {
  const llave = program.command('llave').description('API keys.');
  llave
    .command('generar')
    .description(
      'Genera la API key de un RFC y la muestra una sola vez. La anterior deja de servir y lo que cifraba (CIEC, e.firma) se borra. Empieza con acuse_live_ donde se consulta al SAT, y con acuse_test_ donde SAT_BASE_URL nombra un simulador.',
    )
    .requiredOption('--cuenta <email>', 'correo de la cuenta')
    .requiredOption('--rfc <rfc>', 'RFC de la cuenta', rfcArgument)
    .action(async (options: { cuenta: string; rfc: string }) => {
      const { id: contribuyenteId } = await requireRfc(deps(), options.cuenta, options.rfc);
      const hasher = deps().hasher();
      const key = generateApiKey(deps().modoLlave);
      const llave = registroOf(hasher, key);
      wipeApiKey(key);
      await deps().llaves.activate({ contribuyenteId, llave, ...AUTOR });
      deps().print(JSON.stringify({ id: key.keyId, api_key: key.text }));
    });
  llave
    .command('listar')
    .description('Lista las API keys que tuvo un RFC, la vigente entre ellas.')
    .requiredOption('--cuenta <email>', 'correo de la cuenta')
    .requiredOption('--rfc <rfc>', 'RFC de la cuenta', rfcArgument)
    .action(async (options: { cuenta: string; rfc: string }) => {
      const { id } = await requireRfc(deps(), options.cuenta, options.rfc);
      for (const { creadaEn, ultimoUsoEn, terminadaEn, ...vista } of await deps().llaves.list(id))
        deps().print(
          JSON.stringify({
            ...vista,
            creada_en: creadaEn,
            ultimo_uso_en: ultimoUsoEn,
            terminada_en: terminadaEn,
          }),
        );
    });
  llave
    .command('revocar')
    .description(
      'Revoca una API key: responde 1002 desde su siguiente llamada; sus solicitudes abiertas terminan con reembolso.',
    )
    .argument('<id>', 'los 12 caracteres que siguen a acuse_live_ o acuse_test_')
    .action(async (apiKeyId: string) => {
      const canceladas = await deps().llaves.revoke({ apiKeyId, ...AUTOR });
      deps().print(JSON.stringify({ id: apiKeyId, solicitudes_canceladas: canceladas }));
    });
}
