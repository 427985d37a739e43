import { type FeatureApi, type OperationDeps, operationsWith, type PortsOf, type WebDeps } from '@acuse/operation';
import { createConexiones } from '../db.ts';
import type { ConexionConfig } from '../settings.ts';
import { openPages, PATHS } from '../web/pages.ts';
import { EVENTOS } from './eventos.ts';

const ports = { conexiones: createConexiones };

/** Dependencies of the operations beside the ports. */
interface Opened {
  /** Origin of the API as taxpayers reach it. */
  readonly publicUrl: string;
}

export type ConexionDeps = OperationDeps & PortsOf<typeof ports> & Opened & Pick<WebDeps, 'keyring'>;

export const defineOperation = operationsWith<ConexionDeps>();

export const conexionApi: FeatureApi<ConexionConfig> = {
  operations: new URL('./operations', import.meta.url),
  tags: { conexion: ['Enlaces', 'Enlaces con que un contribuyente entrega su CIEC sin que usted la vea.'] },
  ports,
  open: ({ API_PUBLIC_URL }): Opened => ({ publicUrl: API_PUBLIC_URL }),
  eventos: EVENTOS,
  web: { paths: PATHS, open: openPages },
};
