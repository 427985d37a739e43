import { cuelgan, pendientes, SECRETOS, type Secreto } from '@acuse/db';
import {
  changeValores,
  newSecretos,
  newServidores,
  openKeyring,
  readValores,
  type Valores,
  writeInstalacion,
} from '@acuse/vault';
import { Argument, type Command, Option } from 'commander';
import type { CliDeps } from '../deps.ts';
import { agregar, entriesOf, retirar, usar, vigenteDe } from '../secretos/pasos.ts';
import { RESELLABLES, resellar } from '../secretos/reseal.ts';

const PASOS = ['agregar', 'usar', 'resellar', 'retirar'] as const;
const CARPETA = 'carpeta de los secretos, como la que escribió «secretos --carpeta»; sin ella se leen del ambiente';
const POR_PAGINA = 500;
const PENDIENTES = 1_000;

/** What the operator does next, after each step. */
const SIGUIENTE: Record<(typeof PASOS)[number], string> = {
  agregar:
    'Reinicie todos los procesos que lo usan (pueden ser de uno en uno): ya leen con el id nuevo y siguen escribiendo con el anterior. Después: --paso usar',
  usar: 'Reinicie los procesos otra vez: escriben con el id nuevo y aún leen con el anterior. Después: --paso resellar',
  resellar: 'Vea qué cuelga todavía del id anterior con: secretos estado. Cuando nada cuelgue: --paso retirar',
  retirar: 'Reinicie los procesos: el id anterior ya no existe. Destruya sus copias.',
};

/** Makes the secrets of an installation and rotates them. */
export function addSecretos(program: Command, deps: () => CliDeps, print: (line: string) => void): void {
  const show = (value: object) => print(JSON.stringify(value));
  const secretos = program
    .command('secretos')
    .description(
      'Genera secretos nuevos para una instalación. Guárdelos: perderlos es perder las credenciales guardadas.',
    )
    .option(
      '--carpeta <ruta>',
      'una carpeta por proceso con un archivo por secreto, y contraseñas para los servidores; si ya los hay, se conservan',
    )
    .action(async ({ carpeta }: { carpeta?: string }) => {
      if (carpeta === undefined) for (const [name, value] of Object.entries(newSecretos())) print(`${name}=${value}`);
      else {
        const valores = { ...newSecretos(), ...newServidores() };
        show({ carpeta, escritos: await writeInstalacion(carpeta, valores) });
      }
    });

  const valoresOf = async (carpeta: string | undefined): Promise<Valores> =>
    carpeta === undefined ? deps().secretos : readValores(carpeta);

  secretos
    .command('rotar')
    .description(
      'Cambia un secreto sin detener nada, en pasos: agregar el id nuevo, usarlo, resellar lo que colgaba del anterior y retirarlo. Cada paso dice qué sigue, y puede repetirse.',
    )
    .addArgument(new Argument('<secreto>', 'qué se rota').choices(SECRETOS))
    .addOption(new Option('--paso <paso>', 'paso de la rotación').choices(PASOS).default('agregar'))
    .option('--carpeta <ruta>', CARPETA)
    .action(async (secreto: Secreto, { paso, carpeta }: { paso: (typeof PASOS)[number]; carpeta?: string }) => {
      if (paso === 'resellar') await resealTodo(secreto, await valoresOf(carpeta));
      else {
        if (paso === 'retirar') await requireNadaCuelga(secreto, await valoresOf(carpeta));
        await changeTo(secreto, { agregar, usar, retirar }[paso], carpeta);
      }
      show({ secreto, paso, siguiente: SIGUIENTE[paso] });
    });

  async function changeTo(
    secreto: Secreto,
    change: (secreto: Secreto, valores: Valores) => Valores,
    carpeta: string | undefined,
  ): Promise<void> {
    if (carpeta !== undefined) {
      const nuevos = await changeValores(carpeta, (valores) => change(secreto, valores));
      show({ carpeta, escritos: Object.keys(nuevos) });
      return;
    }
    for (const [name, value] of Object.entries(change(secreto, deps().secretos))) print(`${name}=${value}`);
  }

  async function resealTodo(secreto: Secreto, valores: Valores): Promise<void> {
    if (!RESELLABLES.has(secreto)) return;
    const keyring = openKeyring(secreto, valores[secreto] ?? '');
    await resellar(deps().database, secreto, keyring, { limit: POR_PAGINA, onAvance: show });
  }

  async function requireNadaCuelga(secreto: Secreto, valores: Valores): Promise<void> {
    const vigente = vigenteDe(secreto, valores);
    const left = (await cuelgan(deps().database, [secreto])).filter(({ id }) => id !== vigente);
    if (left.length === 0) return;
    const lineas = left.map(({ id, que, filas }) => `del id ${id} cuelgan ${filas} ${que}`);
    throw new Error(
      `${secreto}: no se retira nada: ${lineas.join('; ')}. Vea con «secretos estado» de quién son. Las API keys y las contraseñas pasan al id vigente cuando se usan; las copias selladas terminan con su solicitud; las respuestas guardadas, a las 24 horas; lo demás, con --paso resellar.`,
    );
  }

  secretos
    .command('estado')
    .description(
      'Dice de cada id de cada secreto qué cuelga de él y si ya se puede retirar, y qué API keys y usuarios no han venido desde la rotación.',
    )
    .option('--carpeta <ruta>', CARPETA)
    .action(async ({ carpeta }: { carpeta?: string }) => {
      const valores = await valoresOf(carpeta);
      const found = await cuelgan(deps().database);
      for (const secreto of SECRETOS) {
        const vigente = vigenteDe(secreto, valores);
        const configurados = valores[secreto] === undefined ? [] : [...entriesOf(secreto, valores).keys()];
        const enUso = found.filter((each) => each.secreto === secreto);
        for (const id of new Set([...configurados, ...enUso.map((each) => each.id)])) {
          const filas = enUso.filter((each) => each.id === id);
          show({
            secreto,
            id,
            vigente: vigente === undefined ? null : id === vigente,
            configurado: valores[secreto] === undefined ? null : configurados.includes(id),
            cuelgan: Object.fromEntries(filas.map(({ que, filas: n }) => [que, n])),
            se_puede_retirar: vigente === undefined ? null : id !== vigente && filas.length === 0,
          });
        }
      }
      const [pepper, panel] = [vigenteDe('API_KEY_PEPPERS', valores), vigenteDe('PANEL_SECRETS', valores)];
      const rest = await pendientes(deps().database, { pepper, panel, limit: PENDIENTES });
      for (const { secreto, id, email, rfc, apiKeyId, ultimoUsoEn } of rest)
        show({
          pendiente: secreto,
          id,
          email,
          ...(apiKeyId ? { rfc, api_key: apiKeyId, ultimo_uso_en: ultimoUsoEn } : {}),
        });
    });
}
