import { expect, it } from 'vitest';
import { seed as first, isRepeated } from './random.ts';
import { simulate } from './simulated.ts';
import { sizeOf } from './sizes.ts';

const seeds = isRepeated ? 1 : sizeOf('simulated solicitudes');

it(`a solicitud ends once, with its rows or its refund, in each of ${seeds} worlds (from FAULTS_SEED=${first})`, {
  timeout: 14_400_000,
}, async () => {
  const ends = new Map<string, number>();
  let hours = 0;
  for (let seed = first; seed < first + seeds; seed += 1) {
    const end = await simulate(seed);
    const told = `FAULTS_SEED=${seed}: ${JSON.stringify(end)}`;
    const isDone = end.estado === 'TERMINADA';
    expect(end.ends, told).toBe(1);
    if (isDone && !end.isLiar) expect(end.result, told).toEqual(end.truth);
    if (!isDone) expect(end.refunds, told).toBe(1);
    expect(end.refunds, told).toBeLessThanOrEqual(1);
    expect(end.sends, told).toBeLessThanOrEqual(end.intents);
    if (!end.isHostile)
      expect([end.estado, Math.max(0, ...end.given)], told).toEqual(['TERMINADA', end.truth.length > 0 ? 1 : 0]);
    const name = [end.estado, end.motivo ?? []].flat().join(' ');
    ends.set(name, (ends.get(name) ?? 0) + 1);
    hours += end.hours;
  }
  console.log(`${seeds} worlds, ${Math.round(hours / 24)} days: ${JSON.stringify(Object.fromEntries(ends))}`);
  // Thirty days at least, and worlds that all end alike would prove little.
  if (!isRepeated)
    expect([hours / 24 >= 30, ends.size > 3, (ends.get('TERMINADA') ?? 0) > seeds / 3]).toEqual([true, true, true]);
});
