export {
  type PoliticaDestino,
  REPAROS_URL,
  type ReparoUrl,
  readReceptor,
  readUrlDestino,
  SIN_RECEPTOR,
} from './destino.ts';
export * from './fallos.ts';
export { claveOf, encabezadosDe, firmar, newSecreto } from './firma.ts';
