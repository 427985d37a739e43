import { createReadStream } from 'node:fs';
import { readRfcs } from '@acuse/db';
import { type Command, InvalidArgumentError } from 'commander';
import { AUTOR } from '../buscar.ts';
import type { CliDeps } from '../deps.ts';

function fuenteArgument(value: string): string {
  const fuente = value.trim();
  if (fuente.length < 1 || fuente.length > 200) throw new InvalidArgumentError('debe tener de 1 a 200 caracteres');
  return fuente;
}

type Estado = NonNullable<Awaited<ReturnType<CliDeps['edos']['estado']>>>;
const shown = ({ fuente, rfcs, importadaEn }: Estado) => ({ fuente, rfcs, importada_en: importadaEn });

export function addEdos(program: Command, deps: () => CliDeps): void {
  const edos = program
    .command('edos')
    .description('Lista EDOS propia: nadie publica una oficial, así que responde la que usted importe, con su nombre.');

  edos
    .command('importar')
    .description('Sustituye la lista por la de un CSV con una columna, o con una que se llame rfc.')
    .argument('<archivo>', 'archivo CSV en UTF-8')
    .requiredOption('--fuente <nombre>', 'de dónde viene la lista; se muestra en cada respuesta', fuenteArgument)
    .action(async (archivo: string, { fuente }: { fuente: string }) => {
      const rfcs = await readRfcs(createReadStream(archivo));
      deps().print(JSON.stringify(shown(await deps().edos.importar({ fuente, rfcs, ...AUTOR }))));
    });

  edos
    .command('estado')
    .description('La lista importada, o null.')
    .action(async () => {
      const estado = await deps().edos.estado();
      deps().print(JSON.stringify(estado && shown(estado)));
    });

  edos
    .command('borrar')
    .description('Quita la lista: las respuestas dirán que no hay ninguna.')
    .action(async () => {
      deps().print(JSON.stringify({ borrada: await deps().edos.borrar(AUTOR) }));
    });
}
