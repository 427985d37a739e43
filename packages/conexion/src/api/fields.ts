import { rfcField, solicitudIdField } from '@acuse/contract';
import { instante, rfcData, solicitudIdData, texto } from '@acuse/operation';
import { z } from 'zod';
import { type Conexion, ESTADOS, MAX_INTENTOS, MOTIVOS } from '../db.ts';

const ID = { description: 'Identificador de la conexión.' };
export const conexionIdData = solicitudIdData.meta(ID);

/** The body of the operations on one connection. */
export const soloConexion = z
  .object({ rfc: rfcField, conexion_id: solicitudIdField.meta(ID) })
  .meta({ id: 'PeticionConexion' });

const estado = z.enum(ESTADOS).meta({
  id: 'EstadoConexion',
  description:
    'PENDIENTE: espera al contribuyente. VERIFICANDO: se comprueba la CIEC en el SAT. CONECTADA: la CIEC sirve a esta API key. FALLIDA: el SAT rechazó tres CIEC, o la API key cambió. REVOCADA: se retiró el permiso. TERMINADA: el permiso venció, u otro enlace u otra CIEC tomó su lugar. VENCIDA: nadie usó el enlace a tiempo.',
  example: 'CONECTADA',
});

const motivo = z.enum(MOTIVOS).meta({
  id: 'MotivoConexion',
  description:
    'CIEC_RECHAZADA: el SAT no la aceptó. SAT_NO_RESPONDE e ILEGIBLE: el intento no cuenta. LLAVE_CAMBIADA: la API key terminó antes. OTRO_ENLACE: se hizo otro.',
  example: 'CIEC_RECHAZADA',
});

export const conexionData = z
  .object({
    conexion_id: conexionIdData,
    rfc: rfcData,
    estado,
    motivo: motivo.nullable().meta({
      description: 'Por qué no sirvió el último intento, o por qué terminó; null si no hay motivo.',
      example: null,
    }),
    intentos: z
      .int()
      .min(0)
      .meta({ description: `Veces que el contribuyente envió una CIEC, de ${MAX_INTENTOS} a lo más.`, example: 1 }),
    solicitante: texto('Quién pide la CIEC, como se le dice al contribuyente.', 'Contadores del Norte'),
    finalidad: texto('Para qué se pide.', 'Descargar sus CFDI cada mes'),
    expira_en: instante('Hasta cuándo sirve el enlace.'),
    hasta: instante('Hasta cuándo da permiso el contribuyente: entonces se borra la CIEC.'),
    creada_en: instante('Cuándo se hizo el enlace.'),
    conectada_en: instante('Cuándo se guardó la CIEC.').nullable(),
    terminada_en: instante('Cuándo terminó.').nullable(),
  })
  .meta({ id: 'Conexion' });

export const datosDeConexion = (conexion: Conexion) => ({
  conexion_id: conexion.id,
  rfc: conexion.rfc,
  estado: conexion.estado,
  motivo: conexion.motivo,
  intentos: conexion.intentos,
  solicitante: conexion.solicitante,
  finalidad: conexion.finalidad,
  expira_en: conexion.expiraEn.toISOString(),
  hasta: conexion.hasta.toISOString(),
  creada_en: conexion.creadaEn.toISOString(),
  conectada_en: conexion.conectadaEn?.toISOString() ?? null,
  terminada_en: conexion.terminadaEn?.toISOString() ?? null,
});
