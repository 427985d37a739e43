import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { createFactsReader, type Facts, XmlIlegible } from '@acuse/cfdi';
import type { CuentaXml, MotivoFaltante, ParteXml, PlanEnsamble, PlanXml } from '@acuse/core';
import type { ZipWriter } from '../assemble/zip-writer.ts';
import { toSegment } from '../keys.ts';
import { Meter } from '../meter.ts';
import type { ObjectStore } from '../object-store.ts';
import type { ZipEntry } from '../zip/read-directory.ts';
import { inflateEntry, type PaqueteLimits } from '../zip/sat-package.ts';
import { inflateMember, openXmlPackage } from '../zip/xml-package.ts';
import { KNOWN, type XmlIndex } from './xml-index.ts';

interface XmlDeps {
  readonly store: ObjectStore;
  readonly limits: PaqueteLimits;
  readonly level: number;
  readonly writer: ZipWriter;
  readonly signal: AbortSignal;
}

/** What one package of XML gave. */
export interface PaqueteXmlLeido {
  readonly objectKey: string;
  readonly paquete: string;
  readonly bytes: number;
  /** SHA-256 of the stored object, lower-case hex. */
  readonly sha256: string;
  /** Members that were taken for CFDI. */
  readonly miembros: number;
  readonly ignored: readonly string[];
  /** 1 for each member that is in `cfdi/`, in the order of their data. */
  readonly delivered: Uint8Array;
}

export interface ParteXmlLeida {
  readonly parte: ParteXml;
  readonly paquetes: readonly PaqueteXmlLeido[];
}

/** A member that is kept aside. */
interface KeptAside {
  /** Path in the ZIP. */
  readonly nombre: string;
  readonly motivo: string;
}

/** `yyyy-MM-ddTHH:mm:ss` of this century: what a path may be made of. */
const FECHA = /^20\d\d-(?:0[1-9]|1[0-2])-\d\dT\d\d:\d\d:\d\d/;
const NAMED_UUID = /(?:^|\/)([\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12})(?:\.xml)+$/i;
/** Bytes of a name that fits a segment of a path however it is written there. */
const MAX_NAME = 60;

/**
 * Copies the XML of packages of the SAT into a ZIP, joined to the rows of its metadata by `index`, which knows those
 * already. Each package is read by one stream, a member at a time.
 */
export class XmlDelivery {
  readonly partes: ParteXmlLeida[] = [];
  readonly keptAside: KeptAside[] = [];
  /** Lines of `entradas-cfdi.csv` about {@link keptAside}. */
  readonly lines: string[] = [];
  /** Rows of the metadata, each UUID once, and how many of them have their XML. */
  esperados = 0;
  entregados = 0;
  sinMetadata = 0;
  /** Members that say again, byte for byte, what another says. */
  repetidos = 0;
  /** Members that were asked for only because the SAT gives no less: their rows are left out, or they would be. */
  fuera = 0;
  readonly motivos = new Map<MotivoFaltante, number>();
  readonly index: XmlIndex;
  readonly #deps: XmlDeps;
  readonly #plan: PlanEnsamble;
  readonly #reader = createFactsReader();
  readonly #uuid = Buffer.alloc(36);
  readonly #names = new Set<string>();

  constructor(deps: XmlDeps, plan: PlanEnsamble, index: XmlIndex) {
    this.#deps = deps;
    this.#plan = plan;
    this.index = index;
  }

