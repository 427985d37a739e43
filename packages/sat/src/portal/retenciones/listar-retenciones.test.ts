import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorOf } from '../testing/canal-de-prueba.ts';
import { type LadoDePrueba, type RetencionDePrueba, retencion } from './testing/paginas-retenciones.ts';
import { ciecDe, type MontajeRetenciones, setUpRetenciones } from './testing/portal-de-retenciones.ts';

function listar({ canal }: MontajeRetenciones, ejercicio = 2025, signal = new AbortController().signal) {
  return canal.send({ consulta: 'listar-retenciones', rfc: 'EKU9003173C9', ejercicio }, ciecDe(), { signal });
}

async function uuidsOf(montaje: MontajeRetenciones): Promise<string[]> {
  return (await listar(montaje)).retenciones.map(({ uuid }) => uuid);
}

const sorted = (filas: readonly RetencionDePrueba[]) =>
  [...filas]
    .sort((a, b) => (`${a.fecha.slice(0, 10)}${a.uuid}` < `${b.fecha.slice(0, 10)}${b.uuid}` ? -1 : 1))
    .map(({ uuid }) => uuid);

/** `cuantas` in one second on each of both sides. */
function rafaga(cuantas: number, lado: LadoDePrueba = 'receptor', fecha = '2025-05-05T12:00:00') {
  return Array.from({ length: cuantas }, (_, i) =>
    retencion(i + (lado === 'emisor' ? 5000 : 0), fecha, lado, {
      estado: i % 2 === 0 ? 'Vigente' : 'Cancelado',
    }),
  );
}

