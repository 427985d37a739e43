import { CfdiError, type DatosError, type NombreError } from '@acuse/contract';
import { type LinkedSignal, linkSignals } from '@acuse/runtime';
import type { ApiDeps } from '../api-deps.ts';
import { eligibleCredenciales, openGuardada } from '../credenciales/stored-credencial.ts';
import { contestacionDeExito } from './answer.ts';
import { errorsOf } from './errors-of.ts';
import { accessOf, bodyOf, type Contestacion, type Llamada } from './llamada.ts';
import type { Contexto } from './operation.ts';

/** The result of a handler did not fit the operation's own data schema: our fault. */
class DataDesconocida extends Error {
  constructor(path: string, issues: readonly string[]) {
    super(`${path} answered data that its schema refuses: ${issues.join('; ')}`);
    this.name = 'DataDesconocida';
  }
}

/**
 * Runs the operation and checks what it answers. Errors that it did not declare are answered too, but logged as ours.
 */
export async function handle(llamada: Llamada, deps: ApiDeps): Promise<Contestacion> {
  const { operation } = llamada;
  const { value, secretos } = bodyOf(llamada);
  const { access, apiKey } = accessOf(llamada);
  const { ip, requestId, opId, idempotency, saldo, now } = llamada;
  let budget: LinkedSignal | undefined;
  let devuelve: string | undefined;
  const contexto: Contexto<'ciec-o-efirma'> = {
    deps,
    access,
    operacion: operation.path,
    apiKey,
    ip,
    requestId,
    opId,
    idemKey: idempotency && opId,
    saldo,
    now,
    secretos,
    error: (nombre: NombreError, datos: DatosError = {}, cause?: unknown) => new CfdiError(nombre, datos, { cause }),
    get signal() {
      budget ??= linkSignals([deps.apagado], deps.settings.presupuestoMs);
      return budget.signal;
    },
    devolver(motivo) {
      devuelve = motivo;
    },
    credenciales: eligibleCredenciales(operation, access, now).map((elegible) => ({
      tipo: elegible.tipo,
      canal: elegible.canal,
      open() {
        const credencial = openGuardada(elegible, access, apiKey, deps.keyring);
        llamada.opened.push(credencial);
        return credencial;
      },
    })),
  };
  let result: unknown;
  try {
    result = await operation.handle(value, contexto);
  } catch (error) {
    if (error instanceof CfdiError && !errorsOf(operation).includes(error.nombre)) {
      deps.log.error({ err: error, operacion: operation.path }, 'an operation answered an undeclared error');
    }
    throw error;
  } finally {
    budget?.release();
  }
  const contestacion = contestacionDeExito(operation, checkData(llamada, result), llamada.saldo);
  return devuelve === undefined ? contestacion : { ...contestacion, devuelve };
}

function checkData({ operation }: Llamada, result: unknown): unknown {
  if (operation.data === null) return undefined;
  const parsed = operation.data.safeParse(result);
  if (parsed.success) return parsed.data;
  throw new DataDesconocida(
    operation.path,
    parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.code}`),
  );
}
