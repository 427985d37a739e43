import { createHash, verify } from 'node:crypto';
import { renderFirma, signedText } from '@acuse/core';
import { z } from 'zod';
import { AlteredZip } from './contenedor.ts';
import { createHallazgos, cuantos, type Hallazgos } from './hallazgos.ts';
import { type Medida, openZip, type Recibe } from './lector.ts';
import type { Llaves } from './llaves.ts';
import { createRegla, isEnSuLista } from './regla.ts';
import { CsvIlegible } from './renglones.ts';

const MAX_DOCUMENT = 67_108_864;
const MANIFEST = 'manifest.json';
const FIRMA = 'firma.json';

const entero = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const manifestSchema = z.object({
  version: z.literal(1),
  solicitud_id: z.string(),
  rfc: z.string(),
  tipo: z.string(),
  desde: z.string(),
  hasta: z.string(),
  entradas: z.array(z.object({ nombre: z.string(), bytes: entero, sha256 })),
  xml: z
    .object({ esperados: entero, entregados: entero, faltantes: entero, sin_metadata: entero.default(0) })
    .optional(),
});
type Manifest = z.output<typeof manifestSchema>;
const firmaSchema = z.object({
  kid: z.string().optional(),
  manifest_sha256: sha256,
  prefijo: z.object({ bytes: entero, sha256 }),
  firma: z.string().optional(),
});

/** `valida`: of a key of the list. The others leave open who made the package. */
export type EstadoFirma = 'valida' | 'invalida' | 'sin_firma' | 'llave_desconocida';

/** What a check found. */
export interface Informe {
  readonly paquete: Pick<Manifest, 'solicitud_id' | 'rfc' | 'tipo' | 'desde' | 'hasta'> | null;
  readonly firma: EstadoFirma;
  readonly kid: string | null;
  readonly revisado: readonly string[];
  readonly noRevisado: readonly string[];
  /** The first ones. */
  readonly diferencias: readonly string[];
  readonly totalDifferences: number;
}

/** Everything that was read of a package. */
interface Leido {
  /** Members that the manifest lists, in their order. */
  readonly otros: { readonly nombre: string; readonly medida: Medida }[];
  miembros: number;
  manifest: Buffer | null;
  firma: Buffer | null;
  /** All bytes before `firma.json`. */
  prefijo: Medida | null;
}

/**
 * Checks a package of the service, member by member. Memory grows with the number of XML, not with their size.
 * @throws Error of the system when the file cannot be read.
 */
export async function verificar(path: string, llaves: Llaves): Promise<Informe> {
  const hallazgos = createHallazgos();
  const regla = createRegla(hallazgos);
  const zip = openZip(path);
  try {
    const leido = await readAll(zip, regla, hallazgos);
    const manifest = readManifest(leido, hallazgos);
    const firma = checkFirma(leido, llaves, hallazgos);
    if (manifest !== null) {
      hallazgos.revisa('Contenido: cada archivo tiene el tamaño y el SHA-256 de su lista.', () => {
        compareEntradas(manifest, leido, hallazgos);
        regla.hashes();
      });
      if (manifest.xml !== undefined) {
        regla.end(manifest.xml);
        if (leido.firma === null) hallazgos.falla(`Falta ${FIRMA}, que todo paquete con XML tiene al final.`);
      }
    }
    return informe(manifest, firma, hallazgos);
  } catch (error) {
    if (!(error instanceof AlteredZip || error instanceof CsvIlegible)) throw error;
    hallazgos.falla(error.message);
    return informe(null, { estado: 'sin_firma', kid: null }, hallazgos);
  } finally {
    zip.close();
  }
}

const informe = (
  manifest: Manifest | null,
  { estado, kid }: { readonly estado: EstadoFirma; readonly kid: string | null },
  { revisado, noRevisado, diferencias, total }: Hallazgos,
): Informe => ({
  paquete: manifest && {
    solicitud_id: manifest.solicitud_id,
    rfc: manifest.rfc,
    tipo: manifest.tipo,
    desde: manifest.desde,
    hasta: manifest.hasta,
  },
  firma: estado,
  kid,
  revisado,
  noRevisado,
  diferencias,
  totalDifferences: total,
});

