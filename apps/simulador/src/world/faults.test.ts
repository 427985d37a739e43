import { describe, expect, it } from 'vitest';
import { createFaults } from './faults.ts';

describe('which call a fault spoils', () => {
  it('the service, operation and RFC that the rule names', () => {
    const faults = createFaults();
    faults.add({ service: 'cfdiau', operation: 'login', rfc: 'A', kind: 'html200' });
    expect(faults.take('portalcfdi', 'login', 'A')).toBeNull();
    expect(faults.take('cfdiau', 'logout', 'A')).toBeNull();
    expect(faults.take('cfdiau', 'login', 'B')).toBeNull();
    expect(faults.take('cfdiau', 'login', 'A')?.kind).toBe('html200');
  });

  it('every service with *', () => {
    const faults = createFaults();
    faults.add({ service: '*', kind: 'slow' });
    expect(faults.take('cfdiau', 'login', '')?.kind).toBe('slow');
  });

  it('`times` calls after the first `after`', () => {
    const faults = createFaults();
    faults.add({ service: '*', kind: 'cut', times: 2, after: 1 });
    const taken = Array.from({ length: 5 }, () => faults.take('s', 'o', 'r') !== null);
    expect(taken).toEqual([false, true, true, false, false]);
  });

  it('the oldest rule first, the next when it is used up', () => {
    const faults = createFaults();
    faults.add({ service: '*', kind: 'html200', times: 1 });
    faults.add({ service: '*', kind: 'empty200' });
    expect([faults.take('s', 'o', 'r')?.kind, faults.take('s', 'o', 'r')?.kind]).toEqual(['html200', 'empty200']);
  });

  it('none after it is removed', () => {
    const faults = createFaults();
    const { id } = faults.add({ service: '*', kind: 'cut' });
    expect(faults.remove('otra')).toBe(false);
    expect(faults.remove(id)).toBe(true);
    expect(faults.take('s', 'o', 'r')).toBeNull();
  });
});
