import { describe, expect, it } from 'vitest';
import { errorOf, setUp, verificar } from '../testing/canal-de-prueba.ts';
import { FOLIO } from '../testing/portal-de-prueba.ts';

const OTRO = 'AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE';

describe('verificar-metadata', () => {
  it('answers EN_PROCESO while the portal does not offer the folio', async () => {
    const { portal, canal } = await setUp();
    expect(await verificar(canal)).toEqual({ resultado: 'EN_PROCESO' });
    portal.guion.ofertas = [{ folio: OTRO, url: 'dXJs', registros: 3 }];
    expect(await verificar(canal)).toEqual({ resultado: 'EN_PROCESO' });
  });

  it('answers TERMINADA with the folio as package and the number of rows, whatever the letter case', async () => {
    const { portal, canal } = await setUp();
    portal.guion.ofertas = [
      { folio: OTRO, url: 'dXJs', registros: 3 },
      { folio: FOLIO.toLowerCase(), url: 'a&b+/=', registros: 12_345 },
    ];
    expect(await verificar(canal, FOLIO)).toEqual({
      resultado: 'TERMINADA',
      paquetes: [FOLIO],
      registros: 12_345,
    });
  });

  it('numbers the packages when the folio has several, and adds their rows only when all tell', async () => {
    const { portal, canal } = await setUp();
    portal.guion.ofertas = [
      { folio: FOLIO, url: 'uno', registros: 1_000_000 },
      { folio: OTRO, url: 'x', registros: 9 },
      { folio: FOLIO, url: 'dos', registros: 5 },
    ];
    const paquetes = [`${FOLIO}_01`, `${FOLIO}_02`];
    expect(await verificar(canal)).toEqual({ resultado: 'TERMINADA', paquetes, registros: 1_000_005 });
    portal.guion.ofertas = portal.guion.ofertas.map(({ folio, url }) => ({ folio, url }));
    expect(await verificar(canal)).toEqual({ resultado: 'TERMINADA', paquetes, registros: null });
  });

  it('does not read an offer it cannot understand as "not offered"', async () => {
    const { portal, canal } = await setUp();
    portal.guion.ofertas = [{ folio: `${FOLIO}-roto`, url: 'x' }];
    expect(await errorOf(verificar(canal))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });
});
