import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ZipArchive } from 'archiver';
import type { Settings } from './settings.ts';
import type { Row } from './taxpayers/row.ts';

/** What a package holds; the same values always give the same entries. */
type PackageContent = {
  /** Id of the package: request id and `_01`. */
  id: string;
  /** Rows made one by one, which no package keeps. */
  rows: () => Iterable<Row>;
  /** Junk entries (`__MACOSX/`, an empty file, `other.txt`); default: in every third package, by its id. */
  basura?: boolean | null | undefined;
  /** Instant written in the ZIP's entries. */
  fecha: Date;
};

const HEADER =
  'Uuid~RfcEmisor~NombreEmisor~RfcReceptor~NombreReceptor~RfcPac~FechaEmision~FechaCertificacionSat~Monto~EfectoComprobante~Estatus~FechaCancelacion';
const THIRD_PARTY_HEADER = 'Uuid~RfcACuentaTerceros~NombreACuentaTerceros';
const EOL = '\r\n';
const ROWS_A_CHUNK = 1000;
/** Of the lines that wait; smaller buffers would hold on to others that Node cuts from the same memory. */
const CHUNK_CHARACTERS = 65_536;

/**
 * ZIP of a metadata package as a stream: `<id>.txt` with 12 columns and `<id>_tercero.txt` (UTF-8, `~` between fields,
 * CRLF at the end of a line; a name may hold a lone LF). Rows are made once: of the whole package only the lines of
 * third parties wait in memory, 3 MB of a million rows.
 */
export function createMetadataZip(content: PackageContent): Readable {
  return zip(content, function* (): Iterable<[string, Iterable<Buffer>]> {
    const terceros = [Buffer.from(THIRD_PARTY_HEADER + EOL)];
    yield [`${content.id}.txt`, metadataText(content.rows(), terceros)];
    yield [`${content.id}_tercero.txt`, terceros];
  });
}

type Paquetes = Settings['paquetes_xml'];

const AWKWARD = ['perdido', 'doble', 'renombrado'] as const;

/**
 * ZIP of a CFDI package as a stream: one `<uuid>.xml` a row in lower case, every 25th `.xml.xml` as the SAT has it.
 * `perdido` loses the XML of the first row, `doble` writes it twice, `renombrado` names it by another UUID,
 * `mayusculas` writes all names in capitals; `todo` does each of the three to one row, and the capitals.
 */
export function createCfdiZip(
  content: PackageContent,
  xmlOf: (row: Row) => string,
  paquetes: Paquetes = 'normales',
): Readable {
  const awkward = AWKWARD.filter((each) => paquetes === each || paquetes === 'todo');
  const isUpper = paquetes === 'mayusculas' || paquetes === 'todo';
  return zip(content, function* (): Iterable<[string, Iterable<Buffer>]> {
    let n = 0;
    for (const row of content.rows()) {
      const names = namesOf(isUpper ? row.uuid : row.uuid.toLowerCase(), awkward[n]);
      n += 1;
      for (const name of names) yield [`${name}.xml${n % 25 === 0 ? '.xml' : ''}`, [Buffer.from(xmlOf(row))]];
    }
  });
}

function namesOf(uuid: string, awkward: (typeof AWKWARD)[number] | undefined): readonly string[] {
  if (awkward === 'perdido') return [];
  if (awkward === 'renombrado') return [uuid.slice(-8) + uuid.slice(8)];
  return awkward === 'doble' ? [uuid, `${uuid}-1`] : [uuid];
}

function zip(content: PackageContent, entries: () => Iterable<[string, Iterable<Buffer>]>): Readable {
  const archive = new ZipArchive({ zlib: { level: 1, chunkSize: 131_072 } });
  let entry: Readable | undefined;
  const append = async (name: string, source: Iterable<Buffer>) => {
    const written = once(archive, 'entry');
    entry = Readable.from(source, { highWaterMark: 2 });
    archive.append(entry, { name, date: content.fecha });
    await written;
  };
  const fill = async () => {
    if (hasJunk(content)) {
      await append(`__MACOSX/._${content.id}.txt`, [Buffer.from('\u0000\u0005\u0016\u0007')]);
      await append('vacio.txt', []);
    }
    for (const [name, source] of entries()) await append(name, source);
    if (hasJunk(content)) await append('other.txt', [Buffer.from('no es parte del paquete\n')]);
    await archive.finalize();
  };
  fill().catch((error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))));
  // The archive does not stop its source when it is destroyed itself.
  return Readable.from(archive).once('close', () => entry?.destroy());
}

function hasJunk({ id, basura }: PackageContent): boolean {
  return basura ?? createHash('sha1').update(id).digest().readUInt8(0) % 3 === 0;
}

/** The metadata in pieces; the lines of its third parties are added to `terceros`. */
function* metadataText(rows: Iterable<Row>, terceros: Buffer[]): Iterable<Buffer> {
  let text = HEADER + EOL;
  let thirdParties = '';
  let held = 0;
  for (const row of rows) {
    text += metadataLine(row);
    if (row.tercero) thirdParties += thirdPartyLine(row.tercero);
    if (++held < ROWS_A_CHUNK) continue;
    yield Buffer.from(text);
    text = '';
    held = 0;
    if (thirdParties.length < CHUNK_CHARACTERS) continue;
    terceros.push(Buffer.from(thirdParties));
    thirdParties = '';
  }
  if (text !== '') yield Buffer.from(text);
  if (thirdParties !== '') terceros.push(Buffer.from(thirdParties));
}

function metadataLine(row: Row): string {
  const estatus = row.estatus === 'Vigente' ? '1' : '0';
  return `${row.uuid}~${row.rfcEmisor}~${row.nombreEmisor}~${row.rfcReceptor}~${row.nombreReceptor}~${row.rfcPac}~${row.fechaEmision}~${row.fechaCertificacionSat}~${row.monto}~${row.efecto}~${estatus}~${row.fechaCancelacion}${EOL}`;
}

function thirdPartyLine({ uuid, rfc, nombre }: NonNullable<Row['tercero']>): string {
  return `${uuid}~${rfc}~${nombre}${EOL}`;
}
