import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { createFactsReader, type Facts, XmlIlegible } from '@acuse/cfdi';
import type { CuentaXml, MotivoFaltante, ParteXml, PlanEnsamble, PlanXml } from '@acuse/core';
import type { EntryWritten, ZipWriter } from '../assemble/zip-writer.ts';
import { toSegment } from '../keys.ts';
import type { ObjectStore } from '../object-store.ts';
import type { ZipEntry } from '../zip/read-directory.ts';
import { inflateEntry, type PaqueteLimits } from '../zip/sat-package.ts';
import { type Inflated, inflateMember, openXmlPackage } from '../zip/xml-package.ts';
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
  /** For each member in the order of their data: bits of the tables that may have rows of it; 0 outside of `cfdi/`. */
  readonly tables: Uint8Array;
}

export interface ParteXmlLeida {
  readonly parte: ParteXml;
  readonly paquetes: readonly PaqueteXmlLeido[];
}

/** A member that is kept aside. */
interface KeptAside extends Pick<EntryWritten, 'nombre' | 'bytes' | 'sha256'> {
  readonly motivo: string;
}

type Cfdi = Exclude<Facts, { version: '3.2' }>;

/** `yyyy-MM-ddTHH:mm:ss` of this century: what a path may be made of. */
const FECHA = /^20\d\d-(?:0[1-9]|1[0-2])-\d\dT\d\d:\d\d:\d\d/;
const NAMED_UUID = /(?:^|\/)([\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12})(?:\.xml)+$/i;
const ALL_TABLES = 0xff;
/** Bytes of a name that fits a segment of a path however it is written there. */
const MAX_NAME = 60;

/**
 * Copies the XML of packages of the SAT into a ZIP, joined to the rows of its metadata by `index`, which knows those
 * already. Each package is read by one stream, a member at a time.
 */
export class XmlDelivery {
  readonly partes: ParteXmlLeida[] = [];
  readonly keptAside: KeptAside[] = [];
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

