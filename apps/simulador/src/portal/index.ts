import { Hono } from 'hono';
import type { World } from '../world/world.ts';

/** The CFDI portal: the log-in host and the query host. */
export function createPortal(_world: World): { cfdiau: Hono; portalcfdi: Hono } {
  return { cfdiau: new Hono(), portalcfdi: new Hono() };
}
