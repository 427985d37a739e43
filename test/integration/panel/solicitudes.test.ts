import { createClaims } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { describe, expect, test } from 'vitest';
import { attributesOf, cookieOf, type Respuesta, textsOf, usePanel } from './fixtures/panel.ts';
import { createSolicitudesDePrueba, RESUMEN } from './fixtures/solicitudes.ts';

const panel = usePanel();
const { owner, accepted, newClaim, failed, finished } = createSolicitudesDePrueba(panel);

/** The ids of the solicitudes that a page lists. */
const linksOf = ($: Respuesta['$']) => attributesOf($, 'tbody a', 'href').map((href) => href?.split('/').at(-1));

describe('the list', () => {
  test('shows the account its solicitudes, counts them by state, and narrows them', async () => {
    const { persona, taxpayer } = await owner();
    const done = await finished(taxpayer, { tipo: 'emitidos', desde: '2024-03-01', hasta: '2024-03-31' });
    const open = await accepted(taxpayer);
    const page = await persona.get('/solicitudes');
    expect(page.status).toBe(200);
    const { $ } = page;
    expect(linksOf($)).toEqual([open, done]);
    expect($('h1')).toHaveLength(1);
    expect($('nav[aria-label="Solicitudes por estado"]').text()).toMatch(/En proceso \(1\).*Terminadas \(1\)/);
    const narrowed = await persona.get('/solicitudes?tipo=emitidos&estado=TERMINADA&periodo_desde=2024-03-05');
    expect(narrowed.text).toContain(done);
    expect(narrowed.text).not.toContain(open);
    const none = await persona.get('/solicitudes?periodo_hasta=2020-01-01');
    expect(none.main).toContain('Ninguna solicitud cumple con estos filtros');
  });

  test('says what is wrong with a filter and goes on without it', async () => {
    const { persona, taxpayer } = await owner();
    const id = await accepted(taxpayer);
    const page = await persona.get('/solicitudes?creada_desde=ayer&id=zz&rfc=%3Cscript%3E&antes=x');
    expect(page.status).toBe(200);
    expect(page.text).toContain(id);
    const { $ } = page;
    expect($('#campo-creada_desde-error').text()).toContain('año-mes-día');
    expect($('#campo-id-error').text()).toContain('4 caracteres');
    expect($('script:not([src])')).toHaveLength(0);
  });

  test('leads from page to page and keeps the filter', async () => {
    const { persona, taxpayer } = await owner();
    const ids: string[] = [];
    for (let n = 0; n < 20; n++)
      ids.unshift(
        await accepted(taxpayer, { desde: `2024-01-${String(n + 1).padStart(2, '0')}`, hasta: '2024-02-15' }),
      );
    const more = Array.from({ length: 10 }, () => uuidV7());
    await panel.sql`INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, rfc, tipo, desde, hasta, canal, deadline_at)
       SELECT n.id, ${taxpayer.cuentaId}, ${taxpayer.contribuyenteId}, 'k' || n.id, ${taxpayer.rfc}, 'recibidos', '2023-01-01', '2024-01-01', 'portal', now() FROM unnest(${more}::uuid[]) AS n (id)`;
    const first = (await persona.get('/solicitudes?tipo=recibidos')).$;
    expect(linksOf(first)).toHaveLength(25);
    const next = first('nav[aria-label="Páginas"] a').last().attr('href') ?? '';
    expect(next).toContain('tipo=recibidos');
    const second = (await persona.get(next)).$;
    expect(linksOf(second)).toHaveLength(5);
    expect([...linksOf(first), ...linksOf(second)]).toEqual([...more].reverse().concat(ids));
    const back = second('nav[aria-label="Páginas"] a').first().attr('href') ?? '';
    expect(linksOf((await persona.get(back)).$)).toEqual(linksOf(first));
  });

  test('shows an account without any what to do next', async () => {
    const persona = await panel.registrar();
    const page = await persona.get('/solicitudes');
    expect(page.main).toContain('Todavía no hay solicitudes');
    expect(page.text).toContain('href="/solicitudes/nueva"');
  });
});

