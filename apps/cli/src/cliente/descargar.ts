import { access } from 'node:fs/promises';
import type { Acuse, PeticionTaxDescargaMetadata, Solicitud } from '@acuse/sdk';
import { guardarPaquete } from '@acuse/sdk/node';
import { type Command, Option } from 'commander';
import { type Avance, createAvance } from './avance.ts';
import { type Consola, print } from './consola.ts';
import { FalloOrden } from './fallos.ts';
import { rfcOf, type Servicio } from './operaciones.ts';

interface Opciones {
  readonly rfc?: string;
  readonly tipo: PeticionTaxDescargaMetadata['tipo'];
  readonly desde?: string;
  readonly hasta?: string;
  readonly formato: NonNullable<PeticionTaxDescargaMetadata['formato']>;
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
    .summary('Descarga la metadata de los CFDI de un periodo a un archivo ZIP (1 crédito)')
    .description(
      'Pide al SAT la metadata de los CFDI de un periodo, espera a que termine (de segundos a días) y deja el ZIP en un archivo.\n\n' +
        'Ctrl-C deja de esperar; la solicitud sigue en curso y se retoma con --continuar. Costo: 1 crédito, que se devuelve si termina sin paquete.',
    )
    .option('--rfc <rfc>', 'de quién; sin él, el de «acuse entrar»')
    .addOption(new Option('--tipo <tipo>', 'qué CFDI').choices(['recibidos', 'emitidos']).default('recibidos'))
    .option('--desde <fecha>', 'primer día, AAAA-MM-DD')
    .option('--hasta <fecha>', 'último día, AAAA-MM-DD')
    .addOption(
      new Option('--formato <formato>', 'de los renglones')
        .choices(['csv', 'xlsx', 'ndjson', 'parquet'])
        .default('csv'),
    )
    .option('--salida <archivo>', 'dónde queda; sin él, RFC_tipo_desde_hasta.zip en esta carpeta')
    .option('--sobrescribir', 'reemplaza el archivo si ya existe')
    .option('--continuar <solicitud_id>', 'retoma una solicitud ya hecha, sin otro cargo')
    .option('--json', 'cada avance y el resultado, en líneas de JSON')
    .action(async (opciones: Opciones) => {
      const { acuse, acceso } = await open();
      const rfc = rfcOf(acceso, opciones.rfc);
      const avance = createAvance(consola);
      const { salida, sobrescribir = false, json = false } = opciones;
      const archivoOf = ({ tipo, desde, hasta }: Pick<Solicitud, 'tipo' | 'desde' | 'hasta'>) =>
        salida ?? `${rfc}_${tipo}_${desde}_${hasta}.zip`;
      const { continuar, tipo, desde, hasta, formato } = opciones;
      if (continuar === undefined) {
        if (desde === undefined || hasta === undefined)
          throw new FalloOrden('ORDEN_INVALIDA', 'Faltan --desde y --hasta, o --continuar con una solicitud ya hecha.');
        // Before anything is charged.
        if (!sobrescribir) await refuseExisting(archivoOf({ tipo, desde, hasta }));
      } else if (salida !== undefined && !sobrescribir) await refuseExisting(salida);

      const interrupcion = consola.interrupcion();
      const peticion = { rfc, tipo, desde: desde ?? '', hasta: hasta ?? '', formato };
      const id = continuar ?? (await request(acuse, peticion, avance));
      try {
        const { solicitud } = await wait(acuse, id, { avance, consola, interrupcion, json });
        const ruta = archivoOf(solicitud);
        const guardado = await guardarPaquete(acuse, id, ruta, {
          ...{ sobrescribir, signal: interrupcion },
          ...(json ? {} : { alRecibir: avance.paquete }),
        });
        avance.end();
        const { registros, confianza, reembolsada } = solicitud;
        const { bytes, sha256 } = guardado;
        if (json) {
          print(
            consola,
            JSON.stringify({ solicitud_id: id, archivo: ruta, bytes, sha256, registros, confianza, reembolsada }),
          );
          return;
        }
        print(
          consola,
          `${ruta}: ${number.format(registros ?? 0)} CFDI, ${number.format(bytes)} bytes, SHA-256 ${sha256}`,
        );
        if (confianza === 'sin_confirmar')
          avance.say(
            'El SAT dijo que no hay ninguno y nada lo confirmó: se devolvió el crédito. Repita mañana si esperaba alguno.',
          );
      } catch (error) {
        avance.end();
        if (!interrupcion.aborted) throw error;
        throw new FalloOrden(
          'INTERRUMPIDA',
          `La solicitud queda en el servicio y no se vuelve a cobrar. Retómela con:\n  acuse descargar --continuar ${id}`,
        );
      }
    });
}

async function refuseExisting(archivo: string): Promise<void> {
  const isThere = await access(archivo).then(
    () => true,
    () => false,
  );
  if (!isThere) return;
  const texto = `Ya existe el archivo ${archivo}. Dé otro con --salida, o --sobrescribir. No se pidió ni se cobró nada.`;
  throw Object.assign(new Error(texto), { code: 'EEXIST' });
}

/** Makes the request. It is not interrupted: only its answer says under which id it goes on. */
async function request(acuse: Acuse, peticion: PeticionTaxDescargaMetadata, avance: Avance): Promise<string> {
  const { data } = await acuse.tax.descargaMetadata(peticion);
  const { solicitud_id, duplicada } = data;
  avance.say(
    duplicada === true
      ? `Solicitud ${solicitud_id}: ya estaba en curso, y no se cobra otra vez.`
      : `Solicitud ${solicitud_id}: hecha.`,
  );
  return solicitud_id;
}

interface Espera {
  readonly avance: Avance;
  readonly consola: Consola;
  readonly interrupcion: AbortSignal;
  readonly json: boolean;
}

function wait(acuse: Acuse, id: string, { avance, consola, interrupcion, json }: Espera) {
  let last = '';
  return acuse.esperar(id, {
    signal: interrupcion,
    alFallar: (error) => avance.say(`Sin respuesta; se pregunta otra vez. ${error.message}`),
    alAvanzar(solicitud) {
      if (!json) return avance.solicitud(solicitud);
      const { solicitud_id, estado, progreso, registros, motivo } = solicitud;
      const line = JSON.stringify({ solicitud_id, estado, progreso, registros, motivo });
      if (line !== last) print(consola, line);
      last = line;
    },
  });
}