  /** Writes `cfdi/`, then `apartados/`. Throws `PaqueteSatInvalido` for a damaged package or member. */
  async write({ partes }: PlanXml): Promise<void> {
    let number = 0;
    const aside: (() => Promise<void>)[] = [];
    for (const parte of partes) {
      const paquetes: PaqueteXmlLeido[] = [];
      this.partes.push({ parte, paquetes });
      for (const { objectKey, paquete } of parte.paquetes) {
        const folder = `apartados/${String(++number).padStart(3, '0')}-${toSegment(paquete)}`;
        const byOffset = new Map<number, string>();
        paquetes.push(await this.#copy(objectKey, paquete, folder, byOffset));
        if (byOffset.size > 0) aside.push(() => this.#keepAside(objectKey, byOffset));
      }
    }
    for (const keep of aside) await keep();
  }

  /** Counts of the ZIP, once its metadata is written. Throws when they do not add up. */
  get cuenta(): CuentaXml {
    const porMotivo = Object.fromEntries(this.motivos);
    const faltantes = [...this.motivos.values()].reduce((sum, count) => sum + count, 0);
    const { esperados, entregados, sinMetadata } = this;
    if (esperados !== entregados + faltantes) {
      throw new Error(`${esperados} rows are not ${entregados} with XML and ${faltantes} without`);
    }
    return { esperados, entregados, faltantes, porMotivo, sinMetadata };
  }

  /** Writes the CFDI of a package; leaves the offsets of the members to be kept aside, with their paths, in `byOffset`. */
  async #copy(
    objectKey: string,
    paquete: string,
    folder: string,
    byOffset: Map<number, string>,
  ): Promise<PaqueteXmlLeido> {
    const { store, limits, signal } = this.#deps;
    const opened = await openXmlPackage(store, objectKey, limits, signal);
    const delivered = new Uint8Array(opened.members.length);
    const hash = createHash('sha256');
    for await (const [member, data, at] of opened.read(() => true, signal, hash)) {
      const before = this.entregados + this.sinMetadata;
      const motivo = data === null ? 'DEMASIADO_GRANDE' : await this.#deliver(member, data, objectKey);
      delivered[at] = this.entregados + this.sinMetadata - before;
      if (motivo === null) continue;
      const nombre = this.#nameFor(folder, member.name);
      this.keptAside.push({ nombre, motivo });
      byOffset.set(member.offset, nombre);
      const named = NAMED_UUID.exec(member.name)?.[1];
      if (named !== undefined && motivo !== 'UUID_REPETIDO') this.index.mark(this.#placeOf(named), KNOWN.unreadable);
    }
    const { bytes, members, ignored } = opened;
    return { objectKey, paquete, bytes, sha256: hash.digest('hex'), miembros: members.length, ignored, delivered };
  }

  /** Writes the member, unless there is a reason to leave it out; returns why it has to be kept aside, or null. */
  async #deliver(member: ZipEntry, data: Buffer, objectKey: string): Promise<string | null> {
    const { writer, level } = this.#deps;
    const { content, isDeflated } = inflateMember(member, data, objectKey);
    const facts = this.#factsIn(content);
    if (typeof facts === 'string') return facts;
    if (facts.version === '3.2') return 'VERSION_3_2';
    if (!FECHA.test(facts.fecha)) return 'FECHA_INVALIDA';
    const { index } = this;
    const place = this.#placeOf(facts.uuid);
    if (!this.#isWanted(place, facts)) {
      this.fuera++;
      return null;
    }
    const sha256 = createHash('sha256').update(content).digest();
    if (index.has(place, KNOWN.delivered)) {
      if (!index.isSame(place, sha256)) return 'UUID_REPETIDO';
      this.repetidos++;
      return null;
    }
    index.deliver(place, facts.fecha, content.length, sha256);
    if (index.has(place, KNOWN.row)) this.entregados++;
    else this.sinMetadata++;
    const deflated = isDeflated ? data : deflateRawSync(content, { level });
    await writer.addSmall(index.pathAt(place), deflated, { bytes: content.length, crc32: member.crc32 });
    return null;
  }

  /** The facts of a document, or the reason why there are none. */
  #factsIn(content: Buffer): Facts | string {
    try {
      this.#reader.write(content);
      return this.#reader.end();
    } catch (error) {
      if (error instanceof XmlIlegible) return error.motivo;
      throw error;
    }
  }

  #placeOf(uuid: string): number {
    this.#uuid.write(uuid, 'latin1');
    return this.index.placeOf(this.#uuid, 0);
  }

  /**
   * Whether the caller asked for the document: its row says so. Without a row, its own facts do; `estado` is in none of
   * them.
   */
  #isWanted(place: number, facts: Exclude<Facts, { version: '3.2' }>): boolean {
    if (this.index.has(place, KNOWN.row)) return true;
    if (this.index.has(place, KNOWN.leftOut)) return false;
    const { desde, hasta, tipo, filtros } = this.#plan;
    const day = facts.fecha.slice(0, 10);
    if (day < desde || day > hasta) return false;
    if (filtros?.tipo_comprobante !== undefined && filtros.tipo_comprobante !== facts.tipo) return false;
    const contraparte = tipo === 'recibidos' ? facts.rfcEmisor : facts.rfcReceptor;
    return filtros?.rfc_contraparte?.includes(contraparte) ?? true;
  }

  /** A path for a member that is kept aside, which no other has. */
  #nameFor(folder: string, name: string): string {
    const isLong = Buffer.byteLength(name) > MAX_NAME;
    const safe = isLong ? `${createHash('sha256').update(name).digest('hex')}.xml` : toSegment(name);
    const path = `${folder}/${safe}`;
    const nombre = this.#names.has(path.toLowerCase()) ? `${folder}/${this.#names.size}-${safe}` : path;
    this.#names.add(nombre.toLowerCase());
    return nombre;
  }

  /** Writes the members of a package that are kept aside, by one more stream. */
  async #keepAside(objectKey: string, byOffset: ReadonlyMap<number, string>): Promise<void> {
    const { store, limits, signal, writer, level } = this.#deps;
    const { read, directory, members } = await openXmlPackage(store, objectKey, limits, signal);
    for await (const [member, data] of read((index) => byOffset.has(members.at(index).offset), signal)) {
      const nombre = byOffset.get(member.offset) ?? '';
      if (data === null) {
        // Larger than may be held in memory: there are few of them, so that each has a read of its own.
        const start = await directory.locate(member);
        const range = { start, end: start + member.compressedBytes };
        const stored = store.read(objectKey, directory.stat.version, range, signal);
        const { bytes, sha256 } = await writer.add(nombre, inflateEntry(stored, { ...member, objectKey }));
        this.lines.push(`${nombre},${bytes},${sha256}\r\n`);
        continue;
      }
      const { content, isDeflated } = inflateMember(member, data, objectKey);
      const meter = new Meter();
      meter.update(content);
      const { bytes, sha256, crc32 } = meter.finish();
      await writer.addSmall(nombre, isDeflated ? data : deflateRawSync(content, { level }), { bytes, crc32 });
      this.lines.push(`${nombre},${bytes},${sha256}\r\n`);
    }
  }
}
