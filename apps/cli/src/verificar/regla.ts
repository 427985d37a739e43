import { cuantos, type Hallazgos } from './hallazgos.ts';
import type { Medida } from './lector.ts';
import { createRenglones } from './renglones.ts';

/** Folders whose members `entradas-cfdi.csv` lists: XML of CFDI, and members of the SAT's packages that are none. */
const CFDI = 'cfdi/';
const EN_SU_LISTA = [CFDI, 'apartados/'];
export const isEnSuLista = (nombre: string): boolean => EN_SU_LISTA.some((folder) => nombre.startsWith(folder));

/** Counts of a package with XML, as its manifest has them. */
export interface CuentaManifest {
  readonly esperados: number;
  readonly entregados: number;
  readonly faltantes: number;
  readonly sin_metadata: number;
}

/** A slice of a text would keep the whole of it in memory. */
const copyOf = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');
const upperCase = (uuid: string | undefined) => (uuid ?? '').toUpperCase();

/**
 * The XML of a package: their hashes against `entradas-cfdi.csv`, and the rule that each row of the metadata has its XML
 * or stands in `faltantes.csv`. Holds a path and a hash for each XML.
 */
export function createRegla({ falla, revisa, omitio }: Hallazgos) {
  /** By name: `sha256 bytes`; empty once `entradas-cfdi.csv` agreed. */
  const miembros = new Map<string, string>();
  const promised = new Set<string>();
  const sinXml = new Set<string>();
  const faltantes = new Set<string>();
  const unknown = new Set<string>();
  let renglonesFaltantes = 0;
  let entregados = 0;
  let hasMetadata = false;

  return {
    miembro(nombre: string, { bytes, sha256 }: Medida): void {
      if (miembros.has(nombre)) falla(`${nombre}: está dos veces.`);
      miembros.set(nombre, `${sha256} ${bytes}`);
      if (nombre.startsWith(CFDI)) entregados += 1;
    },

    /** Reader of `metadata.csv`. */
    metadata() {
      hasMetadata = true;
      return createRenglones(['uuid', 'xml'], ({ uuid, xml }) => {
        const folio = upperCase(uuid);
        if (xml === undefined || xml === '') {
          sinXml.add(folio);
          return;
        }
        if (!xml.toUpperCase().endsWith(`/${folio}.XML`)) falla(`${folio}: la metadata lo manda a ${xml}.`);
        promised.add(copyOf(xml));
      });
    },

    /** Reader of `faltantes.csv`. */
    faltantes: () =>
      createRenglones(['uuid'], ({ uuid }) => {
        renglonesFaltantes += 1;
        faltantes.add(upperCase(uuid));
      }),

    /** Reader of `sin-metadata.csv`. */
    unknown: () => createRenglones(['xml'], ({ xml = '' }) => void unknown.add(copyOf(xml))),

    /** Reader of `entradas-cfdi.csv`, which stands behind the XML. */
    entradas: () =>
      createRenglones(['nombre', 'bytes', 'sha256'], ({ nombre = '', bytes, sha256 }) => {
        if (miembros.get(nombre) === `${sha256} ${bytes}`) miembros.set(nombre, '');
        else falla(`${nombre}: no es el que dice entradas-cfdi.csv.`);
      }),

    /** Every XML has to be in `entradas-cfdi.csv`. */
    hashes(): void {
      for (const [nombre, medida] of miembros) if (medida !== '') falla(`${nombre}: ninguna lista tiene su SHA-256.`);
    },

    /** Compares counts and UUID, when all members are read. */
    end(cuenta: CuentaManifest): void {
      const { esperados, entregados, faltantes: deben } = cuenta;
      const suma = `${cuantos(esperados)} esperados = ${cuantos(entregados)} entregados + ${cuantos(deben)} faltantes`;
      revisa(`Cuentas: ${suma}.`, () => checkCuentas(cuenta));
      if (!hasMetadata) omitio('La regla por UUID solo se revisa con metadata.csv. Las cuentas sí se revisaron.');
      else revisa('Regla: cada UUID de la metadata tiene su XML o está en faltantes.csv.', () => checkUuid(cuenta));
    },
  };

  function checkCuentas({
    esperados,
    entregados: delivered,
    faltantes: deben,
    sin_metadata: sin,
  }: CuentaManifest): void {
    if (esperados !== delivered + deben)
      falla(`El manifiesto no cuadra: ${esperados} esperados no son ${delivered} entregados más ${deben} faltantes.`);
    if (entregados !== delivered + sin)
      falla(`Hay ${entregados} XML y el manifiesto dice ${delivered} entregados y ${sin} sin metadata.`);
    if (renglonesFaltantes !== deben || faltantes.size !== deben)
      falla(`faltantes.csv tiene ${renglonesFaltantes} renglones y el manifiesto dice ${deben}.`);
    if (unknown.size !== sin) falla(`sin-metadata.csv tiene ${unknown.size} renglones y el manifiesto dice ${sin}.`);
  }

  function checkUuid({ esperados }: CuentaManifest): void {
    // A UUID that the metadata repeats counts once.
    const unicos = promised.size + sinXml.size;
    if (unicos !== esperados) falla(`metadata.csv tiene ${unicos} UUID y el manifiesto dice ${esperados}.`);
    for (const nombre of promised) if (!miembros.has(nombre)) falla(`${nombre}: la metadata lo nombra y no está.`);
    for (const uuid of sinXml) if (!faltantes.has(uuid)) falla(`${uuid}: no tiene XML ni está en faltantes.csv.`);
    for (const uuid of faltantes)
      if (!sinXml.has(uuid)) falla(`${uuid}: está en faltantes.csv y la metadata no lo da por faltante.`);
    for (const nombre of miembros.keys())
      if (nombre.startsWith(CFDI) && promised.has(nombre) === unknown.has(nombre))
        falla(`${nombre}: no está en una de las dos listas, la metadata y sin-metadata.csv.`);
  }
}
