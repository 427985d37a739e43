import { ESTADOS_PAGO, type EstadoPago, isUuid, type Pago, type Resolucion } from '@acuse/db';
import { AUTOR, idArgument, integerArgument, textArgument } from '@acuse/roles/operator';
import { type Command, Option } from 'commander';
import type { CliDeps } from '../deps.ts';

const shown = (pago: Pago) => ({
  pago_id: pago.id,
  referencia: pago.referencia,
  proveedor: pago.proveedor,
  creditos: pago.creditos,
  total_mxn: (pago.total / 100).toFixed(2),
  estado: pago.estado,
  motivo: pago.motivo,
  creado_en: pago.creadoEn,
  resuelto_en: pago.resueltoEn,
});

/** The payment that the operator means: by its id, or by what the buyer wrote on the transfer. */
async function requirePago({ pagos }: CliDeps, texto: string): Promise<Pago> {
  const id = texto.trim().toLowerCase();
  const pago = isUuid(id) ? await pagos.findAny(id) : await pagos.findByReferencia(texto);
  if (!pago) throw new Error('No existe un pago con ese identificador o referencia. Véalos con: pagos listar');
  return pago;
}

/** The result, or the reason against it. */
function report(resolucion: Resolucion, hecho: string) {
  if (!('pago' in resolucion)) throw new Error('El pago ya no está como estaba. Véalo con: pagos listar');
  const { resultado, pago, saldo } = resolucion;
  if (resultado === 'NO_PENDIENTE')
    throw new Error(`El pago no cambió: ya estaba ${pago.estado}. Si llegó dinero por él, abónelo con: saldo agregar`);
  return { ...shown(pago), saldo, [hecho]: resultado === 'HECHO' };
}

export function addPagos(program: Command, deps: () => CliDeps): void {
  const pagos = program.command('pagos').description('Compras de créditos y su confirmación.');

  pagos
    .command('listar')
    .description('Pagos en un estado, los más antiguos primero, uno por línea.')
    .addOption(new Option('--estado <estado>', 'en qué estado').choices([...ESTADOS_PAGO]).default('PENDIENTE'))
    .option(
      '--despues <pago_id>',
      'los posteriores a este: la siguiente página',
      idArgument('el pago_id con el que terminó la página anterior'),
    )
    .option('--limite <n>', 'cuántos', integerArgument, 50)
    .action(async (options: { estado: EstadoPago; despues?: string; limite: number }) => {
      const { estado, despues } = options;
      const limite = Math.min(options.limite, 1_000);
      const filas = await deps().pagos.listEstado({ estado, limite, ...(despues ? { despues } : {}) });
      for (const fila of filas) deps().show({ ...shown(fila), cuenta: fila.cuenta, email: fila.email });
    });

  pagos
    .command('confirmar')
    .description('Abona un pago que llegó. Se abona una sola vez, aunque la orden se repita.')
    .argument('<pago>', 'pago_id o referencia')
    .action(async (texto: string) => {
      const { id } = await requirePago(deps(), texto);
      const resolucion = await deps().pagos.confirmar({ id, ...AUTOR });
      deps().show(report(resolucion, 'abonado'));
    });

  pagos
    .command('rechazar')
    .description('Cierra un pago que no llegó. No se abona nada.')
    .argument('<pago>', 'pago_id o referencia')
    .requiredOption('--motivo <texto>', 'por qué; lo lee quien compró', textArgument)
    .action(async (texto: string, { motivo }: { motivo: string }) => {
      const { id } = await requirePago(deps(), texto);
      const resolucion = await deps().pagos.refuse({ id, motivo, ...AUTOR });
      deps().show(report(resolucion, 'rechazado'));
    });
}
