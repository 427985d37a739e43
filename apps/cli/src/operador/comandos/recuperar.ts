import { brokenRules, connectedPrograms, recover } from '@acuse/db';
import { AUTOR, type RecoveryStep } from '@acuse/roles/operator';
import type { Command } from 'commander';
import type { CliDeps } from '../deps.ts';

/** Reads the whole ledger, or touches all open solicitudes: minutes where there are many. */
const TIMEOUT_MS = 30 * 60_000;

async function check(deps: CliDeps): Promise<void> {
  const rotas = await deps.slow(TIMEOUT_MS, (database) => brokenRules(database));
  for (const { regla, id } of rotas) deps.show({ regla, id });
  if (rotas.length > 0)
    throw new Error(
      `El libro no cuadra en ${rotas.length} casos, los de arriba. No corrija nada a mano: guarde una copia de la base y avise a quien mantiene Acuse.`,
    );
  deps.show({ reglas: 'cumplidas' });
}

export function addCheck(program: Command, deps: () => CliDeps): void {
  program
    .command('comprobar')
    .description(
      'Comprueba que el libro cuadra: cada saldo es la suma de sus movimientos, cada solicitud que cuesta tiene un cargo y, si falló, una devolución, y ninguna conserva credenciales después de su final. Lee todo el libro; no cambia nada.',
    )
    .action(() => check(deps()));
}

/** Adds the preparation of a restored database, with the steps of features. */
export function addRecuperar(program: Command, deps: () => CliDeps, steps: readonly RecoveryStep[]): void {
  const command = program
    .command('recuperar')
    .description(
      'Prepara una base restaurada de un respaldo, antes de arrancar los procesos: lo que quedó en curso sigue con un turno nuevo, que nada de antes puede usar; se cierran las sesiones del panel y se comprueba el libro. Puede repetirse.',
    )
    .option('--con-conexiones', 'aunque haya otros programas conectados a la base')
    .action(async (given: Readonly<Record<string, unknown>>) => {
      const otros = await connectedPrograms(deps().database);
      if (otros.length > 0 && given['conConexiones'] !== true)
        throw new Error(
          `Hay programas conectados a la base: ${otros.map(({ proceso, conexiones }) => `${proceso} (${conexiones})`).join(', ')}. Un proceso que siga vivo desde antes trabajaría sobre lo restaurado. Deténgalos y repita la orden, o use --con-conexiones si ninguno es de Acuse.`,
        );
      const hecho = await deps().slow(TIMEOUT_MS, (database) => recover(database, AUTOR));
      deps().show({
        solicitudes_en_curso: hecho.abiertas,
        sesiones_cerradas: hecho.cerradas,
        api_keys_activas: hecho.llavesActivas,
        ultima_solicitud_en: hecho.ultimaSolicitudEn,
        ultimo_movimiento_en: hecho.ultimoMovimientoEn,
      });
      for (const { option, run } of steps) {
        const value = given[option.attributeName()];
        if (typeof value === 'string') await run(deps(), value);
      }
      await check(deps());
    });
  for (const { option } of steps) command.addOption(option);
}
