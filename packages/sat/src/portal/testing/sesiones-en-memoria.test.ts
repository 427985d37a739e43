import { describeSesionesPortal } from './conformidad-sesiones.ts';
import { createSesionesEnMemoria } from './sesiones-en-memoria.ts';

describeSesionesPortal('in memory', async () => {
  let now = 1_000_000;
  return {
    sesiones: createSesionesEnMemoria(() => now),
    advance(ms) {
      now += ms;
    },
  };
});
