import { type Consola, print } from '@acuse/roles/client';
import type { Command } from 'commander';
import type { EstadoFirma, Informe } from '../verificar/verificar.ts';

interface Opciones {
  readonly llaves?: string;
  readonly sinFirma?: boolean;
}

const FIRMAS: Readonly<Record<Exclude<EstadoFirma, 'valida' | 'invalida'>, (kid: string) => string>> = {
  sin_firma: () => 'El paquete no está firmado',
  llave_desconocida: (kid) => `La firma es de la llave ${kid}, que no está en --llaves`,
};

/** Checks a package without asking the service. */
export function addVerificar(program: Command, consola: Consola): void {
  program
    .command('verificar')
    .summary('Comprueba que un paquete está completo y sin cambios, sin conexión')
    .description(
      'Lee un paquete ZIP y comprueba todos sus bytes: cada archivo contra su SHA-256, las cuentas del manifiesto y la firma del servicio. Con metadata en CSV, también que cada renglón tenga su XML o esté en faltantes.csv; con otro formato compara solo las cuentas.\n\n' +
        'Termina con 0 si todo está bien y con 1 si algo no lo está. No usa API key ni consulta al servicio, salvo que --llaves sea una dirección.',
    )
    .argument('<paquete>', 'el archivo ZIP')
    .option(
      '--llaves <archivo o URL>',
      'las llaves públicas del servicio: https://…/.well-known/acuse-manifiesto.json, o una copia suya',
    )
    .option('--sin-firma', 'acepta un paquete sin firma, o con la de una llave desconocida')
    .option('--json', 'el resultado en una línea de JSON')
    .action(async (paquete: string, { llaves, sinFirma = false }: Opciones) => {
      const [{ verificar }, { readLlaves }] = await Promise.all([
        import('../verificar/verificar.ts'),
        import('../verificar/llaves.ts'),
      ]);
      const found = await verificar(paquete, llaves === undefined ? new Map() : await readLlaves(llaves));
      const { totalDifferences, firma } = found;
      const esValido = totalDifferences === 0 && (firma === 'valida' || sinFirma);
      if (consola.json) print(consola, JSON.stringify({ valido: esValido, ...asJson(found) }));
      else for (const line of linesOf(found, { sinFirma, esValido })) print(consola, line);
      if (!esValido) throw new Error('El paquete no pasó la comprobación.');
    });
}

const asJson = ({ paquete, firma, kid, revisado, noRevisado, diferencias, totalDifferences }: Informe) => ({
  ...paquete,
  firma,
  kid,
  revisado,
  no_revisado: noRevisado,
  diferencias,
  total_diferencias: totalDifferences,
});

function* linesOf(
  { paquete, firma, kid, revisado, noRevisado, diferencias, totalDifferences }: Informe,
  { sinFirma, esValido }: { readonly sinFirma: boolean; readonly esValido: boolean },
): Generator<string> {
  if (paquete !== null) {
    const { rfc, tipo, desde, hasta, solicitud_id: id } = paquete;
    yield `Paquete de ${rfc}, ${tipo}, ${desde} a ${hasta} (solicitud ${id})`;
  }
  yield* revisado;
  for (const line of noRevisado) yield `No se revisó. ${line}`;
  if (totalDifferences > 0) {
    yield `Diferencias: ${totalDifferences}${totalDifferences > diferencias.length ? `; las primeras ${diferencias.length}:` : ':'}`;
    for (const line of diferencias) yield `  ${line}`;
  } else if (firma === 'sin_firma' || firma === 'llave_desconocida') {
    const remedio = sinFirma
      ? '; se aceptó por --sin-firma'
      : ': no se sabe quién hizo el paquete. Use --llaves, o --sin-firma para aceptarlo';
    yield `Firma: ${FIRMAS[firma](kid ?? '')}${remedio}.`;
  }
  if (esValido) yield 'El paquete está completo y sin cambios.';
}