  /** Writes `cfdi/` and `apartados/`. Throws `PaqueteSatInvalido` for a damaged package or member. */
  async write({ partes }: PlanXml): Promise<void> {
    let number = 0;
    for (const parte of partes) {
      const paquetes: PaqueteXmlLeido[] = [];
      this.partes.push({ parte, paquetes });
      for (const { objectKey, paquete } of parte.paquetes) {
        const folder = `apartados/${String(++number).padStart(3, '0')}-${toSegment(paquete)}`;
        paquetes.push(await this.#copy(objectKey, paquete, folder));
      }
    }
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

  /** Writes the CFDI of a package, and its other members to `folder`. */
  async #copy(objectKey: string, paquete: string, folder: string): Promise<PaqueteXmlLeido> {
    const { store, limits, signal, writer } = this.#deps;
    const { directory, members, ignored, bytes, read } = await openXmlPackage(store, objectKey, limits, signal);
    const tables = new Uint8Array(members.length);
    const hash = createHash('sha256');
    for await (const [member, data, at] of read(() => true, signal, hash)) {
      if (data !== null) {
        if (await this.#deliver(member, inflateMember(member, data, objectKey), folder)) tables[at] = ALL_TABLES;
        continue;
      }
      // Larger than may be held in memory: it has a read of its own.
      const start = await directory.locate(member);
      const range = { start, end: start + member.compressedBytes };
      const content = store.read(objectKey, directory.stat.version, range, signal);
      const nombre = this.#nameAside(folder, member.name);
      const written = await writer.add(nombre, inflateEntry(content, { ...member, objectKey }));
      this.keptAside.push({ ...written, motivo: 'DEMASIADO_GRANDE' });
      this.#markUnreadable(NAMED_UUID.exec(member.name)?.[1]);
    }
    return { objectKey, paquete, bytes, sha256: hash.digest('hex'), miembros: members.length, ignored, tables };
  }

  /** Writes the member to `cfdi/`, to `folder`, or nowhere; returns whether it is in `cfdi/`. */
  async #deliver({ name, crc32 }: ZipEntry, { content, deflated }: Inflated, folder: string): Promise<boolean> {
    const { index } = this;
    const { writer, level } = this.#deps;
    const bytes = content.length;
    const add = (nombre: string) =>
      writer.addSmall(nombre, deflated ?? deflateRawSync(content, { level }), { bytes, crc32 });
    const keepAside = async (motivo: string) => {
      const nombre = this.#nameAside(folder, name);
      this.keptAside.push({ nombre, bytes, sha256: createHash('sha256').update(content).digest('hex'), motivo });
      await add(nombre);
      return false;
    };
    const facts = this.#factsIn(content, name);
    if (typeof facts === 'string') return keepAside(facts);
    const place = this.#placeOf(facts.uuid);
    if (!this.#isWanted(place, facts)) {
      this.fuera++;
      return false;
    }
    const sha256 = createHash('sha256').update(content).digest();
    if (index.has(place, KNOWN.delivered)) {
      if (!index.isSame(place, sha256)) return keepAside('UUID_REPETIDO');
      this.repetidos++;
      return false;
    }
    index.deliver(place, facts.fecha, bytes, sha256);
    if (index.has(place, KNOWN.row)) this.entregados++;
    else this.sinMetadata++;
    await add(index.pathAt(place));
    return true;
  }

  /** The facts of a CFDI that can be delivered, or the reason why it cannot; its UUID is then marked as unreadable. */
  #factsIn(content: Buffer, name: string): Cfdi | string {
    let motivo = 'VERSION_3_2';
    let uuid = NAMED_UUID.exec(name)?.[1];
    try {
      this.#reader.write(content);
      const facts = this.#reader.end();
      if (facts.version !== '3.2') {
        if (FECHA.test(facts.fecha)) return facts;
        motivo = 'FECHA_INVALIDA';
        uuid = facts.uuid;
      }
    } catch (error) {
      if (!(error instanceof XmlIlegible)) throw error;
      motivo = error.motivo;
    }
    this.#markUnreadable(uuid);
    return motivo;
  }

  #markUnreadable(uuid: string | undefined): void {
    if (uuid !== undefined) this.index.mark(this.#placeOf(uuid), KNOWN.unreadable);
  }

  #placeOf(uuid: string): number {
    this.#uuid.write(uuid, 'latin1');
    return this.index.placeOf(this.#uuid, 0);
  }

  /**
   * Whether the caller asked for the document: its row says so. Without a row, its own facts do; `estado` is in none of
   * them.
   */
  #isWanted(place: number, facts: Cfdi): boolean {
    if (this.index.has(place, KNOWN.row)) return true;
    if (this.index.has(place, KNOWN.leftOut)) return false;
    const { desde, hasta, tipo, filtros } = this.#plan;
    const day = facts.fecha.slice(0, 10);
    if (day < desde || day > hasta) return false;
    if (filtros?.tipo_comprobante !== undefined && filtros.tipo_comprobante !== facts.tipo) return false;
    const contraparte = tipo === 'recibidos' ? facts.rfcEmisor : facts.rfcReceptor;
    return filtros?.rfc_contraparte?.includes(contraparte) ?? true;
  }

  /** A path for a member that is kept aside, which no other has: names themselves hold no slash. */
  #nameAside(folder: string, name: string): string {
    const isLong = Buffer.byteLength(name) > MAX_NAME;
    const safe = isLong ? `${createHash('sha256').update(name).digest('hex')}.xml` : toSegment(name);
    const path = `${folder}/${safe}`;
    const nombre = this.#names.has(path.toLowerCase()) ? `${folder}/${this.#names.size}/${safe}` : path;
    this.#names.add(nombre.toLowerCase());
    return nombre;
  }
}