async function readAll(
  zip: ReturnType<typeof openZip>,
  regla: ReturnType<typeof createRegla>,
  { revisado }: Hallazgos,
): Promise<Leido> {
  const leido: Leido = { otros: [], miembros: 0, manifest: null, firma: null, prefijo: null };
  const readers: Readonly<Record<string, () => { push: Recibe; end: () => number }>> = {
    'metadata.csv': regla.metadata,
    'faltantes.csv': regla.faltantes,
    'sin-metadata.csv': regla.unknown,
    'entradas-cfdi.csv': regla.entradas,
  };
  for await (const { nombre, read } of zip.miembros()) {
    leido.miembros += 1;
    if (leido.firma !== null || (leido.manifest !== null && nombre !== FIRMA))
      throw new AlteredZip(`${nombre}: está después de ${leido.firma === null ? MANIFEST : FIRMA}.`);
    if (nombre === FIRMA) leido.prefijo = zip.prefijo();
    if (isEnSuLista(nombre)) regla.miembro(nombre, await read(() => {}));
    else if (nombre === MANIFEST || nombre === FIRMA) {
      const whole = await readWhole(nombre, read);
      if (nombre === MANIFEST) leido.manifest = whole;
      else leido.firma = whole;
    } else {
      const reader = Object.hasOwn(readers, nombre) ? readers[nombre]?.() : undefined;
      leido.otros.push({ nombre, medida: await readInto(nombre, read, reader) });
    }
  }
  revisado.push(
    `Contenedor: ${cuantos(leido.miembros)} archivos y ${cuantos(zip.bytes)} bytes, sin huecos ni bytes de más.`,
  );
  return leido;
}

async function readInto(
  nombre: string,
  read: (recibe: Recibe) => Promise<Medida>,
  reader: { push: Recibe; end: () => number } | undefined,
): Promise<Medida> {
  try {
    const medida = await read(reader?.push ?? (() => {}));
    reader?.end();
    return medida;
  } catch (error) {
    throw error instanceof CsvIlegible ? new CsvIlegible(`${nombre}: ${error.message}.`) : error;
  }
}

async function readWhole(nombre: string, read: (recibe: Recibe) => Promise<Medida>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await read((chunk) => {
    bytes += chunk.length;
    if (bytes > MAX_DOCUMENT) throw new AlteredZip(`${nombre}: es demasiado grande.`);
    chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}

function parse<T>(schema: z.ZodType<T>, bytes: Buffer): T | null {
  try {
    return schema.parse(JSON.parse(bytes.toString()));
  } catch {
    return null;
  }
}

function readManifest({ manifest }: Leido, { falla }: Hallazgos): Manifest | null {
  const read = manifest === null ? null : parse(manifestSchema, manifest);
  if (read === null) falla(manifest === null ? `Falta ${MANIFEST}.` : `${MANIFEST} no se puede leer.`);
  return read;
}

/** Each member has its entry in the manifest, in the same order. */
function compareEntradas({ entradas }: Manifest, { otros }: Leido, { falla }: Hallazgos): void {
  let at = 0;
  for (const { nombre, bytes, sha256: hash } of entradas) {
    const otro = otros[at];
    at += 1;
    if (otro?.nombre !== nombre) falla(`${nombre}: el manifiesto lo nombra y no está, o no en su lugar.`);
    else if (otro.medida.bytes !== bytes || otro.medida.sha256 !== hash)
      falla(`${nombre}: no es el que dice el manifiesto.`);
  }
  for (const { nombre } of otros.slice(at)) falla(`${nombre}: está en el ZIP y el manifiesto no lo nombra.`);
}

function checkFirma(
  { firma, manifest, prefijo }: Leido,
  llaves: Llaves,
  { falla, revisado }: Hallazgos,
): { readonly estado: EstadoFirma; readonly kid: string | null } {
  if (firma === null || manifest === null) return { estado: 'sin_firma', kid: null };
  const read = parse(firmaSchema, firma);
  const hechos = {
    manifestSha256: createHash('sha256').update(manifest).digest('hex'),
    prefijo: { bytes: prefijo?.bytes ?? 0, sha256: prefijo?.sha256 ?? '' },
  };
  const { kid, firma: base64 } = read ?? {};
  const signed = kid === undefined || base64 === undefined ? null : { kid, bytes: Buffer.from(base64, 'base64') };
  // The document follows from its facts: whatever else it says was put there by another hand.
  if (read === null || !firma.equals(renderFirma(hechos, signed ?? undefined))) {
    falla(`${FIRMA} no corresponde a los bytes del paquete: algo cambió después de hacerlo.`);
    return { estado: 'invalida', kid: kid ?? null };
  }
  revisado.push(`Sello: los ${cuantos(hechos.prefijo.bytes)} bytes anteriores a ${FIRMA} son los que se sellaron.`);
  if (signed === null) return { estado: 'sin_firma', kid: null };
  const key = llaves.get(signed.kid);
  if (key === undefined) return { estado: 'llave_desconocida', kid: signed.kid };
  if (!verify(null, Buffer.from(signedText(signed.kid, hechos)), key, signed.bytes)) {
    falla(`La firma no es de la llave ${signed.kid}.`);
    return { estado: 'invalida', kid: signed.kid };
  }
  revisado.push(`Firma: válida, de la llave ${signed.kid}.`);
  return { estado: 'valida', kid: signed.kid };
}