describe('the page of one', () => {
  test('shows a finished one with its package, its counts and its charge', async () => {
    const { persona, taxpayer } = await owner();
    const id = await finished(taxpayer, {}, { resumen: RESUMEN });
    const page = await persona.get(`/solicitudes/${id}`);
    expect(page.status).toBe(200);
    const { $ } = page;
    const text = page.main;
    expect(text).toContain('123.5 kB');
    expect(text).toContain('ab'.repeat(32));
    expect(text).toMatch(/CFDI40Cancelados3/);
    expect(text).toContain('se cobró 1 crédito');
    expect(textsOf($, '[aria-label="CFDI por tipo de comprobante"] tbody tr')).toEqual([
      'Ingreso30',
      'Egreso2',
      'Pago8',
    ]);
    // Two months are no chart.
    expect($('figure')).toHaveLength(0);
    expect($('#linea > details').attr('open')).toBeUndefined();
    expect($('h1').text()).toContain(`${taxpayer.rfc}: CFDI`);
    expect($('script[src*="solicitud."]')).toHaveLength(0);
  });

  test('leaves the charts out where no counts exist', async () => {
    const { persona, taxpayer } = await owner();
    const page = await persona.get(`/solicitudes/${await finished(taxpayer)}`);
    expect(page.$('figure')).toHaveLength(0);
  });

  test.each([
    ['CIEC_RECHAZADA', 'ERROR', 'no aceptó la contraseña (CIEC)', '/rfcs/'],
    ['API_KEY_REVOCADA', 'ERROR', 'fue revocada', '/rfcs/'],
    ['PLAZO_AGOTADO', 'VENCIDA', 'no entregó todo dentro del plazo', '/solicitudes/nueva?como='],
    ['SAT_RECHAZO_LA_SOLICITUD', 'RECHAZADA', 'no admitió la solicitud', '/solicitudes/nueva?como='],
  ] as const)(
    'tells why it ended with %s, what to do, and that the credit is back',
    async (motivo, estado, cause, link) => {
      const { persona, taxpayer } = await owner();
      const page = await persona.get(`/solicitudes/${await failed(taxpayer, motivo, estado, '5001')}`);
      const { $ } = page;
      const notice = $('[role="alert"]');
      expect(notice.text()).toContain(cause);
      expect(notice.text()).toContain('Se devolvió 1 crédito');
      expect(notice.find('a').attr('href')).toContain(link);
      expect($('.linea').text()).toContain('Se devolvió 1 crédito al saldo');
    },
  );

  test('tells that it waits for the e.firma, and where to store it', async () => {
    const { persona, taxpayer } = await owner();
    const id = await accepted(taxpayer, { canal: 'soap' });
    await panel.sql`DELETE FROM credencial_sellada WHERE solicitud_id = ${id}`;
    await createClaims(panel.db).awaitEfirma(await newClaim(id));
    const { $ } = await persona.get(`/solicitudes/${id}`);
    expect($('.aviso').text()).toContain('Guarde la llave otra vez: la solicitud sigue sola');
    expect($('[data-dato="proxima"]').text()).toBe('cuando guarde la llave de la e.firma');
    expect($('.linea').text()).toContain('espera a que la guarde otra vez');
  });

  test('works without scripts: it shows how things are, and a link to look again', async () => {
    const { persona, taxpayer } = await owner();
    const id = await accepted(taxpayer);
    const { $ } = await persona.get(`/solicitudes/${id}`);
    expect($('progress').attr('value')).toBe('0');
    expect($(`a[href="/solicitudes/${id}"]`).text()).toBe('Actualizar');
    expect($('script[src*="solicitud."]')).toHaveLength(1);
  });

  test('that is asked for by HEAD leaves no stream of progress open', async () => {
    const { persona, taxpayer } = await owner();
    const id = await accepted(taxpayer);
    const cookie = cookieOf(persona);
    for (let n = 0; n < 8; n += 1) {
      const { status } = await fetch(`${persona.url}/solicitudes/${id}/avance`, {
        method: 'HEAD',
        headers: { cookie },
      });
      expect(status).toBe(200);
    }
    expect(panel.deps.seguimiento.abiertos).toBe(0);
  });

  test('tells a long timeline in a few steps: how many months are copied, and each failure as one', async () => {
    const { persona, taxpayer } = await owner();
    const id = await accepted(taxpayer);
    const months = Array.from({ length: 24 }, (_, at) => new Date(Date.UTC(2023, at, 1)).toISOString().slice(0, 7));
    const put = (text: string, values: readonly unknown[]) => panel.db.pool.query(text, [...values]);
    await put('DELETE FROM parte WHERE solicitud_id = $1', [id]);
    for (const [at, month] of months.entries())
      await put(
        `INSERT INTO parte (id, solicitud_id, inicio, fin, estado) VALUES (gen_random_uuid(), $1, $2, $3, $4)`,
        [id, `${month}-01T00:00:00`, `${month}-28T23:59:59`, at < 23 ? 'DESCARGADA' : 'SOLICITADA'],
      );
    const note = (tipo: string, times: number, codigo: string | null, detalle: string | null) =>
      put(
        'INSERT INTO evento (solicitud_id, tipo, codigo, detalle) SELECT $1, $2, $4, $5 FROM generate_series(1, $3)',
        [id, tipo, times, codigo, detalle],
      );
    await note('SOLICITADA', 24, 'folio', '2023-01-01T00:00:00/2023-01-28T23:59:59');
    await note('SAT_EN_PROCESO', 120, null, null);
    await note('SAT_SIN_RESPUESTA', 3, null, 'NO_RESPONDE');
    await note('SAT_SIN_RESPUESTA', 2, null, 'TIEMPO_AGOTADO');
    await note('FALLO_INTERNO', 1, '57014', null);
    await note('PAQUETE_GUARDADO', 23, 'p', null);
    const { $ } = await persona.get(`/solicitudes/${id}`);
    const steps = $('#linea > .linea > li')
      .toArray()
      .map((each) => `${$(each).attr('class')}: ${$('div', each).first().text()}`);
    expect(steps).toEqual([
      'info: 23 de 24 meses copiados.',
      'error: Un paso falló de nuestro lado. Se intentará de nuevo.',
      'error: El SAT no dio respuesta: tardó demasiado en contestar. Se intentará de nuevo. Pasó 2 veces; esta fue la última.',
      'error: El SAT no dio respuesta: no contestó. Se intentará de nuevo. Pasó 3 veces; esta fue la última.',
      'neutro: Se preguntó al SAT 120 veces mientras preparaba lo pedido.',
      'info: El SAT aceptó 24 peticiones.',
      'neutro: Se aceptó la solicitud y se cobró 1 crédito.',
    ]);
    expect($('[data-dato="partes"]').text()).toBe('23 de 24 meses copiados');
  });

  test('pages through a long timeline', async () => {
    const { persona, taxpayer } = await owner();
    const id = await accepted(taxpayer);
    await panel.sql`INSERT INTO evento (solicitud_id, tipo) SELECT ${id}, 'SAT_EN_PROCESO'
      FROM generate_series(1, 100)`;
    const first = (await persona.get(`/solicitudes/${id}`)).$;
    expect(first('details .linea > li')).toHaveLength(60);
    expect(first('#linea details').attr('open')).toBeUndefined();
    const older =
      first('a')
        .filter((_, a) => first(a).text() === 'Ver lo anterior')
        .attr('href') ?? '';
    const second = (await persona.get(older.replace('#linea', ''))).$;
    expect(second('details .linea > li')).toHaveLength(40);
    expect(second('#linea details').attr('open')).toBeDefined();
    expect(second('#linea > .linea').text()).toContain('Se aceptó la solicitud y se cobró 1 crédito');
  });
});

