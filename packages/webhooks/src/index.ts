export { type PoliticaDestino, REPAROS_URL, type ReparoUrl, readUrlDestino } from './destino.ts';
export { createSender, type Envio, type ErrorEnvio, type Sender } from './envio.ts';
export { firmar, newSecreto } from './firma.ts';
export { nextIntento } from './reintentos.ts';
