import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { descargar, errorOf, setUp, verificar } from '../testing/canal-de-prueba.ts';
import { FOLIO, sendHtml } from '../testing/portal-de-prueba.ts';

/** Bytes that begin and end like a ZIP. */
function zipDe(bytes: number): Buffer {
  const end = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]);
  return Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), randomBytes(bytes), end]);
}

async function zipOf(respuesta: ReturnType<typeof descargar>) {
  const { resultado, ...rest } = await respuesta;
  if (resultado !== 'PAQUETE' || !('zip' in rest)) throw new Error(`answered ${resultado}`);
  return rest.zip;
}

async function setUpConPaquete(descarga: (res: ServerResponse, campos: URLSearchParams) => void) {
  const montaje = await setUp();
  montaje.portal.guion.ofertas = [{ folio: FOLIO, url: 'blob&uri=/+=' }];
  montaje.portal.guion.descarga = descarga;
  return montaje;
}

describe('descargar-paquete', () => {
  it.each(['application/zip', 'application/octet-stream', 'text/html'])('streams a ZIP sent as %s', async (tipo) => {
    const zip = zipDe(300_000);
    const { canal } = await setUpConPaquete((res) => res.writeHead(200, { 'content-type': tipo }).end(zip));
    expect((await buffer(await zipOf(descargar(canal)))).equals(zip)).toBe(true);
  });

  it('takes the first bytes one by one', async () => {
    const zip = zipDe(10);
    const { canal } = await setUpConPaquete((res) => {
      const send = (at: number) => {
        if (at === zip.length) res.end();
        else res.write(zip.subarray(at, at + 1), () => setImmediate(send, at + 1));
      };
      send(0);
    });
    expect((await buffer(await zipOf(descargar(canal)))).equals(zip)).toBe(true);
  });

  it('fetches the package whose number it was given', async () => {
    const { portal, canal } = await setUpConPaquete((res, campos) =>
      res.end(Buffer.concat([zipDe(1), Buffer.from(campos.get('ctl00$MainContent$hfUrlDescargaActual') ?? '')])),
    );
    portal.guion.ofertas = [
      { folio: FOLIO, url: 'uno' },
      { folio: FOLIO, url: 'dos' },
    ];
    const zip = await buffer(await zipOf(descargar(canal, `${FOLIO}_02`)));
    expect(zip.toString('latin1').endsWith('dos')).toBe(true);
  });

  it('does not fetch part of a folio whose packages became more', async () => {
    const { portal, canal } = await setUpConPaquete((res) => res.end(zipDe(1)));
    portal.guion.ofertas.push({ folio: FOLIO, url: 'dos' });
    expect(await errorOf(descargar(canal, FOLIO))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('keeps the server waiting while nobody reads', async () => {
    const chunk = randomBytes(256 * 1024);
    let written = 0;
    let blocked = () => {};
    const waiting = new Promise<void>((resolve) => {
      blocked = resolve;
    });
    const total = 64 * 1024 * 1024;
    const { canal } = await setUpConPaquete((res) => {
      res.write(Buffer.from('PK\x03\x04', 'latin1'));
      const pump = () => {
        while (written < total) {
          written += chunk.length;
          if (!res.write(chunk)) {
            if (written > chunk.length) setImmediate(blocked);
            res.once('drain', pump);
            return;
          }
        }
        res.end(zipDe(1));
      };
      pump();
    });
    const zip = await zipOf(descargar(canal));
    await waiting;
    const before = written;
    expect(before).toBeLessThan(total / 2);
    let read = 0;
    for await (const piece of zip as AsyncIterable<Buffer>) read += piece.length;
    expect(read).toBe(4 + total + zipDe(1).length);
  });

  it('ends the stream with an error when the connection is cut', async () => {
    const { canal } = await setUpConPaquete((res) => {
      res.writeHead(200, { 'content-length': '1000000' });
      res.write(zipDe(100_000), () => res.destroy());
    });
    expect(await errorOf(buffer(await zipOf(descargar(canal))))).toMatchObject({ clase: 'reintentable' });
  });

  it('ends the stream with an error when a complete answer holds half a ZIP', async () => {
    const { canal } = await setUpConPaquete((res) => res.end(zipDe(200_000).subarray(0, 150_000)));
    const error = await errorOf(buffer(await zipOf(descargar(canal))));
    expect(error).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('ends the stream with CANCELADA when the caller gives up', async () => {
    const { canal } = await setUpConPaquete((res) => {
      res.write(zipDe(100));
    });
    const controller = new AbortController();
    const zip = await zipOf(descargar(canal, FOLIO, controller.signal));
    const reading = errorOf(buffer(zip));
    controller.abort();
    expect(await reading).toMatchObject({ motivo: 'CANCELADA' });
  });

  it('lets go of the connection when the reader leaves before the first byte', async () => {
    let closed = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { canal } = await setUpConPaquete((res) => {
      res.once('close', closed);
      res.write(zipDe(100));
    });
    (await zipOf(descargar(canal))).destroy();
    await gone;
  });

  it('refuses a package larger than the limit', async () => {
    const montaje = await setUp({ settings: { maxPaqueteBytes: 1000 } });
    montaje.portal.guion.ofertas = [{ folio: FOLIO, url: 'x' }];
    montaje.portal.guion.descarga = (res) => res.write(zipDe(500), () => res.end(zipDe(5000)));
    expect(await errorOf(zipOf(descargar(montaje.canal)).then(buffer))).toMatchObject({
      motivo: 'RESPUESTA_ILEGIBLE',
    });
  });

  it.each([['<html><body>Ocurrió un error inesperado</body></html>'], [''], ['PK'], ['%PDF-1.4']])(
    'does not take %j for a ZIP',
    async (pagina) => {
      const { canal } = await setUpConPaquete((res) => sendHtml(res, pagina));
      expect(await errorOf(descargar(canal))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    },
  );

  it('answers AGOTADO when the list does not offer the folio any more, or the portal says so', async () => {
    const { portal, canal } = await setUpConPaquete((res) =>
      sendHtml(res, '<html><body>El paquete ya no se encuentra disponible</body></html>'),
    );
    expect(await descargar(canal)).toMatchObject({ resultado: 'AGOTADO', codigo: 'VENCIDO' });
    portal.guion.ofertas = [];
    expect(await descargar(canal)).toMatchObject({ resultado: 'AGOTADO', codigo: 'NO_LISTADO' });
  });

  it('renews a session that ends between the list and the package', async () => {
    const { portal, canal } = await setUpConPaquete((res) => {
      portal.guion.descarga = (again) => again.end(zipDe(1));
      portal.expire('todas');
      sendHtml(res, '<a href="x%2flogout.aspx%3fsalir%3dy">Salir</a>');
    });
    await verificar(canal);
    expect((await descargar(canal)).resultado).toBe('PAQUETE');
    expect(portal.envios()).toBe(2);
  });
});
