import { generateKeys, type Keys, keySource } from '../apps/simulador/src/world/pki.ts';

const RING = 8;

/** Makes `RING` pairs, each when it is first drawn, and gives them in turn: two that follow each other always differ. */
function ring(): () => Promise<Keys> {
  const made: Promise<Keys>[] = [];
  let drawn = 0;
  return () => {
    const place = drawn++ % RING;
    made[place] ??= generateKeys();
    return made[place];
  };
}

// Before each file of tests; those of one process share their modules, and so these keys.
if (keySource.efirma === generateKeys) Object.assign(keySource, { authority: ring(), efirma: ring() });
