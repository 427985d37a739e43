import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checkPeriodo, FalloOrden, fechaArgument, print, rfcArgument, rfcOf, type Servicio } from '@acuse/roles/client';
import type { ConteoXml, PeticionTaxDescargaMetadata, Solicitud } from '@acuse/sdk';
import { guardarPaquete } from '@acuse/sdk/node';
import { type Command, Option } from 'commander';
import { createAvance } from './avance.ts';
import { claseOf } from './fallos.ts';

interface Opciones {
  readonly rfc?: string;
  readonly tipo: PeticionTaxDescargaMetadata['tipo'];
  readonly desde?: string;
  readonly hasta?: string;
  readonly formato: NonNullable<PeticionTaxDescargaMetadata['formato']>;
  readonly estado?: NonNullable<PeticionTaxDescargaMetadata['estado_comprobante']>;
  readonly comprobante?: NonNullable<PeticionTaxDescargaMetadata['tipo_comprobante']>;
  readonly contraparte?: string[];
  readonly complemento?: NonNullable<PeticionTaxDescargaMetadata['complemento']>;
  readonly xml?: boolean;
  readonly tablas?: boolean;
  readonly capsula?: boolean;
  readonly salida?: string;
  readonly sobrescribir?: boolean;
  readonly continuar?: string;
  readonly json?: boolean;
}

const number = new Intl.NumberFormat('es-MX');

/** A download from the request to the file. */
export function addDescargar(program: Command, { consola, open }: Servicio): void {
  program
    .command('descargar')
    .summary('Descarga los CFDI de un periodo, o su metadata, a un archivo ZIP (1 crédito)')
    .description(
      'Pide al SAT la metadata de los CFDI de un periodo, con --xml también los CFDI, espera a que termine (de segundos a días) y deja el ZIP en un archivo.\n\n' +
        'Ctrl-C deja de esperar; la solicitud sigue en curso y se retoma con --continuar. Costo: 1 crédito, que se devuelve si termina sin paquete.',
    )
    .option('--rfc <rfc>', 'de quién; sin él, el de «acuse entrar»', rfcArgument)
    .addOption(new Option('--tipo <tipo>', 'qué CFDI').choices(['recibidos', 'emitidos']).default('recibidos'))
    .option('--desde <fecha>', 'primer día, AAAA-MM-DD', fechaArgument)
    .option('--hasta <fecha>', 'último día, AAAA-MM-DD', fechaArgument)
    .addOption(
      new Option('--formato <formato>', 'en qué vienen los renglones')
        .choices(['csv', 'xlsx', 'ndjson', 'parquet'])
        .default('csv'),
    )
    .addOption(
      new Option('--estado <estado>', 'solo los CFDI en este estado').choices(['todos', 'vigente', 'cancelado']),
    )
    .addOption(new Option('--comprobante <tipo>', 'solo los de este tipo').choices(['I', 'E', 'T', 'N', 'P']))
    .option(
      '--contraparte <rfc...>',
      'solo los de estas contrapartes: hasta cinco receptores, o un emisor',
      (rfc, others: string[] = []) => [...others, rfcArgument(rfc)],
    )
    .option('--complemento <nombre>', 'solo los que lo llevan, con el nombre del SAT: pagos20, nomina12…')
    .option('--xml', 'también los XML, y cuáles faltan; los de nómina traen datos personales')
    .option(
      '--tablas',
      'con --xml, también tablas de conceptos, impuestos, pagos y CFDI relacionados, en el formato elegido',
    )
    .option('--capsula', 'continúa sin la llave de la e.firma, hasta 72 horas; no está probado con el SAT en vivo')
    .option('--salida <archivo>', 'dónde queda; sin él, RFC_tipo_desde_hasta.zip en esta carpeta')
    .option('--sobrescribir', 'reemplaza el archivo si ya existe')
    .option('--continuar <solicitud_id>', 'retoma una solicitud ya hecha, sin otro cargo')
    .option('--json', 'cada avance y el resultado, en líneas de JSON')
    .action(async (opciones: Opciones) => {
      checkPeriodo(opciones.desde, opciones.hasta);
      const { acuse, acceso } = await open();
      const avance = createAvance(consola);
      const { continuar, tipo, desde, hasta, formato, salida, sobrescribir = false } = opciones;
      const rfc = () => rfcOf(acceso, opciones.rfc);
      const archivoOf = ({ tipo, desde, hasta }: Pick<Solicitud, 'tipo' | 'desde' | 'hasta'>) =>
        salida ?? `${rfc()}_${tipo}_${desde}_${hasta}.zip`;
      const interrupcion = consola.interrupcion();
      let id = continuar;
      if (id === undefined) {
        if (desde === undefined || hasta === undefined)
          throw new FalloOrden('ORDEN_INVALIDA', 'Faltan --desde y --hasta, o --continuar con una solicitud ya hecha.');
        // Before anything is charged.
        await checkPlace(archivoOf({ tipo, desde, hasta }), sobrescribir);
        // It is not interrupted: only its answer says under which id it goes on.
        const pedido = { rfc: rfc(), tipo, desde, hasta, formato, ...filtrosOf(opciones) };
        const { data } = await acuse.tax.descargaMetadata(pedido);
        avance.pedida(data);
        id = data.solicitud_id;
      } else if (salida !== undefined) await checkPlace(salida, sobrescribir);
      try {
        const { solicitud } = await acuse.esperar(id, {
          signal: interrupcion,
          alFallar: avance.fallo,
          alAvanzar: avance.solicitud,
        });
        const archivo = archivoOf(solicitud);
        const { bytes, sha256 } = await guardarPaquete(acuse, id, archivo, {
          sobrescribir,
          signal: interrupcion,
          alRecibir: avance.paquete,
        });
        avance.end();
        const { registros, confianza, reembolsada, xml } = solicitud;
        const cuenta = xml ? { xml } : {};
        print(
          consola,
          consola.json
            ? JSON.stringify({ solicitud_id: id, archivo, bytes, sha256, registros, confianza, reembolsada, ...cuenta })
            : `${archivo}: ${number.format(registros ?? 0)} CFDI, ${number.format(bytes)} bytes, SHA-256 ${sha256}`,
        );
        if (xml && !consola.json) print(consola, linesOfXml(xml));
        if (confianza === 'sin_confirmar' && !consola.json)
          avance.say(
            'El SAT dijo que no hay ninguno y nada lo confirmó: se devolvió el crédito. Repita mañana si esperaba alguno.',
          );
      } catch (error) {
        avance.end();
        const how = `La solicitud queda en el servicio y no se vuelve a cobrar. Retómela con:\n  ${orderToGoOn(id, opciones)}`;
        if (interrupcion.aborted) throw new FalloOrden('INTERRUMPIDA', how);
        if (!consola.json && ['archivo', 'pasajero'].includes(claseOf(error))) avance.say(how);
        throw error;
      }
    });
}

