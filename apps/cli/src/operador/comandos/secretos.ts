import { randomBytes } from 'node:crypto';
import { cuelgan, pendientes, SECRETOS, type Secreto } from '@acuse/db';
import { changeValues, newSecretos, newServidores, readValues, type Valores, writeInstalacion } from '@acuse/vault';
import { Argument, type Command, Option } from 'commander';
import type { CliDeps } from '../deps.ts';
import { type Cluster, openKubernetes, readExternals, valoresEn } from '../secretos/kubernetes.ts';
import { agregar, entriesOf, retirar, usar, vigenteDe } from '../secretos/pasos.ts';
import { resellarTodo } from '../secretos/reseal.ts';

const PASOS = ['agregar', 'usar', 'resellar', 'retirar'] as const;
const CARPETA = 'carpeta de los secretos, como la que escribió «secretos --carpeta»; sin ella se leen del ambiente';
const KUBERNETES =
  'prefijo de los Secrets, como los que escribió «secretos --kubernetes»; solo en un pod con cuenta de servicio';
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

/** Where the secrets of an installation are: files, Secrets of a cluster, or the environment. */
interface Donde {
  readonly carpeta?: string;
  readonly kubernetes?: string;
}

interface Hacer extends Donde {
  readonly externos?: string;
  readonly colaEnPostgres?: boolean;
}

/** What the orders about secrets work with besides the database. */
interface Around {
  readonly print: (line: string) => void;
  /** Of the pod that the order runs in. Rejects outside of one. */
  readonly cluster: () => Promise<Cluster>;
}

/** Makes the secrets of an installation and rotates them. */
export function addSecretos(program: Command, deps: () => CliDeps, { print, cluster }: Around): void {
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
    .addOption(
      new Option(
        '--kubernetes <prefijo>',
        'un Secret por proceso, llamado PREFIJO-proceso, en el clúster del pod; lo que ya haya se conserva, y se agrega lo que falte',
      ).conflicts('carpeta'),
    )
    .option(
      '--externos <ruta>',
      'con --kubernetes, carpeta con DATABASE_URL, QUEUE_URL, S3_SECRET_ACCESS_KEY, CAPTCHA_TOKEN y SMTP_URL, un archivo cada uno',
    )
    .option(
      '--cola-en-postgres',
      'con --kubernetes, la cola va en una base suya del mismo PostgreSQL, y no hay QUEUE_URL',
    )
    .action(async ({ carpeta, kubernetes, externos = '.', colaEnPostgres = false }: Hacer) => {
      if (kubernetes !== undefined) {
        const own = openKubernetes(await cluster(), kubernetes);
        const fuera = await readExternals(externos);
        const suffix = `_${randomBytes(3).toString('hex')}`;
        const { escritos } = await own.change((valores) => valoresEn(valores, fuera, { colaEnPostgres, suffix }));
        show({ kubernetes, escritos });
      } else if (carpeta === undefined)
        for (const [name, value] of Object.entries(newSecretos())) print(`${name}=${value}`);
      else {
        const valores = { ...newSecretos(), ...newServidores() };
        show({ carpeta, escritos: await writeInstalacion(carpeta, valores) });
      }
    });

  const valoresOf = async ({ carpeta, kubernetes }: Donde): Promise<Valores> => {
    if (kubernetes !== undefined) return openKubernetes(await cluster(), kubernetes).read();
    return carpeta === undefined ? deps().secretos : readValues(carpeta);
  };

  secretos
    .command('rotar')
    .description(
      'Cambia un secreto sin detener nada, en pasos: agregar el id nuevo, usarlo, resellar lo que colgaba del anterior y retirarlo. Cada paso dice qué sigue, y puede repetirse.',
    )
    .addArgument(new Argument('<secreto>', 'qué se rota').choices(SECRETOS))
    .addOption(new Option('--paso <paso>', 'paso de la rotación').choices(PASOS).default('agregar'))
    .option('--carpeta <ruta>', CARPETA)
    .addOption(new Option('--kubernetes <prefijo>', KUBERNETES).conflicts('carpeta'))
    .action(async (secreto: Secreto, { paso, ...donde }: Donde & { paso: (typeof PASOS)[number] }) => {
      if (paso === 'resellar') {
        const options = { limit: POR_PAGINA, onAvance: show };
        await resellarTodo(deps().database, secreto, await valoresOf(donde), options);
      } else {
        if (paso === 'retirar') await requireNothingPending(secreto, await valoresOf(donde));
        await changeTo(secreto, { agregar, usar, retirar }[paso], donde);
      }
      show({ secreto, paso, siguiente: SIGUIENTE[paso] });
    });

  async function changeTo(
    secreto: Secreto,
    change: (secreto: Secreto, valores: Valores) => Valores,
    { carpeta, kubernetes }: Donde,
  ): Promise<void> {
    if (kubernetes !== undefined) {
      const own = openKubernetes(await cluster(), kubernetes);
      const { escritos } = await own.change((valores) => change(secreto, valores));
      show({ kubernetes, escritos });
      return;
    }
    if (carpeta !== undefined) {
      const nuevos = await changeValues(carpeta, (valores) => change(secreto, valores));
      show({ carpeta, escritos: Object.keys(nuevos) });
      return;
    }
    for (const [name, value] of Object.entries(change(secreto, deps().secretos))) print(`${name}=${value}`);
  }

  async function requireNothingPending(secreto: Secreto, valores: Valores): Promise<void> {
    const vigente = vigenteDe(secreto, valores);
    const left = (await cuelgan(deps().database, [secreto])).filter(({ id }) => id !== vigente);
    if (left.length === 0) return;
    const lineas = left.map(({ id, que, filas }) => `del id ${id} cuelgan ${filas} ${que}`);
    throw new Error(
      `${secreto}: no se retira nada: ${lineas.join('; ')}. Vea con «secretos estado» de quién son. Las API keys y las contraseñas pasan al id vigente cuando se usan; las copias selladas de solicitudes terminan con ellas; las respuestas guardadas, a las 24 horas; lo demás, con --paso resellar.`,
    );
  }

  secretos
    .command('estado')
    .description(
      'Dice de cada id de cada secreto qué cuelga de él y si ya se puede retirar, y qué API keys y usuarios no han venido desde la rotación.',
    )
    .option('--carpeta <ruta>', CARPETA)
    .addOption(new Option('--kubernetes <prefijo>', KUBERNETES).conflicts('carpeta'))
    .action(async (donde: Donde) => {
      const valores = await valoresOf(donde);
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
