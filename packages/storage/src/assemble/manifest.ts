import type { Confianza, ParteLista, PlanEnsamble, ResumenPaquete } from '@acuse/core';
import { describeColumns, type Formato, metadataLayout } from '../formats/columns.ts';
import type { XmlDelivery } from '../xml/deliver-xml.ts';
import type { TableWritten } from '../xml/write-tables.ts';
import type { EntryWritten } from './zip-writer.ts';

/** Raised when a field changes its meaning or goes away; new fields do not raise it. */
const MANIFEST_VERSION = 1;

/** What reading one package of the SAT gave. */
export interface PaqueteLeido {
  readonly paquete: string;
  /** Rows of it in the metadata. */
  registros: number;
  /** Rows left out because their fecha_emision is outside of the period of the part. */
  fueraDePeriodo: number;
  /** Rows left out because the filters of the request do not let them pass. */
  filtrados: number;
  /** Records in its file of third parties. */
  terceros: number;
  extraColumns: readonly string[];
  ignoredEntries: readonly string[];
}

export interface ParteLeida {
  readonly parte: ParteLista;
  readonly paquetes: readonly PaqueteLeido[];
}

const hasRows = ({ paquetes }: ParteLeida) =>
  paquetes.some(({ registros, fueraDePeriodo, filtrados }) => registros + fueraDePeriodo + filtrados > 0);

const confianzaDeParte = (parte: ParteLeida): Confianza =>
  hasRows(parte) || parte.parte.confirmada ? 'confirmado' : 'sin_confirmar';

/** Rows anywhere show that the SAT answered; without any, every part has to be confirmed. */
export const confianzaDe = (partes: readonly ParteLeida[]): Confianza =>
  partes.some(hasRows) || partes.every((parte) => parte.parte.confirmada) ? 'confirmado' : 'sin_confirmar';

/**
 * `manifest.json`: the request, the answer of the SAT, and the content of the ZIP. Same plan and packages, same text.
 */
export function renderManifest(
  plan: PlanEnsamble,
  partes: readonly ParteLeida[],
  written: {
    readonly resumen: ResumenPaquete;
    /** Those of `entries` that hold the rows. */
    readonly metadata: readonly EntryWritten[];
    readonly incomplete: Readonly<Record<string, number>>;
    readonly entries: readonly EntryWritten[];
    readonly xml: XmlDelivery | null;
    readonly tables: readonly TableWritten[];
  },
): Buffer {
  const { resumen, metadata, incomplete, entries, xml, tables } = written;
  const paquetes = partes.flatMap((parte) => parte.paquetes);
  const manifest = {
    version: MANIFEST_VERSION,
    solicitud_id: plan.solicitudId,
    rfc: plan.rfc,
    tipo: plan.tipo,
    desde: plan.desde,
    hasta: plan.hasta,
    ...(xml === null ? {} : { contenido: 'xml' }),
    formato: plan.formato,
    ...(plan.filtros ? { filtros: plan.filtros } : {}),
    archivos: metadata.map(({ nombre }) => nombre),
    columnas: describeColumns(plan.formato, metadataLayout(xml !== null)),
    valores_incompletos: incomplete,
    registros: paquetes.reduce((sum, { registros }) => sum + registros, 0),
    confianza: confianzaDe(partes),
    registros_fuera_de_periodo: paquetes.reduce((sum, { fueraDePeriodo }) => sum + fueraDePeriodo, 0),
    ...(plan.filtros ? { registros_filtrados: paquetes.reduce((sum, each) => sum + each.filtrados, 0) } : {}),
    resumen: { por_efecto: resumen.porEfecto, por_mes: resumen.porMes, cancelados: resumen.cancelados },
    partes: partes.map(({ parte, paquetes: leidos }) => ({
      confianza: confianzaDeParte({ parte, paquetes: leidos }),
      canal: parte.canal,
      folio: parte.folio,
      inicio: parte.periodo.inicio,
      fin: parte.periodo.fin,
      recortada: parte.recortar,
      paquetes: leidos.map((leido) => ({
        paquete: leido.paquete,
        registros: leido.registros,
        fuera_de_periodo: leido.fueraDePeriodo,
        registros_de_terceros: leido.terceros,
        columnas_adicionales: leido.extraColumns,
        entradas_ignoradas: leido.ignoredEntries,
      })),
    })),
    ...(xml === null ? {} : describeXml(xml)),
    ...(tables.length === 0 ? {} : describeTables(plan.formato, tables)),
    entradas: entries.map(({ nombre, bytes, sha256 }) => ({ nombre, bytes, sha256 })),
  };
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
}

/** Names of a list in the manifest: a hostile package may have a million. */
const MAX_NAMES = 1_000;

const REGLA =
  'esperados = entregados + faltantes: cada UUID de la metadata tiene su XML en cfdi/ o su motivo en faltantes.csv, y nunca las dos cosas. Si la metadata repite un UUID, cuenta una vez.';

/** The fields of a ZIP with XML. */
function describeXml(xml: XmlDelivery): object {
  const { esperados, entregados, faltantes, porMotivo, sinMetadata } = xml.cuenta;
  return {
    xml: {
      regla: REGLA,
      esperados,
      entregados,
      faltantes,
      por_motivo: porMotivo,
      sin_metadata: sinMetadata,
      repetidos: xml.repetidos,
      fuera_de_lo_pedido: xml.fuera,
      apartados_total: xml.keptAside.length,
      apartados: xml.keptAside.slice(0, MAX_NAMES).map(({ nombre, motivo }) => ({ nombre, motivo })),
    },
    partes_xml: xml.partes.map(({ parte, paquetes }) => ({
      canal: parte.canal,
      folio: parte.folio,
      inicio: parte.periodo.inicio,
      fin: parte.periodo.fin,
      motivo: parte.motivo,
      paquetes: paquetes.map(({ paquete, sha256, bytes, miembros, ignored }) => ({
        paquete,
        sha256,
        bytes,
        miembros,
        entradas_ignoradas_total: ignored.length,
        entradas_ignoradas: ignored.slice(0, MAX_NAMES),
      })),
    })),
  };
}

const NOMINA = 'Los recibos de nómina no están en las tablas, porque son datos personales de los trabajadores.';

function describeTables(formato: Formato, tables: readonly TableWritten[]): object {
  return {
    tablas: tables.map(({ table, layout, entries, filas, omitidos, incomplete }) => ({
      tabla: table,
      archivos: entries.map(({ nombre }) => nombre),
      filas,
      cfdi_omitidos: omitidos,
      columnas: describeColumns(formato, layout),
      valores_incompletos: incomplete,
    })),
    tablas_sin_nomina: NOMINA,
  };
}
