import { parseRfc } from '@acuse/contract';
import { type Acceso, ask, type Consola, FalloOrden, print, readSecreto } from '@acuse/roles/client';
import type { Acuse } from '@acuse/sdk';
import type { Command } from 'commander';
import { removeAcceso, storeAcceso } from './acceso.ts';

interface Opciones {
  readonly url?: string;
  readonly rfc?: string;
  readonly llaveArchivo?: string;
  readonly json?: boolean;
}

export const isLocal = ({ hostname }: URL) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new FalloOrden('ORDEN_INVALIDA', `«${text}» no es la dirección de un servicio, como https://acuse.example.`);
  return url;
}

/** Stores address and key once they were tried, and forgets them. */
export function addEntrar(program: Command, consola: Consola, connect: (acceso: Acceso) => Acuse): void {
  program
    .command('entrar')
    .summary('Guarda la dirección del servicio y la API key de un RFC')
    .description(
      'Comprueba la API key con su RFC (los asocia, sin costo) y los guarda, con la dirección, en un archivo que solo usted puede leer.\n\n' +
        'La API key se pregunta sin mostrarla, o se toma de un archivo; nunca de la línea de órdenes, que otros pueden ver.',
    )
    .option('--url <url>', 'dirección del servicio')
    .option('--rfc <rfc>', 'el RFC de la API key')
    .option('--llave-archivo <ruta>', 'archivo con la API key, o - para la entrada estándar')
    .option('--json', 'el resultado en una línea de JSON')
    .action(async ({ url: givenUrl, rfc: givenRfc, llaveArchivo, json = false }: Opciones) => {
      const { entorno, errores } = consola;
      const url = readUrl(
        givenUrl ?? entorno.url ?? (await ask(consola, 'Dirección del servicio: ', { sinTerminal: 'Falta --url.' })),
      );
      const text = givenRfc ?? entorno.rfc ?? (await ask(consola, 'RFC: ', { sinTerminal: 'Falta --rfc.' }));
      const rfc = parseRfc(text);
      if (rfc === null) throw new FalloOrden('ORDEN_INVALIDA', `«${text}» no tiene el formato de un RFC.`);
      const llave = await readLlave(consola, llaveArchivo);
      if (url.protocol === 'http:' && !isLocal(url))
        errores.write('Aviso: con http:// la API key viaja sin cifrar. Use https:// fuera de su propia máquina.\n');
      const acceso = { url: url.href.replace(/\/+$/, ''), llave, rfc };
      await connect(acceso).vault.rfcRegistrar({ rfc });
      const archivo = await storeAcceso(entorno, acceso);
      print(
        consola,
        json
          ? JSON.stringify({ url: acceso.url, rfc, archivo })
          : `Listo: ${rfc} en ${acceso.url}. Guardado en ${archivo}`,
      );
    });
  program
    .command('salir')
    .description('Borra lo que guardó «acuse entrar». La API key sigue sirviendo: se revoca en el panel.')
    .option('--json', 'el resultado en una línea de JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      const borrado = await removeAcceso(consola.entorno);
      print(consola, json ? JSON.stringify({ borrado }) : borrado ? 'Borrado.' : 'No había nada guardado.');
    });
}

async function readLlave(consola: Consola, file: string | undefined): Promise<string> {
  const given =
    file === undefined
      ? (consola.entorno.llave ??
        (await ask(consola, 'API key (no se muestra): ', {
          esSecreta: true,
          sinTerminal:
            'Sin terminal no hay a quién preguntar la API key: dé --llave-archivo, con - para la entrada estándar.',
        })))
      : await readSecreto(consola, file);
  const llave = given.trim();
  if (llave === '') throw new FalloOrden('ORDEN_INVALIDA', 'La API key está vacía.');
  return llave;
}
