import type { Servicio } from '@acuse/roles/client';
import { type Command, InvalidArgumentError } from 'commander';
import { numberArgument } from './operaciones.ts';

/** Credits of a session without an option. */
const CREDITOS = 20;

function creditosArgument(value: string): number {
  const number = numberArgument(true)(value);
  if (number < 0) throw new InvalidArgumentError('no puede ser negativo');
  return number;
}

/** The operations that read, and downloads, as tools of an assistant. */
export function addMcp(program: Command, { consola, open }: Servicio): void {
  program
    .command('mcp')
    .summary('Consultas y descargas como herramientas de un asistente (MCP)')
    .description(
      'Servidor del Model Context Protocol por la entrada y la salida estándar: lo inicia un asistente, con la API key de «acuse entrar» o del ambiente.\n\n' +
        'Ofrece lo que consulta y las descargas. Ninguna herramienta toma contraseñas, CIEC ni e.firma, ni guarda o borra nada en el servicio.',
    )
    .option('--carpeta <carpeta>', 'dónde deja los ZIP; sin ella no se ofrece guardarlos')
    .option(
      '--creditos <n>',
      'cuántos créditos puede gastar en una sesión; con 0, solo se ofrece lo que no cuesta',
      creditosArgument,
      CREDITOS,
    )
    .action(async ({ carpeta, creditos }: { readonly carpeta?: string; readonly creditos: number }) => {
      const { acuse, acceso } = await open();
      // Its library is loaded for this order alone.
      const { serve } = await import('../mcp/servidor.ts');
      await serve({ consola, acuse, rfc: acceso.rfc, carpeta: carpeta ?? null, creditos });
    });
}
