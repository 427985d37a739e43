export { loadAll } from './features.ts';
export { startApi } from './start.ts';