/** Options that the request has only when they are given. */
const filtrosOf = ({ estado, comprobante, contraparte, complemento, xml, tablas, capsula }: Opciones) => ({
  ...(estado === undefined ? {} : { estado_comprobante: estado }),
  ...(comprobante === undefined ? {} : { tipo_comprobante: comprobante }),
  ...(contraparte === undefined ? {} : { rfc_contraparte: contraparte }),
  ...(complemento === undefined ? {} : { complemento }),
  ...(xml ? { contenido: 'xml' as const } : {}),
  ...(tablas ? { tablas } : {}),
  ...(capsula ? { capsula } : {}),
});

/** The counts of a package with XML, and where its missing ones are named. */
function linesOfXml({ esperados, entregados, faltantes, por_motivo }: ConteoXml): string {
  const counts = `XML: ${number.format(esperados)} esperados, ${number.format(entregados)} entregados, ${number.format(faltantes)} faltantes`;
  if (faltantes === 0) return `${counts}.`;
  const reasons = Object.entries(por_motivo).map(([motivo, n]) => `${motivo} ${number.format(n)}`);
  return `${counts} (${reasons.join(', ')}). Cuáles: faltantes.csv, dentro del ZIP.`;
}

/** A word as a shell takes it. */
const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** Command that continues a request, with the same options for its file. */
function orderToGoOn(id: string, { rfc, salida, sobrescribir, json }: Opciones): string {
  const given = [...(rfc === undefined ? [] : ['--rfc', rfc]), ...(salida === undefined ? [] : ['--salida', salida])];
  const flags = [...(sobrescribir ? ['--sobrescribir'] : []), ...(json ? ['--json'] : [])];
  return ['acuse', 'descargar', '--continuar', id, ...given, ...flags].map(quoted).join(' ');
}

/** That a file can be made there. @throws Error of the system, `EEXIST` or `EISDIR`. */
async function checkPlace(archivo: string, sobrescribir: boolean): Promise<void> {
  await access(dirname(archivo), constants.W_OK);
  const found = await stat(archivo).catch(() => null);
  if (found?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR', path: archivo });
  if (found === null || sobrescribir) return;
  const texto = `Ya existe el archivo ${archivo}. Dé otro con --salida, o --sobrescribir. No se pidió ni se cobró nada.`;
  throw Object.assign(new Error(texto), { code: 'EEXIST' });
}
