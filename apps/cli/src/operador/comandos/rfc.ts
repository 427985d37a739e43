import { meantBy, OPERACIONES, type PathOperacion } from '@acuse/contract';
import { AUTOR, CUENTA, modoPedido, PRUEBAS, RFC, requireCuenta, requireRfc, rfcArgument } from '@acuse/roles/operator';
import { formatRange, parseRange } from '@acuse/runtime';
import { generateApiKey, registroOf, wipeApiKey } from '@acuse/vault';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliDeps } from '../deps.ts';

export function addRfc(program: Command, deps: () => CliDeps): void {
  const rfc = program.command('rfc').description('RFCs de una cuenta.');
  rfc
    .command('agregar')
    .description('Agrega un RFC a una cuenta.')
    .requiredOption(...CUENTA)
    .requiredOption('--rfc <rfc>', 'RFC de 12 o 13 caracteres', rfcArgument)
    .option('--id-cif <idCIF>', 'número de la cédula de identificación fiscal')
    .action(async (options: { cuenta: string; rfc: string; idCif?: string }) => {
      const { id: cuentaId } = await requireCuenta(deps(), options.cuenta);
      const { rfc, idCif } = options;
      const nuevo = await deps().contribuyentes.add({ cuentaId, rfc, ...AUTOR, ...(idCif ? { idCif } : {}) });
      deps().show({ id: nuevo.id, rfc });
    });
  rfc
    .command('listar')
    .description('Lista los RFCs de una cuenta.')
    .requiredOption(...CUENTA)
    .action(async (options: { cuenta: string }) => {
      const { id } = await requireCuenta(deps(), options.cuenta);
      for (const { rfc, idCif } of await deps().contribuyentes.names(id)) deps().show({ rfc, id_cif: idCif });
    });
}

export function addLlave(program: Command, deps: () => CliDeps): void {
  const llave = program.command('llave').description('API keys.');
  llave
    .command('generar')
    .description(
      'Genera la API key de un RFC y la muestra una sola vez. La anterior deja de servir y lo que cifraba (CIEC, e.firma) se borra. Empieza con acuse_live_ donde se consulta al SAT, y con acuse_test_ con --pruebas o donde SAT_BASE_URL nombra un simulador en su lugar.',
    )
    .requiredOption(...CUENTA)
    .requiredOption(...RFC)
    .option(...PRUEBAS)
    .action(async (options: { cuenta: string; rfc: string; pruebas?: true }) => {
      const modo = modoPedido(deps(), options.pruebas === true);
      const { id: contribuyenteId } = await requireRfc(deps(), options.cuenta, options.rfc);
      const hasher = deps().hasher();
      const key = generateApiKey(modo);
      const llave = registroOf(hasher, key);
      wipeApiKey(key);
      await deps().llaves.activate({ contribuyenteId, llave, ...AUTOR });
      deps().show({ id: key.keyId, api_key: key.text });
    });
  llave
    .command('listar')
    .description('Lista las API keys que tuvo un RFC, la vigente entre ellas.')
    .requiredOption(...CUENTA)
    .requiredOption(...RFC)
    .action(async (options: { cuenta: string; rfc: string }) => {
      const { id } = await requireRfc(deps(), options.cuenta, options.rfc);
      for (const { creadaEn, ultimoUsoEn, terminadaEn, ...vista } of await deps().llaves.list(id))
        deps().show({ ...vista, creada_en: creadaEn, ultimo_uso_en: ultimoUsoEn, terminada_en: terminadaEn });
    });
  llave
    .command('revocar')
    .description(
      'Revoca una API key: responde 1002 desde su siguiente llamada; sus solicitudes abiertas terminan con reembolso.',
    )
    .argument('<id>', 'los 12 caracteres que siguen a acuse_live_ o acuse_test_')
    .action(async (apiKeyId: string) => {
      const canceladas = await deps().llaves.revoke({ apiKeyId, ...AUTOR });
      deps().show({ id: apiKeyId, solicitudes_canceladas: canceladas });
    });
}

function operacionArgument(value: string): PathOperacion {
  const path = value.replace(/^\/?(api\/v1\/)?/, '');
  const found = OPERACIONES.find((operacion) => operacion.path === path);
  if (found) return found.path;
  const all = OPERACIONES.map((operacion) => operacion.path);
  const meant = meantBy(path, all);
  const hint = meant ? ` ¿Quiso decir ${meant}?` : '';
  throw new InvalidArgumentError(`no existe esa operación.${hint} Vea todas con: acuse operador operacion listar`);
}

export function addOperacion(program: Command, deps: () => CliDeps): void {
  const operacion = program.command('operacion').description('Operaciones por RFC.');
  operacion
    .command('listar')
    .description('Lista las operaciones con su costo; con --cuenta y --rfc, también si están habilitadas.')
    .option(...CUENTA)
    .option(...RFC)
    .action(async ({ cuenta, rfc }: { cuenta?: string; rfc?: string }) => {
      if ((cuenta === undefined) !== (rfc === undefined)) throw new Error('--cuenta y --rfc van juntas');
      const off =
        cuenta === undefined || rfc === undefined
          ? null
          : new Set((await requireRfc(deps(), cuenta, rfc)).deshabilitadas);
      for (const { path, costo, credencial, resumen } of OPERACIONES)
        deps().show({
          operacion: path,
          costo,
          credencial,
          resumen,
          ...(off === null ? {} : { habilitada: !off.has(path) }),
        });
    });
  for (const [name, isHabilitada] of [
    ['habilitar', true],
    ['deshabilitar', false],
  ] as const)
    operacion
      .command(name)
      .description(
        isHabilitada ? 'La operación vuelve a responder.' : 'La operación responde 1003 desde la siguiente llamada.',
      )
      .argument('<operacion>', 'ruta sin /api/v1/, como tax/facturas', operacionArgument)
      .requiredOption(...CUENTA)
      .requiredOption(...RFC)
      .action(async (ruta: PathOperacion, options: { cuenta: string; rfc: string }) => {
        const { cuentaId, rfc } = await requireRfc(deps(), options.cuenta, options.rfc);
        await deps().contribuyentes.setOperaciones({ cuentaId, rfc, operaciones: [ruta], isHabilitada, ...AUTOR });
        deps().show({ rfc, operacion: ruta, habilitada: isHabilitada });
      });
}

/** `10.0.0.0/8`, `2001:db8::/32` or a single address, in canonical form and once. */
function cidrArgument(value: string, previous: string[] = []): string[] {
  const range = parseRange(value);
  if (range === null) throw new InvalidArgumentError('debe ser una dirección IP o un bloque CIDR');
  return [...new Set([...previous, formatRange(range)])];
}

export function addIps(program: Command, deps: () => CliDeps): void {
  program
    .command('ips')
    .description('Direcciones desde las que se puede llamar.')
    .command('fijar')
    .description('Sustituye la lista del RFC; sin --permitir queda abierta a cualquier dirección.')
    .requiredOption(...CUENTA)
    .requiredOption(...RFC)
    .option('--permitir <cidr>', 'dirección o bloque; puede repetirse', cidrArgument, [])
    .action(async (options: { cuenta: string; rfc: string; permitir: string[] }) => {
      const { cuentaId, rfc } = await requireRfc(deps(), options.cuenta, options.rfc);
      await deps().contribuyentes.setIps({ cuentaId, rfc, cidrs: options.permitir, ...AUTOR });
      deps().show({ rfc: options.rfc, ips: options.permitir });
    });
}
