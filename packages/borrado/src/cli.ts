import { readFile } from 'node:fs/promises';
import { isUuid } from '@acuse/db';
import { AUTOR, type OperatorDeps, type RecoveryStep, requireCuenta, rfcArgument } from '@acuse/roles/operator';
import { type Command, Option } from 'commander';
import { accountsOf, askErasure, findErased, inventory } from './borrado.ts';
import type { ErasureDeps } from './erase.ts';
import { hashRfc, type Informe, informeSchema, isOfRfc, isWhole, readInforme } from './informe.ts';
import { sealedErasures } from './informes.ts';
import { checkErasure } from './plan.ts';

/** One statement looks at a whole table of any size. */
const TIMEOUT_MS = 30 * 60_000;
const PING_MS = 10_000;

interface Options {
  readonly cuenta?: string;
  readonly todasLasCuentas?: true;
  readonly simular?: true;
  readonly esperar: boolean;
}

/** Opens the storage and plans the deletion before any key is revoked: half of a deletion is none. */
async function withErasure<T>(deps: OperatorDeps, run: (erasure: ErasureDeps) => Promise<T>): Promise<T> {
  const eraser = await deps.openEraser();
  try {
    const { hasVersions } = await eraser.open(AbortSignal.timeout(PING_MS)).catch((error: unknown) => {
      throw new Error(
        'No se alcanza el almacén de los paquetes, y sin él no se borra nada: ponga a esta orden S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID y S3_SECRET_ACCESS_KEY, los de los workers.',
        { cause: error },
      );
    });
    const { databaseUrl, queueUrl, pause, show } = deps;
    return await deps.slow(TIMEOUT_MS, async (database) => {
      await checkErasure(database);
      return run({ database, databaseUrl, queueUrl, eraser, hasVersions, pause, show });
    });
  } finally {
    eraser.close();
  }
}

async function accountsFor(deps: OperatorDeps, rfc: string, { cuenta, todasLasCuentas }: Options): Promise<string[]> {
  if ((cuenta === undefined) === (todasLasCuentas === undefined))
    throw new Error('Diga de quién: --cuenta con el correo o el id de una, o --todas-las-cuentas.');
  if (cuenta === undefined) return accountsOf(deps.database, rfc);
  return [isUuid(cuenta) ? cuenta : (await requireCuenta(deps, cuenta)).id];
}

async function simulate(deps: OperatorDeps, rfc: string, cuentaId: string): Promise<void> {
  const vista = await deps.contribuyentes.find(cuentaId, rfc);
  const contado =
    vista === null
      ? {}
      : await deps.slow(TIMEOUT_MS, (database) => inventory(database, { cuentaId, rfc, contribuyenteId: vista.id }));
  const filas = Object.fromEntries(Object.entries(contado).filter(([, n]) => n > 0));
  deps.show({ cuenta_id: cuentaId, contribuyente_id: vista?.id ?? null, simulado: true, filas });
}

async function erase(deps: OperatorDeps, rfc: string, options: Options): Promise<void> {
  const cuentas = await accountsFor(deps, rfc, options);
  if (options.simular) {
    for (const cuentaId of cuentas) await simulate(deps, rfc, cuentaId);
    return;
  }
  const { carryOut, GRACE_SECONDS } = await import('./erase.ts');
  await withErasure(deps, async (erasure) => {
    let found = 0;
    const failed: { readonly cuentaId: string; readonly error: unknown }[] = [];
    for (const cuentaId of cuentas) {
      const borrado = await askErasure(erasure.database, { cuentaId, rfc, rfcHuella: await hashRfc(rfc), ...AUTOR });
      if (borrado === null) continue;
      found += 1;
      try {
        const informe = await carryOut(erasure, borrado, { graceSeconds: GRACE_SECONDS, waits: options.esperar });
        if (informe !== null) deps.show(informe);
      } catch (error) {
        failed.push({ cuentaId, error });
      }
    }
    const [first] = failed;
    if (first !== undefined && cuentas.length === 1) throw first.error;
    if (first !== undefined) {
      const each = failed.map(
        ({ cuentaId, error }) => `${cuentaId}: ${error instanceof Error ? error.message : error}`,
      );
      throw new Error(
        `No se terminó en ${failed.length} de ${cuentas.length} cuentas. Corrija la causa y repita la orden.\n${each.join('\n')}`,
        { cause: first.error },
      );
    }
    if (found > 0) return;
    const before = await reportsOf(deps, rfc);
    for (const informe of before) deps.show(informe);
    if (before.length === 0) throw new Error(`Ninguna de esas cuentas tiene el RFC ${rfc}: no hay nada que borrar.`);
  });
}