describe('the download', () => {
  test('signs an address at the click, and notes who downloaded', async () => {
    const { persona, taxpayer } = await owner();
    const id = await finished(taxpayer);
    const answer = await persona.submit(`/solicitudes/${id}`, `/solicitudes/${id}/descargar`);
    expect(answer.status).toBe(200);
    const url = answer.$('a[href*="X-Amz-Signature"]').attr('href') ?? '';
    expect(url).toContain(`solicitudes/${id}/paquete.zip`);
    expect(answer.headers.get('refresh')).toBe(`0; url=${url}`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const rows = await panel.sql`SELECT actor, ip, cuenta_id FROM auditoria
      WHERE accion = 'descargar-paquete' AND detalle->>'solicitud' = ${id}`;
    expect(rows).toEqual([{ actor: `usuario:${persona.usuarioId}`, ip: '127.0.0.1', cuenta_id: persona.cuentaId }]);
  });

  test('says why there is nothing to download: unfinished, ended without a package, past its retention', async () => {
    const { persona, taxpayer } = await owner();
    const csrf = await persona.csrf('/solicitudes/nueva');
    const gone = await finished(taxpayer);
    await panel.sql`UPDATE solicitud SET paquete_borrado_en = now() WHERE id = ${gone}`;
    const ask = (id: string) => persona.post(`/solicitudes/${id}/descargar`, { _csrf: csrf });
    const without = await failed(taxpayer, 'PLAZO_AGOTADO', 'VENCIDA');
    const unfinished = await accepted(taxpayer);
    for (const [id, status, code] of [
      [unfinished, 409, '3002'],
      [without, 409, '3003'],
      [gone, 410, '3004'],
    ] as const) {
      const answer = await ask(id);
      expect([answer.status, answer.main.includes(`código ${code}`)]).toEqual([status, true]);
      expect(answer.text).not.toContain('X-Amz-Signature');
    }
    const page = (await persona.get(`/solicitudes/${gone}`)).$;
    expect(page('form[action$="/descargar"]')).toHaveLength(0);
    expect(page('main').text()).toContain('El ZIP ya se borró');
  });
});

describe('cancelling', () => {
  test('asks first, then ends the solicitud, gives the credit back and notes who did it', async () => {
    const { persona, taxpayer } = await owner();
    const id = await accepted(taxpayer);
    const detail = (await persona.get(`/solicitudes/${id}`)).$;
    expect(detail(`a[href="/solicitudes/${id}/cancelar"]`)).toHaveLength(1);
    const asked = (await persona.get(`/solicitudes/${id}/cancelar`)).main;
    expect(asked).toContain('Se devuelve 1 crédito');
    const answer = await persona.submit(`/solicitudes/${id}/cancelar`, `/solicitudes/${id}/cancelar`);
    expect(answer.headers.get('location')).toBe(`/solicitudes/${id}`);
    const page = (await persona.get(`/solicitudes/${id}`)).main;
    expect(page).toContain('Se canceló antes de terminar');
    expect(page).toContain('Se devolvió 1 crédito');
    expect((await persona.get(`/solicitudes/${id}/cancelar`)).headers.get('location')).toBe(`/solicitudes/${id}`);
    const rows = await panel.sql`SELECT actor FROM auditoria
      WHERE accion = 'cancelar-solicitud' AND detalle->>'solicitud' = ${id}`;
    expect(rows).toEqual([{ actor: `usuario:${persona.usuarioId}` }]);
  });

  test('leaves one that has ended as it is', async () => {
    const { persona, taxpayer } = await owner();
    const id = await finished(taxpayer);
    const csrf = await persona.csrf('/solicitudes/nueva');
    await persona.post(`/solicitudes/${id}/cancelar`, { _csrf: csrf });
    expect((await persona.get(`/solicitudes/${id}`)).main).toContain('Terminada');
  });
});