describe('listar-retenciones', () => {
  it('gives received and issued ones of the fiscal year, by date and folio', async () => {
    const montaje = await setUpRetenciones([
      retencion(4, '2026-01-01T00:00:00'),
      retencion(3, '2025-12-31T23:59:59', 'emisor', { contraparte: '', estado: 'Cancelado', total: '0.01' }),
      retencion(2, '2025-01-01T00:00:00'),
      retencion(5, '2025-01-01T00:00:00', 'emisor', { contraparte: 'ÑAN800101AB&'.replace('&', '1') }),
      retencion(1, '2024-12-31T23:59:59', 'emisor'),
    ]);
    expect(await listar(montaje)).toEqual({
      retenciones: [
        {
          uuid: '00000002-BBBB-4CCC-9DDD-0123456789AB',
          tipo: 'RECIBIDA',
          emisorRfc: 'XAXX010101000',
          receptorRfc: 'EKU9003173C9',
          total: 10000.5,
          fecha: '2025-01-01',
          estado: 'VIGENTE',
        },
        expect.objectContaining({ tipo: 'EMITIDA', emisorRfc: 'EKU9003173C9', receptorRfc: 'ÑAN800101AB1' }),
        {
          uuid: '00000003-BBBB-4CCC-9DDD-0123456789AB',
          tipo: 'EMITIDA',
          emisorRfc: 'EKU9003173C9',
          receptorRfc: null,
          total: 0.01,
          fecha: '2025-12-31',
          estado: 'CANCELADO',
        },
      ],
    });
  });

  it('logs in once on the host of the CFDI portal and goes by the choices of the start page', async () => {
    const montaje = await setUpRetenciones();
    expect(await listar(montaje)).toEqual({ retenciones: [] });
    await listar(montaje);
    const caminos = montaje.peticiones.map(({ method, url }) => `${method} ${url.split('?')[0]}`);
    expect(caminos.filter((camino) => camino === 'POST /cfdiau/nidp/wsfed/ep')).toHaveLength(1);
    expect(caminos.slice(-3)).toEqual([
      'POST /prodretencioncontribuyente/',
      'GET /prodretencioncontribuyente/ConsultaEmisor',
      'POST /prodretencioncontribuyente/ConsultaEmisor',
    ]);
  });

  it('asks received ones month by month, issued ones once', async () => {
    const montaje = await setUpRetenciones();
    await listar(montaje);
    const meses = montaje.busquedas.map((campos) => [campos.get('n_selMes'), campos.get('n_selDia')]);
    expect(meses).toEqual([...Array.from({ length: 12 }, (_, i) => [String(i + 1), '0']), [null, null]]);
    const emitidas = montaje.busquedas.at(-1);
    expect(
      ['n_fecIniEmi', 'n_fecFinEmi', 'n_selHorIni', 'n_selHorFin', 'n_selSegFin'].map((n) => emitidas?.get(n)),
    ).toEqual(['01/01/2025', '31/12/2025', '0', '23', '59']);
  });

  it('asks received ones day by day where the page takes no month', async () => {
    const montaje = await setUpRetenciones([retencion(1, '2025-02-28T10:00:00'), retencion(2, '2025-12-31T23:59:59')]);
    montaje.diaAbierto = false;
    expect(await uuidsOf(montaje)).toEqual(sorted(montaje.todas));
    expect(montaje.busquedas).toHaveLength(366);
  }, 60_000);

  it('opens the search page by its address when "Continuar" does not lead there', async () => {
    const montaje = await setUpRetenciones([retencion(1, '2025-02-28T10:00:00')]);
    montaje.continuarNoLleva = true;
    expect(await uuidsOf(montaje)).toEqual(sorted(montaje.todas));
  });

  it.each(['receptor', 'emisor'] as const)(
    'divides what is capped for %s, down to a second and its states',
    async (lado) => {
      const montaje = await setUpRetenciones([...rafaga(12, lado), retencion(9999, '2025-05-05T12:00:01', lado)]);
      montaje.tope = 6;
      expect(await uuidsOf(montaje)).toEqual(sorted(montaje.todas));
      montaje.tope = 5;
      expect(await errorOf(listar(montaje))).toMatchObject({
        motivo: 'PETICION_RECHAZADA',
        codigo: 'LIMITE',
      });
    },
    60_000,
  );

  it('takes 500 rows for a capped answer though the page does not say so', async () => {
    const montaje = await setUpRetenciones(
      rafaga(501, 'emisor').map((r, i) => ({ ...r, fecha: `2025-05-05T12:00:0${i % 7}` })),
    );
    montaje.diceTope = false;
    expect(await uuidsOf(montaje)).toEqual(sorted(montaje.todas));
  }, 60_000);

  it('loses and doubles nothing', async () => {
    const montaje = await setUpRetenciones();
    montaje.tope = 7;
    const instante = fc
      .tuple(fc.constantFrom('2024-12-31T23:59:58Z', '2025-03-01T00:00:00Z', '2025-12-31T23:59:55Z'), fc.nat(6))
      .map(([base, s]) => new Date(Date.parse(base) + s * 1000).toISOString().slice(0, 19));
    const fila = fc.tuple(
      instante,
      fc.constantFrom('receptor' as const, 'emisor' as const),
      fc.constantFrom('Vigente' as const, 'Cancelado' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fila, { maxLength: 40 }), async (filas) => {
        montaje.todas = filas.map(([fecha, lado, estado], i) => retencion(i, fecha, lado, { estado }));
        const cuentas = new Map<string, number>();
        for (const [fecha, lado, estado] of filas) {
          const key = `${fecha}${lado}${estado}`;
          cuentas.set(key, (cuentas.get(key) ?? 0) + 1);
        }
        fc.pre(Math.max(0, ...cuentas.values()) <= montaje.tope);
        expect(await uuidsOf(montaje)).toEqual(sorted(montaje.todas.filter(({ fecha }) => fecha.startsWith('2025'))));
      }),
      { numRuns: 8 },
    );
  }, 120_000);

  it('refuses a year that the portal does not offer, and one that is none', async () => {
    const montaje = await setUpRetenciones();
    expect(await errorOf(listar(montaje, 2013))).toMatchObject({
      motivo: 'PETICION_RECHAZADA',
      codigo: 'EJERCICIO',
    });
    const asked = montaje.peticiones.length;
    await expect(listar(montaje, 20.5)).rejects.toBeInstanceOf(RangeError);
    expect(montaje.peticiones).toHaveLength(asked);
  });

  it('never sends a refused CIEC twice', async () => {
    const montaje = await setUpRetenciones();
    montaje.ciec = 'otra';
    for (let i = 0; i < 2; i += 1) {
      expect(await errorOf(listar(montaje))).toMatchObject({ motivo: 'CIEC_RECHAZADA', clase: 'credencial' });
    }
    expect(montaje.peticiones.filter(({ body }) => body.includes('Ecom_Password'))).toHaveLength(1);
  });

  it('logs in again when the portal forgets the session in the middle, and stops when the caller gives up', async () => {
    const montaje = await setUpRetenciones([
      retencion(1, '2025-02-28T10:00:00'),
      retencion(2, '2025-11-28T10:00:00', 'emisor'),
    ]);
    montaje.antes = () => {
      if (montaje.busquedas.length === 5) montaje.expire();
    };
    expect(await uuidsOf(montaje)).toEqual(sorted(montaje.todas));
    expect(montaje.busquedas).toHaveLength(5 + 13);
    const controller = new AbortController();
    montaje.antes = () => controller.abort();
    expect(await errorOf(listar(montaje, 2025, controller.signal))).toMatchObject({ motivo: 'CANCELADA' });
    expect(montaje.busquedas).toHaveLength(5 + 13 + 1);
  });

  it('does not list in the name of another RFC', async () => {
    const montaje = await setUpRetenciones();
    await listar(montaje);
    montaje.rfcMostrado = 'XAXX010101000';
    expect(await errorOf(listar(montaje))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    const otro = await setUpRetenciones();
    otro.rfcMostrado = 'XAXX010101000';
    expect(await errorOf(listar(otro))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('does not believe a page that says there is nothing before it is asked', async () => {
    const montaje = await setUpRetenciones();
    montaje.inicial = '<div id="divNoResultadosReceptor">No existen registros</div>';
    expect(await errorOf(listar(montaje))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(montaje.busquedas).toEqual([]);
  });

  it.each<[string, (html: string) => string]>([
    ['the page of before the search', (html) => html.replace(/<div id="divNoResultados[\s\S]*?<\/div>/, '')],
    ['a maintenance page', () => '<html><body><h1>Servicio no disponible</h1></body></html>'],
    ['a cut page', (html) => html.slice(0, -20)],
    ['a page of 50 MB', (html) => html + ' '.repeat(50 * 1024 * 1024)],
    ['a page that says nothing is there besides rows', (html) => html.replace('display: none', 'display: block')],
    [
      'a page that holds more pages',
      (html) => html.replace('</form>', '<div id="MainContent_pageNavPosition">1 <a>2</a></div></form>'),
    ],
    ['an error', (html) => html.replace('</form>', '<div id="MainContent_PnlErrores">Intente más tarde</div></form>')],
    ['rows of another year', (html) => html.replace('2025-02-28', '2023-02-28')],
    ['rows of another taxpayer', (html) => html.replace('<td>EKU9003173C9</td>', '<td>XAXX010101000</td>')],
  ])('does not believe %s', async (name, alterar) => {
    const filas = name.includes('before') ? [] : [retencion(1, '2025-02-28T10:00:00')];
    const montaje = await setUpRetenciones(filas);
    montaje.antes = () => {
      montaje.alterar = filas.length === 0 || montaje.busquedas.length === 2 ? alterar : (html) => html;
    };
    const motivo = name === 'an error' ? 'SERVICIO_CON_ERROR' : 'RESPUESTA_ILEGIBLE';
    expect(await errorOf(listar(montaje))).toMatchObject({ motivo });
  });
});