/** The reports of the database, or of one RFC, each as its hash says. */
async function reportsOf(deps: OperatorDeps, rfc?: string): Promise<Informe[]> {
  const found: Informe[] = [];
  let anterior: string | null = null;
  for (const { informe: text, huella, rfcHuella, numero } of await sealedErasures(deps.database)) {
    const informe = readInforme({ informe: text, huella });
    if (!isWhole(informe) || informe.anterior !== anterior || informe.rfc_huella !== rfcHuella)
      throw new Error(
        `El informe ${numero} no es el que se escribió, o falta el anterior. Compárelo con la copia que se guardó fuera de la base.`,
      );
    anterior = huella;
    if (rfc === undefined || (await isOfRfc(rfcHuella, rfc))) found.push(informe);
  }
  return found;
}

/**
 * Deletes again what a backup brought back: a report for each line of a file, as `contribuyente borrados` prints them.
 * Nothing is under way in a database that was just restored.
 */
async function eraseAgain(deps: OperatorDeps, path: string): Promise<void> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const informes = lines.map((line, at) => {
    const { data: informe } = informeSchema.safeParse(parse(line));
    if (informe === undefined || !isWhole(informe))
      throw new Error(`${path}, renglón ${at + 1}: no es un informe de borrado, o alguien lo cambió.`);
    return informe;
  });
  if (informes.length === 0) return;
  const { carryOut } = await import('./erase.ts');
  await withErasure(deps, async (erasure) => {
    let again = 0;
    for (const { id, cuenta_id: cuentaId, contribuyente_id: contribuyenteId, rfc_huella: rfcHuella } of informes) {
      const back = await findErased(erasure.database, { cuentaId, contribuyenteId });
      if (back === null) continue;
      const borrado = await askErasure(erasure.database, { id, cuentaId, rfc: back.rfc, rfcHuella, ...AUTOR });
      if (borrado === null) continue;
      const informe = await carryOut(erasure, borrado, { graceSeconds: 0, waits: true });
      if (informe !== null) deps.show(informe);
      again += 1;
    }
    deps.show({ borrados_en_el_archivo: informes.length, borrados_otra_vez: again });
  });
}

/** Deletes again, in a restored database, the taxpayers of a file of reports. */
export const RECOVERY: RecoveryStep = {
  option: new Option(
    '--borrados <archivo>',
    'informes de «contribuyente borrados»: lo que el respaldo trajo de vuelta se borra otra vez',
  ),
  run: eraseAgain,
};

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Deletion of everything of one taxpayer, and the proofs of it. */
export function addContribuyente(program: Command, deps: () => OperatorDeps): void {
  const contribuyente = program
    .command('contribuyente')
    .description('Lo que se guarda de un contribuyente: borrarlo y probar que se borró.');
  contribuyente
    .command('borrar')
    .description(
      'Borra todo lo de un RFC: API keys, credenciales, solicitudes (las abiertas terminan con devolución), paquetes con todas sus versiones, respuestas guardadas, avisos, sesiones con el SAT. No se puede deshacer. Espera unos minutos a que termine lo que estaba en curso, busca el RFC en toda la base, la cola y el almacén, y da un informe. Interrumpida, se continúa con la misma orden.',
    )
    .argument('<rfc>', 'RFC de 12 o 13 caracteres', rfcArgument)
    .option('--cuenta <correo>', 'correo o id de la cuenta')
    .addOption(new Option('--todas-las-cuentas', 'de cada cuenta que lo tenga').conflicts('cuenta'))
    .option('--simular', 'solo cuenta lo que se borraría y lo que se conserva')
    .option('--no-esperar', 'no espera: la misma orden, minutos después, lo termina')
    .action((rfc: string, options: Options) => erase(deps(), rfc, options));
  contribuyente
    .command('borrados')
    .description(
      'Muestra los informes de lo borrado, un renglón cada uno, y comprueba que ninguno falta ni cambió. Guárdelos fuera de la base: con ellos, «recuperar --borrados» repite lo borrado después de volver de un respaldo.',
    )
    .option('--rfc <rfc>', 'solo los de este RFC', rfcArgument)
    .action(async ({ rfc }: { rfc?: string }) => {
      for (const informe of await reportsOf(deps(), rfc)) deps().show(informe);
    });
}
