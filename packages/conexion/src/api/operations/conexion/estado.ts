import { complete } from '../../../web/pages.ts';
import { conexionData, datosDeConexion, soloConexion } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

export default defineOperation({
  summary: 'Cómo va un enlace de conexión',
  description: 'El estado de un enlace que hizo esta API key y del permiso que el contribuyente dio con él.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'propio',
  body: soloConexion,
  data: conexionData,
  errors: ['CONEXION_NO_ENCONTRADA'],

  async handle({ conexion_id }, { deps, access, error }) {
    const find = () => deps.conexiones.find(access.apiKey.id, conexion_id);
    const found = await find();
    if (found === null) throw error('CONEXION_NO_ENCONTRADA');
    if (found.estado !== 'VERIFICANDO') return datosDeConexion(found);
    await complete(deps, found.id);
    return datosDeConexion((await find()) ?? found);
  },
});
