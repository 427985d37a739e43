export { canalDeConsulta, type NombreCanal } from './canales.ts';
export { createCircuitBreaker } from './http/circuit-breaker.ts';
export { type HostFacts, hostsInUse, inspectHost } from './http/inspect-host.ts';
export { createSatHttp } from './http/sat-http.ts';
export {
  createLista69b,
  createListado,
  DIRECCIONES_LISTADOS,
  type Fuente,
  openLista69b,
  openListado,
} from './listas/listado.ts';
export { httpSettingsOf, openSat, openSatDePruebas, type SatAbierto, satFields } from './open-sat.ts';
export { createResolvedorPersonas, createResolvedorSimulador, type ResolvedorCaptcha } from './portal/captcha.ts';
export { CONSULTAS_PORTAL } from './portal/consultas-portal.ts';
export { createPortalCanal } from './portal/create-portal-canal.ts';
export type { NombreConsultaPublica } from './publico/create-publico.ts';
export { createOpinionesPublicas } from './publico/opiniones-publicas.ts';
export { type ParaFirmar, presign } from './soap/presigned.ts';
export { createSatSoap } from './soap/sat-soap.ts';
