import { describe, expect, it } from 'vitest';
import { admits, readDirecciones, remarkOf } from './direcciones.ts';

describe('a list of addresses', () => {
  it('is read line by line, with commas or blanks, each block once and in canonical form', () => {
    expect(readDirecciones(' 203.0.113.7\n10.1.2.3/8, 203.0.113.7/32\r\n2001:DB8:0::5/32 ::ffff:192.0.2.1')).toEqual({
      cidrs: ['203.0.113.7/32', '10.0.0.0/8', '2001:db8::/32', '192.0.2.1/32'],
      reparos: [],
    });
    expect(readDirecciones('::ffff:192.0.2.99/120').cidrs).toEqual(['192.0.2.0/24']);
    expect(readDirecciones('203.0.113.130/25').cidrs).toEqual(['203.0.113.128/25']);
    expect(readDirecciones(' \n ')).toEqual({ cidrs: [], reparos: [] });
  });

  it.each([
    ['300.1.1.1', /0 a 255/],
    ['203.0.113.0/33', /0 a 32/],
    ['2001:db8::/129', /0 a 128/],
    ['203.0.113', /faltan números/],
    ['203.0.113.*', /faltan números/],
    ['erp.example.com', /es un nombre/],
    ['0x7f.1', /nombre|no es/],
    ['<script>', /no es una dirección/],
    ['1.2.3.4/8/8', /no es|0 a 255|número/],
  ])('says what is wrong with %s', (entrada, motivo) => {
    const { cidrs, reparos } = readDirecciones(`203.0.113.7 ${entrada}`);
    expect(cidrs).toEqual(['203.0.113.7/32']);
    expect(reparos).toEqual([expect.stringMatching(motivo)]);
  });

  it('has an end', () => {
    const { cidrs, reparos } = readDirecciones('10.0.0.1 '.repeat(201));
    expect([cidrs.length, reparos.length]).toEqual([0, 1]);
  });

  it('lets in whom it names, and everybody when it is empty', () => {
    expect(admits([], 'lo que sea')).toBe(true);
    expect(admits(['10.0.0.0/8', '2001:db8::/32'], '10.9.9.9')).toBe(true);
    expect(admits(['10.0.0.0/8', '2001:db8::/32'], '2001:db8::1')).toBe(true);
    expect(admits(['10.0.0.0/8'], '11.0.0.1')).toBe(false);
    expect(admits(['10.0.0.0/8'], '2001:db8::1')).toBe(false);
    expect(admits(['::/0'], '11.0.0.1')).toBe(false);
  });

  it('remarks on blocks that do not do what they seem to', () => {
    expect(remarkOf('0.0.0.0/0')).toMatch(/cualquier/);
    expect(remarkOf('192.168.1.0/24')).toMatch(/privada/);
    expect(remarkOf('127.0.0.1/32')).toMatch(/misma máquina/);
    expect(remarkOf('8.8.8.8/32')).toBeNull();
  });
});
