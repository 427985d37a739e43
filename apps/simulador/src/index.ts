/** Entry for the tests of this repository. ./publico.ts is the published one. */

export { createSimulador, type Simulador } from './app.ts';
export { type RunningSimulador, startSimulador } from './start.ts';
export type { Fault, FaultKind } from './world/faults.ts';
export type { Call } from './world/log.ts';
export { MAGIAS, type Magia } from './world/magia/catalogo.ts';
export type { SettingsInput } from './world/settings.ts';
export type { Perfil } from './world/taxpayers/perfil.ts';
export type { Row, Tipo } from './world/taxpayers/row.ts';
export type { World, WorldOptions } from './world/world.ts';
