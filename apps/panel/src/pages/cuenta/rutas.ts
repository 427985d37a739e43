import type { Ruta } from '../../http/ruta.ts';
import { enviarCodigo, verCodigo } from './codigo.tsx';
import { confirmarDosPasos, desactivarDosPasos, iniciarDosPasos, renovarCodigos, verDosPasos } from './dos-pasos.tsx';
import { entrar, verEntrar } from './entrar.tsx';
import { cambiarPassword, verPassword } from './password.tsx';
import { cambiarNombre, cerrarSesion, cerrarTodas, verCuenta } from './perfil.tsx';
import { registrarse, verRegistro } from './registro.tsx';
import { restablecer, verRestablecer } from './restablecer.tsx';
import { salir } from './salir.ts';

/** The addresses of this part of the panel. */
export const RUTAS_CUENTA: readonly Ruta[] = [
  verRegistro,
  registrarse,
  verEntrar,
  entrar,
  verCodigo,
  enviarCodigo,
  verRestablecer,
  restablecer,
  salir,
  verCuenta,
  cambiarNombre,
  verPassword,
  cambiarPassword,
  cerrarTodas,
  cerrarSesion,
  verDosPasos,
  iniciarDosPasos,
  confirmarDosPasos,
  renovarCodigos,
  desactivarDosPasos,
];
