export {
  createLista69b,
  createListado,
  DIRECCIONES_LISTADOS,
  type Fuente,
  openLista69b,
  openListado,
} from './listado.ts';
