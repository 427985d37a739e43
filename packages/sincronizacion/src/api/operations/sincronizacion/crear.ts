import { rfcField } from '@acuse/contract';
import { autorOf, StaleAccess } from '@acuse/operation';
import { z } from 'zod';
import { MAX_MESES, minutoDe } from '../../../index.ts';
import {
  ajustesOf,
  checkDesde,
  costoData,
  costoOf,
  datosDeSincronizacion,
  settingsFields,
  sincronizacionData,
} from '../../fields.ts';
import { defineOperation } from '../../index.ts';

const MESES = 12;
const FINALIDAD = 'Mantener al día los CFDI del RFC';

/** The same time so many months later; the last day of a month that is shorter. */
function monthsLater(from: Date, months: number): Date {
  const later = new Date(from);
  later.setUTCDate(1);
  later.setUTCMonth(later.getUTCMonth() + months);
  const last = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate();
  later.setUTCDate(Math.min(from.getUTCDate(), last));
  return later;
}

export default defineOperation({
  summary: 'Mantener al día los CFDI del RFC',
  description:
    'Desde ahora Acuse lee por sí mismo los CFDI del RFC y anota qué cambió: sincronizacion/cambios lo da. Para ello guarda una copia de la CIEC que solo los workers abren, para esta finalidad y por los meses que se digan: termina antes si se retira, o si cambian la CIEC o la API key. Cada lectura es una descarga-metadata y cuesta un crédito; sincronizacion/estimar dice cuántas serán. La primera vez diga desde: cada mes y tipo cuesta una lectura. Con contenido xml el paquete de la primera lectura de un periodo trae los XML; después, cada lectura que encuentra CFDI vigentes sin XML pide otra de esos días, que lo trae y cuesta otro crédito: una por cada serie de días seguidos. El XML de un CFDI se pide a lo más dos veces, la segunda un día después; los cancelados no se piden por sí solos. Al cambiar a xml, los XML de lo ya conocido llegan con la siguiente lectura de su mes. El portal del SAT da unos 2,000 XML por RFC y día: los demás, y las lecturas de esos días, esperan al día siguiente. Si el RFC ya se mantenía al día, basta el rfc: renueva el permiso, cambia los ajustes que se digan y no vuelve a leer lo leído.',
  credential: 'ciec',
  needs: 'Para mantener al día un RFC hace falta su CIEC; la e.firma no sirve, porque su llave se borra a la hora.',
  effect: 'changes',
  cost: 0,
  rfc: 'propio',
  body: z
    .object({
      rfc: rfcField,
      ...settingsFields,
      meses: z
        .int({ error: `debe ser un número entero de 1 a ${MAX_MESES}` })
        .min(1, { error: `debe ser un número entero de 1 a ${MAX_MESES}` })
        .max(MAX_MESES, { error: `debe ser un número entero de 1 a ${MAX_MESES}` })
        .meta({ description: `Por cuántos meses se da el permiso; ${MESES} si no se dice.`, example: MESES })
        .optional(),
      finalidad: z
        .string({ error: 'debe ser un texto' })
        .trim()
        .min(1, { error: 'no puede estar vacía' })
        .max(200, { error: 'debe tener a lo más 200 caracteres' })
        .meta({ description: 'Para qué se da el permiso: queda anotada con él.', example: FINALIDAD })
        .optional(),
    })
    .meta({ id: 'PeticionCrearSincronizacion' }),
  data: sincronizacionData.extend({ costo: costoData }).meta({ id: 'SincronizacionCreada' }),
  errors: ['SINCRONIZACION_DE_OTRO_MODO', 'CAMPO_FALTANTE', 'ACCESO_CAMBIADO'],
  check: checkDesde,

  async handle({ rfc, meses = MESES, finalidad = FINALIDAD, ...body }, { deps, access, credenciales, ip, now, error }) {
    const [elegible] = credenciales;
    if (elegible === undefined) throw new Error('the pipeline let in a call without a CIEC');
    const { contribuyenteId, cuentaId, apiKey, version } = access;
    const vigente = await deps.sincronizaciones.find(contribuyenteId, apiKey.modo);
    const known = await deps.sincronizaciones.idOf(contribuyenteId);
    const id = known ?? deps.newId();
    const minuto = minutoDe(id);
    const ajustes = ajustesOf(body, vigente, { minuto, now });
    const costo = await costoOf({ deps, access, now }, known, ajustes);
    const expiraEn = monthsLater(now, meses);
    const credencial = elegible.open();
    const sobre = deps.sealer.seal(credencial, { solicitudId: id, cuenta: cuentaId, rfc, tipo: 'ciec', expiraEn });
    const resultado = await deps.sincronizaciones.subscribe({
      id,
      cuentaId,
      contribuyenteId,
      apiKeyId: apiKey.id,
      version,
      rfc,
      minuto,
      ...ajustes,
      consentimiento: { kid: deps.sealer.kid, sobre, finalidad, expiraEn },
      ...autorOf(access, ip),
    });
    if (resultado === 'STALE_ACCESS') throw new StaleAccess();
    if (resultado === 'OTRO_MODO') throw error('SINCRONIZACION_DE_OTRO_MODO');
    const vista = await deps.sincronizaciones.find(contribuyenteId, apiKey.modo);
    if (vista === null) throw new Error('the new subscription is gone');
    return { ...datosDeSincronizacion(vista), costo };
  },
});
