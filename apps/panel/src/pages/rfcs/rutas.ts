import type { Ruta } from '../../http/ruta.ts';
import { verCredenciales } from './credenciales.tsx';
import { cambiarIdCif, verDetalle } from './detalle.tsx';
import { cambiarDirecciones, verDirecciones } from './direcciones.tsx';
import { guardarCiec } from './guardar-ciec.ts';
import { guardarEfirma } from './guardar-efirma.ts';
import { verLista } from './lista.tsx';
import { verLlave } from './llave.tsx';
import { generar } from './llave-nueva.tsx';
import { agregar, verNuevo } from './nuevo.tsx';
import { cambiarOperacion, verOperaciones } from './operaciones.tsx';
import { revocar, verRevocar } from './revocar.tsx';

/** The addresses of this part of the panel. */
export const RUTAS_RFCS: readonly Ruta[] = [
  verLista,
  verNuevo,
  agregar,
  verDetalle,
  cambiarIdCif,
  verLlave,
  generar,
  verRevocar,
  revocar,
  verCredenciales,
  guardarCiec,
  guardarEfirma,
  verOperaciones,
  cambiarOperacion,
  verDirecciones,
  cambiarDirecciones,
];
