import { autorOf } from '@acuse/operation';
import { conexionData, datosDeConexion, soloConexion } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

export default defineOperation({
  summary: 'Retirar un enlace de conexión o su permiso',
  description:
    'Cierra el enlace que nadie ha usado. Si ya se usó, borra la CIEC que se guardó con él, cancela y devuelve las descargas en curso con CIEC, y deja de mantener al día el RFC. Repetirlo no cambia nada.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'propio',
  body: soloConexion,
  data: conexionData,
  errors: ['CONEXION_NO_ENCONTRADA'],

  async handle({ conexion_id }, { deps, access, ip, error }) {
    const found = await deps.conexiones.find(access.apiKey.id, conexion_id);
    if (found === null) throw error('CONEXION_NO_ENCONTRADA');
    await deps.conexiones.revoke(found.id, autorOf(access, ip));
    return datosDeConexion((await deps.conexiones.find(access.apiKey.id, found.id)) ?? found);
  },
});
