import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FalloOrden } from '@acuse/roles/client';
import type { Acuse, AcuseError, Solicitud } from '@acuse/sdk';
import { guardarPaquete } from '@acuse/sdk/node';
import { z } from 'zod';
import { wordsOf } from '../cliente/avance.ts';
import { objectOf } from './esquemas.ts';
import type { Args, Herramienta, Llamada } from './herramienta.ts';
import { bounded } from './medida.ts';

/** Seconds that one call waits: below the minute after which most assistants give a call up. */
const ESPERA = { usual: 45, most: 600 };
/** What the bar moves at a look that found nothing new: the protocol wants each report above the last one. */
const STEP = 0.01;

// A name of a file is made of it.
const solicitudId = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)
  .describe('La solicitud, como la dio tax_descarga_metadata o descarga_listar.');
const esperaArgs = z.strictObject({
  solicitud_id: solicitudId,
  segundos: z
    .int()
    .min(1)
    .max(ESPERA.most)
    .default(ESPERA.usual)
    .describe('Cuánto esperar a lo más en esta llamada, de 1 a 600; puede repetirse.'),
});
const guardarArgs = z.strictObject({ solicitud_id: solicitudId });

/** @throws FalloOrden that says what the tool takes. */
function read<T extends z.ZodObject>(schema: T, args: Args): z.output<T> {
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys : issue.path.map(String),
  );
  const takes = Object.entries(schema.shape).map(([name, { description }]) => `${name}: ${description}`);
  const names = [...new Set(wrong)].map((each) => `«${each.slice(0, 40)}»`).join(', ');
  throw new FalloOrden('ORDEN_INVALIDA', `No se hizo nada: no sirve ${names}. Recibe ${takes.join(' ')}`);
}

const inputOf = (schema: z.ZodObject) => {
  const { $schema: _, ...own } = z.toJSONSchema(schema, { io: 'input' });
  return { ...own, type: 'object' as const, properties: own.properties as Record<string, object> };
};

const text = (description: string) => ({ type: 'string', description });
const integer = (description: string) => ({ type: ['integer', 'null'], description });

