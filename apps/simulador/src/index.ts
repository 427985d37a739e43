export { createSimulador, type Simulador } from './app.ts';
export { type RunningSimulador, type StartOptions, startSimulador } from './start.ts';
export type { Fault, FaultKind, FaultRule, Faults } from './world/faults.ts';
export type { Call, CallFilter, CallLog } from './world/log.ts';
export type { Certificado, Efirma, EfirmaOrder, Pki } from './world/pki.ts';
export type { Settings, SettingsInput } from './world/settings.ts';
export type { Row, Tipo } from './world/taxpayers/row.ts';
export type { Taxpayer, TaxpayerChange, Taxpayers } from './world/taxpayers/taxpayers.ts';
export type { World, WorldOptions } from './world/world.ts';
