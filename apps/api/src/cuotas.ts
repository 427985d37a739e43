import { claveDia, EQUAL_REQUESTS, PACKAGE_DOWNLOADS, quotaRfc, XML_A_DAY } from '@acuse/core';
import type { CuotasTomadas } from '@acuse/db';
import { z } from 'zod';
import type { ContextoBase } from './operation.ts';

const cuenta = (description: string, example: number) => z.int().min(0).meta({ description, example });

/** Used part of the SAT's quotas of an RFC, in an answer. */
export const cuotasSat = z
  .object({
    xml_hoy: cuenta('XML que se tomaron hoy del portal.', 150),
    xml_por_dia: cuenta('XML que el portal da por RFC y día.', XML_A_DAY),
    peticiones_xml: cuenta('Peticiones de XML distintas que se hicieron con la e.firma, desde siempre.', 12),
    peticiones_xml_agotadas: cuenta('De ellas, las que el SAT no acepta otra vez nunca.', 1),
    peticiones_iguales: cuenta('Peticiones iguales de XML que el SAT acepta, para siempre.', EQUAL_REQUESTS),
    iguales_hechas: cuenta(
      'Peticiones de XML iguales a esta que ya se hicieron; solo en descarga/estimar.',
      1,
    ).optional(),
    paquetes: cuenta('Paquetes del SAT de las solicitudes en proceso.', 3),
    paquetes_agotados: cuenta('De ellos, los que el SAT ya no entrega otra vez.', 0),
    descargas_por_paquete: cuenta('Veces que el SAT entrega cada paquete.', PACKAGE_DOWNLOADS),
  })
  .meta({
    id: 'CuotasSat',
    description: 'Lo que esta instalación usó de las cuotas del SAT para el RFC; lo que use otro programa no se sabe.',
  });

/** Reads the used part; `igual`: key of the quota of a request of XML. One query. */
export function readCuotas({ deps, access, now }: Pick<ContextoBase, 'deps' | 'access' | 'now'>, igual: string | null) {
  const { rfc, contribuyenteId, apiKey } = access;
  const { modo } = apiKey;
  return deps.cuotasTomadas.read({ rfc: quotaRfc(modo, rfc), dia: claveDia(now), igual, contribuyenteId, modo });
}

/** The same in an answer. */
export const datosDeCuotas = (cuotas: CuotasTomadas): z.input<typeof cuotasSat> => ({
  xml_hoy: cuotas.xmlHoy,
  xml_por_dia: XML_A_DAY,
  peticiones_xml: cuotas.peticiones,
  peticiones_xml_agotadas: cuotas.peticionesAgotadas,
  peticiones_iguales: EQUAL_REQUESTS,
  paquetes: cuotas.paquetes,
  paquetes_agotados: cuotas.paquetesAgotados,
  descargas_por_paquete: PACKAGE_DOWNLOADS,
});
