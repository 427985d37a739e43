import {
  type CampoErroneo,
  complementoField,
  estadoComprobanteField,
  MAX_CONTRAPARTES,
  rfcContraparteField,
  tipoComprobanteField,
} from '@acuse/contract';
import type { Filtros, TipoDescarga } from '@acuse/core';
import { z } from 'zod';
import { rfcData } from './fields.ts';

/** Fields of a body that narrow the CFDI of a period. */
export const camposDeFiltro = {
  estado_comprobante: estadoComprobanteField.optional(),
  tipo_comprobante: tipoComprobanteField.optional(),
  rfc_contraparte: rfcContraparteField.optional(),
  complemento: complementoField.optional(),
};
const campos = z.object(camposDeFiltro);
type Campos = z.infer<typeof campos>;

/** How a request was narrowed, by the names of its fields. */
export const filtrosData = z
  .object({
    ...camposDeFiltro,
    rfc_contraparte: z.array(rfcData).meta({ description: 'Las contrapartes.' }).optional(),
  })
  .meta({ id: 'Filtros', description: 'Con qué se acotaron los CFDI del periodo.' });

/** The SAT takes five receivers of issued CFDI and one issuer of received ones. Null when a body keeps that. */
export function checkFiltros(body: Campos & { readonly tipo: TipoDescarga }): CampoErroneo | null {
  if ((body.rfc_contraparte?.length ?? 0) <= MAX_CONTRAPARTES[body.tipo]) return null;
  return { campo: 'rfc_contraparte', motivo: 'con recibidos puede tener un solo RFC' };
}

/** What narrows a request; null for one that asks for all CFDI of its period. */
export function filtrosOf({
  estado_comprobante: estado,
  tipo_comprobante: tipo,
  rfc_contraparte: rfcs,
  complemento,
}: Campos): Filtros | null {
  const filtros = {
    ...(estado === undefined || estado === 'todos' ? {} : { estado_comprobante: estado }),
    ...(tipo === undefined ? {} : { tipo_comprobante: tipo }),
    ...(rfcs === undefined ? {} : { rfc_contraparte: rfcs }),
    ...(complemento === undefined ? {} : { complemento }),
  };
  return Object.keys(filtros).length === 0 ? null : filtros;
}
