/** A guard of a promise, its removal, and the test files that must notice. */
export interface Guard {
  readonly name: string;
  /** Where it stands, from the root of the checkout. */
  readonly file: string;
  /** Each text stands exactly `times` (1) in the file, so that a guard that moved is missed here and not overlooked. */
  readonly edits: readonly { readonly from: string; readonly to: string; readonly times?: number }[];
  readonly tests: readonly string[];
}

/** Text of the guard's file without the guard. @throws Error when an edit does not stand there as often as declared. */
export function textWithout({ name, file, edits }: Guard, text: string): string {
  let rest = text;
  for (const { from, to, times = 1 } of edits) {
    const found = rest.split(from).length - 1;
    if (found !== times) throw new Error(`${name}: «${from}» stands ${found} times in ${file}, not ${times}`);
    rest = rest.replaceAll(from, to);
  }
  return rest;
}

const ALMACEN = 'test/integration/almacen/merge.test.ts';
const db = (name: string) => `test/integration/db/${name}.test.ts`;

/** One of each kind on which a promise of the README stands. */
export const GUARDS: readonly Guard[] = [
  {
    name: 'the epoch that fences a worker whose claim is over',
    file: 'packages/db/src/claims/claims.ts',
    edits: [{ from: 'WHERE id = $1 AND epoch = $2', to: 'WHERE id = $1 AND epoch >= $2', times: 5 }],
    tests: [db('claims'), db('carreras')],
  },
  {
    name: 'the epoch that fences what such a worker writes and gives back',
    file: 'packages/db/src/claims/avance.ts',
    edits: [{ from: 's.epoch = e.epoch', to: 's.epoch >= e.epoch' }],
    tests: [db('claims')],
  },
  {
    name: 'the lock under which one process alone coordinates',
    file: 'packages/db/src/instalacion/session.ts',
    edits: [{ from: "WHERE pg_try_advisory_lock(hashtext('acuse_rol_' || rol))", to: 'WHERE true' }],
    tests: ['test/integration/muerte/coordinador.test.ts'],
  },
  {
    name: 'the job that comes again when a member of it was not begun',
    file: 'packages/queue/src/consumer.ts',
    edits: [{ from: '      return false;', to: '      return true;' }],
    tests: ['test/integration/queue/queue.test.ts'],
  },
  {
    name: 'the slots that the members of a job wait for',
    file: 'packages/queue/src/consumer.ts',
    edits: [{ from: 'createSemaphore({ total: concurrency })', to: 'createSemaphore({})' }],
    tests: ['test/integration/queue/queue.test.ts'],
  },
  {
    name: 'the claim that belongs to its own member of a job',
    file: 'packages/db/src/claims/claims.ts',
    edits: [{ from: 'taken.get(solicitudId) ?? null', to: '[...taken.values()].at(-1) ?? null' }],
    tests: [db('claims')],
  },
  {
    name: 'the unique key that lets a charge and its refund into the ledger once',
    file: 'prisma/migrations/20261124172901_base/migration.sql',
    edits: [{ from: 'CREATE UNIQUE INDEX movimiento_op_id_tipo_key', to: 'CREATE INDEX movimiento_op_id_tipo_key' }],
    tests: [db('esquema')],
  },
  {
    name: 'the reconciler that wakes solicitudes whose claim lapsed',
    file: 'apps/worker/src/roles/reconciler.ts',
    edits: [
      { from: 'await sweeper.wakeOverdue(', to: 'Object.assign({ woken: 0, isLate: true, isAbandoned: true }, ' },
    ],
    tests: ['apps/worker/src/roles/reconciler.test.ts'],
  },
  {
    name: 'a field of requests that callers of the released API leave out',
    file: 'apps/api/src/operations/uso/consultar.ts',
    edits: [
      {
        from: "desde: fechaField.meta({ example: '2026-01-01' }).optional(),",
        to: "desde: fechaField.meta({ example: '2026-01-01' }),",
      },
    ],
    tests: ['test/contract/changelog.test.ts'],
  },
  {
    name: 'the Ed25519 signature of a manifest',
    file: 'apps/cli/src/verificar/verificar.ts',
    edits: [{ from: 'if (!verify(null,', to: 'if (key === null && !verify(null,' }],
    tests: ['apps/cli/src/verificar/verificar.test.ts'],
  },
  {
    name: 'the XML of a member in the ZIP',
    file: 'packages/storage/src/xml/deliver-xml.ts',
    edits: [
      {
        from: 'await add(index.pathAt(place))',
        to: 'if (place !== 1) await add(index.pathAt(place))',
      },
    ],
    tests: ['packages/storage/src/xml/deliver-xml.test.ts'],
  },
  {
    name: 'the condition that a part of an object is of the version that was begun',
    file: 'packages/storage/src/s3/s3-store.ts',
    edits: [{ from: "version === '' ? {} : { IfMatch: version }", to: "version === '' ? {} : {}" }],
    tests: ['packages/storage/src/s3/paquetes-s3.test.ts'],
  },
  {
    name: 'the predicate that ends the sealed copies of a solicitud with their hour',
    file: 'packages/db/src/claims/claims.ts',
    edits: [
      { from: "ciec.tipo = 'ciec' AND ciec.expira_en > now()", to: "ciec.tipo = 'ciec'" },
      { from: "efirma.tipo = 'efirma' AND efirma.expira_en > now()", to: "efirma.tipo = 'efirma'" },
    ],
    tests: [db('claims')],
  },
  {
    name: 'the end of what an e.firma signed beforehand',
    file: 'packages/capsula/src/db.ts',
    edits: [{ from: 'x.solicitud_id = t.id AND x.expira_en > now()', to: 'x.solicitud_id = t.id' }],
    tests: [db('capsula')],
  },
  {
    name: 'the e.firma and the key without which nothing that was signed beforehand is kept',
    file: 'packages/capsula/src/db.ts',
    edits: [
      {
        from: "AND c.tipo = 'efirma_cer' AND c.no_serie = $7",
        to: "AND c.tipo = 'efirma_cer' AND $7::text IS NOT NULL",
      },
    ],
    tests: [db('capsula')],
  },
  {
    name: 'the end of an API key that ends what was signed beforehand under it',
    file: 'prisma/functions/capsula.sql',
    edits: [{ from: "(OLD.estado = 'ACTIVA' AND NEW.estado <> 'ACTIVA')", to: '(false)' }],
    tests: [db('capsula')],
  },
  {
    name: 'the hour of a stored e.firma key, where snapshots are remembered',
    file: 'apps/api/src/http/credenciales.ts',
    edits: [{ from: '!isLive(key.expiraEn, now)', to: 'now === null' }],
    tests: ['apps/api/src/http/credenciales.test.ts'],
  },
  {
    name: 'the hour of a stored e.firma key, where it is read',
    file: 'packages/db/src/access-snapshots.ts',
    edits: [{ from: '.expira_en > now())', to: '.expira_en IS NOT NULL)' }],
    tests: [db('associate')],
  },
  {
    name: 'the associated data that tie a sealed credential to its row',
    file: 'packages/vault/src/crypto/aes-gcm.ts',
    edits: [
      { from: '  decipher.setAAD(aad);\n', to: '  void aad;\n' },
      { from: '  cipher.setAAD(aad);\n', to: '  void aad;\n' },
    ],
    tests: ['packages/vault/src/envelope', 'packages/vault/src/crypto'],
  },
  {
    name: "the filter that hides one taxpayer's solicitudes from another",
    file: 'packages/db/src/solicitudes/solicitudes.ts',
    edits: [{ from: 'WHERE s.id = $1 AND s.contribuyente_id = $2', to: 'WHERE s.id = $1 AND $2::uuid IS NOT NULL' }],
    tests: [db('accept')],
  },
  {
    name: 'the length of an authentication tag',
    file: 'packages/vault/src/crypto/aes-gcm.ts',
    edits: [{ from: 'GCM_TAG_BYTES = 16', to: 'GCM_TAG_BYTES = 4' }],
    tests: ['packages/vault/src/crypto', 'packages/vault/src/envelope'],
  },
  {
    name: "the limit of an API key's calls",
    file: 'apps/api/src/http/pipeline.ts',
    edits: [
      {
        from: "if (!allowed) throw new CfdiError('DEMASIADAS_PETICIONES'",
        to: "if (!allowed && !llamada) throw new CfdiError('DEMASIADAS_PETICIONES'",
      },
    ],
    tests: ['apps/api/src/http'],
  },
  {
    name: "the token that tells the panel's own forms from another site's",
    file: 'packages/page/src/http/responder.ts',
    edits: [{ from: 'if (!peticion.browser.isCsrf(', to: 'if (peticion === null && !peticion.browser.isCsrf(' }],
    tests: ['test/integration/panel/seguridad.test.ts', 'test/integration/panel/acceso.test.ts'],
  },
  {
    name: 'what a role in an account does not allow',
    file: 'packages/page/src/http/responder.ts',
    edits: [{ from: 'return puede(usuario.papel, accion, acceso) ? null', to: 'return accion !== undefined ? null' }],
    tests: ['test/integration/panel/papeles.test.ts'],
  },
  {
    name: 'the lock by which two owners do not take the account from each other at once',
    file: 'packages/db/src/cuentas/equipo.ts',
    edits: [{ from: 'ORDER BY m.usuario_id FOR UPDATE OF m', to: 'ORDER BY m.usuario_id' }],
    tests: [db('equipo')],
  },
  {
    name: 'the address that an invitation is for',
    file: 'packages/db/src/cuentas/invitaciones.ts',
    edits: [{ from: ' AND u.id = $2 AND u.email = i.email', to: ' AND u.id = $2' }],
    tests: ['test/integration/panel/equipo.test.ts'],
  },
  {
    name: 'the check that an API key was not revoked',
    file: 'apps/api/src/http/pipeline.ts',
    edits: [
      { from: "if (found.access.apiKey.estado !== 'ACTIVA')", to: 'if (found.access.apiKey.estado === undefined)' },
    ],
    tests: ['apps/api/src/http', 'test/integration/panel/rfcs-llaves.test.ts'],
  },
  {
    name: 'the price that a live key pays whatever its process states',
    file: 'prisma/functions/solicitud.sql',
    edits: [{ from: "p.gratis AND k.modo = 'test'", to: 'p.gratis' }],
    tests: [db('ordenes-prohibidas')],
  },
  {
    name: 'the open call that a refund demands',
    file: 'prisma/functions/libro.sql',
    edits: [{ from: 'IF NOT FOUND AND NOT (tambien_cerrada', to: 'IF NOT FOUND AND false AND NOT (tambien_cerrada' }],
    tests: [db('ordenes-prohibidas')],
  },
  {
    name: 'the operator whom credits demand',
    file: 'prisma/functions/libro.sql',
    edits: [{ from: "u.rol = 'OPERADOR'", to: 'u.rol IS NOT NULL' }],
    tests: [db('ordenes-prohibidas')],
  },
  {
    name: 'the refund of a solicitud that failed or came to its deadline',
    file: 'prisma/functions/solicitud.sql',
    edits: [{ from: 'PERFORM libro_devuelve(fin, por);', to: "PERFORM libro_devuelve('{}', por);" }],
    tests: [db('claims'), db('cancel')],
  },
  {
    name: 'the share of the slots that an account may have',
    file: 'packages/db/src/outbox.ts',
    edits: [
      {
        from: 'OVER (PARTITION BY cuenta_id ORDER BY due_at, solicitud_id) AS nth',
        to: 'OVER (ORDER BY due_at, solicitud_id) * 0 AS nth',
      },
    ],
    tests: [db('outbox')],
  },
  {
    name: 'the second wake-up, under its generation, of what a queue lost',
    file: 'packages/db/src/outbox.ts',
    edits: [{ from: 'AND (SELECT processes > 0 FROM consumers_', to: 'AND false AND (SELECT true FROM consumers_' }],
    tests: [db('outbox')],
  },
  {
    name: 'the consent that each step of a reading looks for',
    file: 'packages/sincronizacion/src/db/tramos.ts',
    edits: [
      {
        from: 'k.sincronizacion_id = t.sincronizacion_id AND k.expira_en > now()',
        to: 'k.sincronizacion_id = t.sincronizacion_id',
      },
    ],
    tests: [db('consentimiento')],
  },
  {
    name: 'the consent without which nothing is asked for',
    file: 'prisma/functions/sincronizacion.sql',
    edits: [{ from: 'k.sincronizacion_id = de AND k.expira_en > now())', to: 'k.sincronizacion_id = de)' }],
    tests: [db('consentimiento')],
  },
  {
    name: 'the confirmation of a last reading from which some are missing',
    file: 'packages/sincronizacion/src/agenda.ts',
    edits: [{ from: 'if (!isDudosa && ausentes === 0 && !isUnmatched)', to: 'if (!isUnmatched)' }],
    tests: ['test/integration/almacen/ultima.test.ts'],
  },
  {
    name: 'the wait of a reading while one that overlaps is under way',
    file: 'prisma/functions/sincronizacion.sql',
    edits: [{ from: 't.desde <= h AND t.hasta >= d)', to: 't.desde <= h AND t.hasta >= d AND false)' }],
    tests: [db('consentimiento')],
  },
  {
    name: 'what is asked for of the settings that a subscription holds alone',
    file: 'prisma/functions/sincronizacion.sql',
    edits: [{ from: "(que = 'emitidos' AND NOT s.emitidos) OR (que = 'recibidos' AND NOT s.recibidos)", to: 'false' }],
    tests: ['test/integration/almacen/cobros.test.ts'],
  },
  {
    name: 'the credit of a doubted reading that is given back',
    file: 'prisma/functions/sincronizacion.sql',
    edits: [{ from: 'l.solicitud_id = leida AND NOT l.es_dudosa)', to: 'l.solicitud_id = leida)' }],
    tests: ['test/integration/almacen/cobros.test.ts'],
  },
  {
    name: 'the note by which a package is merged once',
    file: 'packages/sincronizacion/src/db/merge.ts',
    edits: [{ from: 'if (known !== null) return known;', to: 'void known;' }],
    tests: [ALMACEN],
  },
  {
    name: 'the lock of a store under which its changes are numbered',
    file: 'packages/sincronizacion/src/db/merge.ts',
    edits: [{ from: "borrado_en IS NULL FOR NO KEY UPDATE'", to: "borrado_en IS NULL'" }],
    tests: [ALMACEN],
  },
  {
    name: 'the doubt in an answer from which much is missing',
    file: 'packages/sincronizacion/src/db/merge.ts',
    edits: [{ from: 'const POCOS_AUSENTES = 20;', to: 'const POCOS_AUSENTES = 2_000_000;' }],
    tests: [ALMACEN],
  },
  {
    name: 'the doubt in an empty answer that nobody confirmed',
    file: 'packages/sincronizacion/src/db/merge.ts',
    edits: [{ from: '(NOT $7 AND NOT EXISTS (SELECT FROM leido))', to: '(NOT $7 AND false)' }],
    tests: [ALMACEN],
  },
  {
    name: 'the choice of XML: in the first reading of a period, and for days with new CFDI',
    file: 'prisma/functions/sincronizacion.sql',
    edits: [{ from: "(cual = '0001-02-01' OR NOT EXISTS (", to: '(true OR NOT EXISTS (' }],
    tests: ['test/integration/flujo/sincronizacion-xml.test.ts'],
  },
  {
    name: 'the retention of the package that holds an XML',
    file: 'packages/sincronizacion/src/db/almacen.ts',
    edits: [{ from: ' AND q.paquete_borrado_en IS NULL', to: '' }],
    tests: ['test/integration/flujo/sincronizacion-xml.test.ts'],
  },
  {
    name: 'the published lists that are there, which alone a store is crossed with',
    file: 'packages/riesgo/src/db/riesgo.ts',
    edits: [{ from: 'salio_en IS NULL AND lista = ANY ($3::text[])', to: 'salio_en IS NULL' }],
    tests: ['test/integration/almacen/riesgo-69.test.ts'],
  },
  {
    name: 'the rows that a published list has to keep',
    file: 'packages/listas/src/db/carga-listas.ts',
    edits: [{ from: 'if (filas >= least) return;', to: 'if (filas >= least || filas > 0) return;' }],
    tests: ['test/integration/listas/carga.test.ts'],
  },
  {
    name: 'the accounts below which published figures of waiting are none',
    file: 'packages/core/src/salud/esperas.ts',
    edits: [{ from: 'bitsOf(grupos) < cuentas', to: 'bitsOf(grupos) < 0 * cuentas' }],
    tests: ['packages/core/src/salud'],
  },
  {
    name: 'the mode of the key that asks who of the counterparties is listed',
    file: 'packages/sincronizacion/src/api/fields.ts',
    edits: [{ from: 'access.contribuyenteId, access.apiKey.modo', to: 'access.contribuyenteId, null' }],
    tests: ['test/integration/flujo/modos.test.ts'],
  },
  {
    name: 'the UUID of its row that an XML of the portal has to hold',
    file: 'packages/sat/src/portal/consultas/bajar-xml.ts',
    edits: [{ from: 'if (texto.includes(', to: 'if (!texto.startsWith(' }],
    tests: ['test/sat/bajar-xml.test.ts'],
  },
  {
    name: 'the cap at which the portal is asked for smaller periods before it gives XML',
    file: 'packages/sat/src/portal/consultas/bajar-xml.ts',
    edits: [{ from: "if (topada) return { resultado: 'DEMASIADOS' };", to: '' }],
    tests: ['test/sat/bajar-xml.test.ts'],
  },
];
