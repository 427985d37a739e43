export { type AvisosSettings, avisosFields, startAvisos } from './avisos.ts';
export { startHeartbeat } from './heartbeat.ts';
export { keepAlive } from './keep-alive.ts';
export { type Loop, restMs, startLoop } from './loop.ts';
export * from './role.ts';
export { LEASE_SLACK_SECONDS, startSending } from './sending.ts';
export { createWakes, OUTBOX, relayed, SLOTS, type Wakes } from './wakes.ts';
