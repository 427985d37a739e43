import { createSolicitudes, type DetalleSolicitud } from '@acuse/db';
import { rutasDe } from '../../http/ruta-de.ts';

/** Declares an address of a solicitud of the account. */
export const defineRutaSolicitud = rutasDe<DetalleSolicitud>('/solicitudes/:id', ({ deps, usuario }, id) =>
  createSolicitudes(deps.database).detail(usuario.cuentaId, id),
);