/** Waits for a request that was made before, for as long as one call may take. */
function esperarOf(acuse: Acuse): Herramienta {
  const title = 'Esperar una descarga';

  async function wait(id: string, segundos: number, { signal, avisar }: Llamada): Promise<Solicitud> {
    const late = new AbortController();
    const look: { last: Solicitud | null; failed: AcuseError | null } = { last: null, failed: null };
    let [isLate, told] = [false, 0];
    // At least one look is made, however little time there is.
    const stopWhenLate = () => {
      if (isLate && (look.last !== null || look.failed !== null)) late.abort();
    };
    const timer = setTimeout(() => {
      isLate = true;
      stopWhenLate();
    }, segundos * 1_000);
    try {
      const { solicitud } = await acuse.esperar(id, {
        signal: AbortSignal.any([signal, late.signal]),
        alAvanzar(solicitud) {
          told = Math.max(100 * solicitud.progreso, told + (look.last === null ? 0 : STEP));
          look.last = solicitud;
          avisar(told, 100, wordsOf(solicitud).join(', '));
          stopWhenLate();
        },
        alFallar(error) {
          look.failed = error;
          stopWhenLate();
        },
      });
      return solicitud;
    } catch (error) {
      if (signal.aborted || !late.signal.aborted) throw error;
      if (look.last === null) throw look.failed ?? error;
      return look.last;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    tool: {
      name: 'descarga_esperar',
      title,
      description: `${title}: pregunta cómo va una solicitud hasta que termine o se acabe el tiempo dado, avisando de su avance. El SAT tarda de segundos a días: si terminada es false, repita más tarde o deje que la persona vuelva después; la solicitud sigue. Sin costo.`,
      inputSchema: inputOf(esperaArgs),
      outputSchema: objectOf({
        terminada: { type: 'boolean', description: 'Si ya hay paquete: guárdelo con descarga_guardar.' },
        solicitud: { type: 'object', description: 'La solicitud, como la da descarga_verificar.' },
      }),
      annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    async run(args, llamada) {
      const { solicitud_id, segundos } = read(esperaArgs, args);
      const solicitud = await wait(solicitud_id, segundos, llamada);
      return { terminada: solicitud.terminada_en !== null, solicitud: bounded(solicitud, () => {}) };
    },
  };
}

async function sha256Of(ruta: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(ruta), hash);
  return hash.digest('hex');
}

/** The path of a package: nothing that was said in the conversation leads out of the folder, or names another file. */
function pathOf(carpeta: string, { solicitud_id, tipo, desde, hasta }: Solicitud): string {
  const words = [tipo, desde, hasta, solicitud_id].map((each) => each.replace(/[^A-Za-z0-9-]/g, ''));
  return join(carpeta, `${words.join('_')}.zip`);
}

/** Stores the package of a request in the folder of the settings. */
function guardarOf(acuse: Acuse, carpeta: string): Herramienta {
  const title = 'Guardar el ZIP de una descarga';
  return {
    tool: {
      name: 'descarga_guardar',
      title,
      description: `${title} en la carpeta que fijó la persona, comprobado por su SHA-256, y decir dónde quedó. Su contenido no pasa por la conversación. Antes debe haber terminado: descarga_esperar. Sin costo; repetirlo no lo descarga dos veces.`,
      inputSchema: inputOf(guardarArgs),
      outputSchema: objectOf({
        archivo: text('Ruta del ZIP en el equipo de la persona.'),
        bytes: integer('Tamaño.'),
        sha256: text('SHA-256 del ZIP, en hexadecimal.'),
        registros: integer('Cuántos CFDI trae.'),
        xml: {
          type: 'object',
          description:
            'Con contenido xml: esperados, entregados y faltantes, estos por_motivo; faltantes.csv, en el ZIP, los nombra.',
        },
        formato: text('En qué vienen.'),
        confianza: { type: ['string', 'null'], description: 'confirmado, o sin_confirmar.' },
        reembolsada: { type: 'boolean', description: 'Si el crédito se devolvió.' },
      }),
      annotations: { title, readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    async run(args, { signal, avisar }) {
      const { solicitud_id } = read(guardarArgs, args);
      const { data: paquete } = await acuse.descarga.paquete({ solicitud_id }, { signal });
      const { data: solicitud } = await acuse.descarga.verificar({ solicitud_id }, { signal });
      const archivo = pathOf(carpeta, solicitud);
      const isThere = await access(archivo).then(
        () => true,
        () => false,
      );
      if (!isThere) await store(solicitud_id, archivo, { signal, avisar });
      else if ((await sha256Of(archivo)) !== paquete.sha256)
        throw new FalloOrden(
          'ARCHIVO_DISTINTO',
          `Ya hay un archivo ${archivo}, y no es este paquete. La persona debe moverlo o borrarlo; después repita.`,
        );
      const { registros, formato, confianza, reembolsada, xml } = solicitud;
      const { bytes, sha256 } = paquete;
      return { archivo, bytes, sha256, registros, formato, confianza, reembolsada, ...(xml ? { xml } : {}) };
    },
  };

  async function store(id: string, archivo: string, { signal, avisar }: Llamada) {
    let told = -1;
    await guardarPaquete(acuse, id, archivo, {
      signal,
      alRecibir(recibidos, total) {
        // Each percent once: a large file comes in a hundred thousand pieces.
        const percent = Math.floor((100 * recibidos) / total);
        if (percent > told) avisar(percent, 100, `${recibidos} de ${total} bytes`);
        told = percent;
      },
    });
  }
}

/** The way of a download after it was asked for; without a folder nothing is stored. */
export const descargas = (acuse: Acuse, carpeta: string | null): Herramienta[] => [
  esperarOf(acuse),
  ...(carpeta === null ? [] : [guardarOf(acuse, carpeta)]),
];
