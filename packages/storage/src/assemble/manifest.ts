import type { Confianza, ParteLista, PlanEnsamble, ResumenPaquete } from '@acuse/core';
import type { EntryWritten } from './zip-writer.ts';

/** Raised when a field changes its meaning or goes away; new fields do not raise it. */
const MANIFEST_VERSION = 1;

/** What reading one package of the SAT gave. */
export interface PaqueteLeido {
  readonly paquete: string;
  /** Rows of it in `metadata.csv`. */
  registros: number;
  /** Rows left out because their fecha_emision is outside of the period of the part. */
  fueraDePeriodo: number;
  /** Records in its file of third parties. */
  terceros: number;
  columnasAdicionales: readonly string[];
  entradasIgnoradas: readonly string[];
}

export interface ParteLeida {
  readonly parte: ParteLista;
  readonly paquetes: readonly PaqueteLeido[];
}

const hasRows = ({ paquetes }: ParteLeida) =>
  paquetes.some(({ registros, fueraDePeriodo }) => registros + fueraDePeriodo > 0);

const confianzaDeParte = (parte: ParteLeida): Confianza =>
  hasRows(parte) || parte.parte.confirmada ? 'confirmado' : 'sin_confirmar';

/** Rows anywhere show that the SAT answered; without any, every part has to be confirmed. */
export const confianzaDe = (partes: readonly ParteLeida[]): Confianza =>
  partes.some(hasRows) || partes.every((parte) => parte.parte.confirmada) ? 'confirmado' : 'sin_confirmar';

/** `manifest.json`: what was asked, what the SAT gave, and what is in the ZIP. Same plan and packages, same text. */
export function renderManifest(
  plan: PlanEnsamble,
  partes: readonly ParteLeida[],
  resumen: ResumenPaquete,
  entradas: readonly EntryWritten[],
): Buffer {
  const paquetes = partes.flatMap((parte) => parte.paquetes);
  const manifest = {
    version: MANIFEST_VERSION,
    solicitud_id: plan.solicitudId,
    rfc: plan.rfc,
    tipo: plan.tipo,
    desde: plan.desde,
    hasta: plan.hasta,
    registros: paquetes.reduce((sum, { registros }) => sum + registros, 0),
    confianza: confianzaDe(partes),
    registros_fuera_de_periodo: paquetes.reduce((sum, { fueraDePeriodo }) => sum + fueraDePeriodo, 0),
    resumen: {
      por_efecto: resumen.porEfecto,
      por_mes: resumen.porMes,
      cancelados: resumen.cancelados,
    },
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
        columnas_adicionales: leido.columnasAdicionales,
        entradas_ignoradas: leido.entradasIgnoradas,
      })),
    })),
    entradas: entradas.map(({ nombre, bytes, sha256 }) => ({ nombre, bytes, sha256 })),
  };
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
}
