/** Runs obrero.ts from its source: a thread does not inherit the loader of TypeScript (Node 20), so it brings its own. Not part of the build. */
import { register } from 'tsx/esm/api';

register();
await import('./obrero.ts');
