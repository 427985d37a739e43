import { Hono } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import type { World } from '../world/world.ts';
import { createAgr } from './agr.ts';
import type { Aperturas } from './aperturas.ts';
import { createAplicacionesc } from './aplicacionesc.ts';

/** The applications of the mailbox under the prefixes of their hosts: `/aplicacionesc`, `/loginc` and `/agr`. */
export function createBuzon(world: World, nidp: Nidp, aperturas: Aperturas): Hono {
  const { aplicacionesc, loginc } = createAplicacionesc(world, nidp, aperturas);
  return new Hono()
    .route('/aplicacionesc', aplicacionesc)
    .route('/loginc', loginc)
    .route('/agr', createAgr(world, nidp, aperturas));
}
