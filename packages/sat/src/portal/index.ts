export { CONSULTAS_PORTAL } from './consultas-portal.ts';
export { createPortalCanal } from './create-portal-canal.ts';
export { logoutEnded } from './sesion/salidas.ts';
