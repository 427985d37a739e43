import { CfdiError } from '@acuse/contract';
import { type Contexto, checkPeriodo, listaFacturas, rfcYPeriodo } from '@acuse/operation';
import type { z } from 'zod';
import type { CoreDeps } from '../operation.ts';
import { askSat } from './ask-sat.ts';
import { consultarLista } from './consultar.ts';

/** What the two operations that list received CFDI have in common. */
export const facturasRecibidas = {
  cost: 1,
  effect: 'asks',
  isPaginada: true,
  rfc: 'propio',
  body: rfcYPeriodo,
  data: listaFacturas,
  asks: ['listar-facturas'],
  errors: ['SAT_NO_DISPONIBLE', 'PERIODO_DEMASIADO_GRANDE'],
  check: checkPeriodo,
  handle: listFacturas,
} as const;

/** Throws PERIODO_DEMASIADO_GRANDE when there are more than an answer may have. */
async function listFacturas(
  { rfc, desde, hasta }: z.output<typeof rfcYPeriodo>,
  contexto: Contexto<CoreDeps, 'ciec-o-efirma' | 'efirma'>,
) {
  const periodo = { inicio: `${desde}T00:00:00`, fin: `${hasta}T23:59:59` };
  const maximo = contexto.deps.settings.maxFacturas;
  const consulta = { consulta: 'listar-facturas', rfc, periodo, maximo } as const;
  return consultarLista(
    contexto,
    async (credencial, propio) => {
      const respuesta = await askSat(propio, consulta, credencial);
      if (respuesta.resultado === 'LISTA') return respuesta.facturas;
      throw new CfdiError('PERIODO_DEMASIADO_GRANDE', {
        campo: 'hasta',
        motivo: `El periodo tiene más de ${maximo} CFDI.`,
      });
    },
    (f) => ({
      uuid: f.uuid,
      emisor_rfc: f.emisorRfc,
      total: f.total,
      fecha: f.fechaEmision.slice(0, 10),
      emisor_nombre: f.emisorNombre,
      fecha_emision: f.fechaEmision,
      tipo_comprobante: f.efecto,
      estado: f.estado,
    }),
  );
}
