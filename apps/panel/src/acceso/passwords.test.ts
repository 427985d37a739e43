import { randomBytes } from 'node:crypto';
import { hash as argon2, verify } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import { createPasswords } from './passwords.ts';

const [first, second] = [randomBytes(32), randomBytes(32)];

describe('passwords', () => {
  it('are argon2id hashes that only the pepper they were made with opens', async () => {
    const passwords = await createPasswords(new Map([['p1', first]]), 'p1');
    const guardada = await passwords.hash('un caballo');
    expect(guardada).toMatchObject({ kid: 'p1', hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/) });
    expect(await passwords.check('un caballo', guardada)).toEqual({ coincide: true, debeRenovarse: false });
    expect(await passwords.check('otro caballo', guardada)).toEqual({ coincide: false, debeRenovarse: false });
    expect(await passwords.check('un caballo', null)).toEqual({ coincide: false, debeRenovarse: false });
    expect(await verify(guardada.hash, 'un caballo')).toBe(false);
    const others = await createPasswords(new Map([['p1', second]]), 'p1');
    expect((await others.check('un caballo', guardada)).coincide).toBe(false);
  });

  it('of an earlier pepper or of weaker parameters still open, and are to be renewed', async () => {
    const before = await (await createPasswords(new Map([['p1', first]]), 'p1')).hash('un caballo');
    const both = new Map([
      ['p2', second],
      ['p1', first],
    ]);
    const passwords = await createPasswords(both, 'p2');
    expect(await passwords.check('un caballo', before)).toEqual({ coincide: true, debeRenovarse: true });
    const weak = await createPasswords(both, 'p2', {
      hash: (word, options) => argon2(word, { ...options, memoryCost: 8_192 }),
      verify,
    });
    expect(await passwords.check('un caballo', await weak.hash('un caballo'))).toEqual({
      coincide: true,
      debeRenovarse: true,
    });
  });

  it('of a pepper that is gone open no more', async () => {
    const before = await (await createPasswords(new Map([['p1', first]]), 'p1')).hash('un caballo');
    const passwords = await createPasswords(new Map([['p2', second]]), 'p2');
    expect(await passwords.check('un caballo', before)).toEqual({ coincide: false, debeRenovarse: false });
    await expect(createPasswords(new Map([['p2', second]]), 'p3')).rejects.toThrow(RangeError);
  });
});
