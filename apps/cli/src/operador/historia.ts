import type { Traza } from '@acuse/db';

interface Entry {
  readonly en: Date;
  readonly texto: string;
}

type Paso = Traza['pasos'][number];

/** Steps beyond which a claim is no dead worker's: a database that was restored goes on so far above (recuperar). */
const RESTORED = 1_000;

const seconds = (ms: number) => `${(ms / 1_000).toLocaleString('es-MX', { maximumFractionDigits: 3 })} s`;
const times = (veces: number) => (veces === 1 ? '' : ` ×${veces}`);
const creditos = (n: number) => `${n} crédito${Math.abs(n) === 1 ? '' : 's'}`;
/** The words that are there, in parentheses. */
const aside = (...words: readonly (string | null | false)[]): string => {
  const said = words.filter((word) => word);
  return said.length === 0 ? '' : ` (${said.join('; ')})`;
};

function acceptedOf({ solicitud: s }: Traza): Entry {
  return {
    en: s.creada_en,
    texto: `Aceptada: ${s.tipo} del ${s.desde} al ${s.hasta} de ${s.rfc} en ${s.formato}, por ${s.canal}, con la API key ${s.api_key} (${s.modo}) de ${s.cuenta}`,
  };
}

function pasoText({ epoch, cola, notas, proceso, bandeja_ms, cola_ms, ms, consultas, veces, ultimo_en }: Paso): string {
  const waits =
    bandeja_ms === null || cola_ms === null
      ? 'espera desconocida'
      : `esperó ${seconds(bandeja_ms)} en la bandeja y ${seconds(cola_ms)} en la cola`;
  const asked = (consultas ?? []).map(
    ({ host, resultado, codigo, veces: n, ms: took }) =>
      `${host}${times(n)}: ${resultado}${codigo === undefined ? '' : ` ${codigo}`} en ${seconds(took)}`,
  );
  const noted = notas === '' ? 'nada nuevo' : notas.replaceAll(',', ', ');
  const again = ultimo_en === null ? '' : `, el último el ${ultimo_en.toISOString()} y los tiempos, los mayores`;
  return `Paso ${epoch} de ${cola}${times(veces)}: ${noted}${aside(`${proceso}${again}`, waits, `trabajó ${seconds(ms)}`, ...asked.map((each) => `SAT ${each}`))}`;
}

/** Steps in order, with unreleased claims between them: a claim counts one, a step two. */
function pasosOf({ pasos }: Traza): Entry[] {
  const entries: Entry[] = [];
  let expected: number | null = null;
  for (const paso of pasos) {
    const lost: number = expected === null ? 0 : paso.epoch - expected;
    if (lost >= RESTORED) entries.push({ en: paso.en, texto: 'La base se restauró de un respaldo antes de este paso' });
    else if (lost > 0)
      entries.push({
        en: paso.en,
        texto: `${lost === 1 ? 'Una toma' : `${lost} tomas`} que nadie devolvió antes de este paso: el worker murió, o quedó sin la base de datos más de lo que dura la toma`,
      });
    entries.push({ en: paso.en, texto: pasoText(paso) });
    expected = paso.epoch + (paso.notas === 'ESPERA_EFIRMA' ? 1 : 2 * paso.veces);
  }
  return entries;
}

function webhooksOf({ webhooks }: Traza): Entry[] {
  return webhooks.flatMap(({ en, tipo, receptor, estado, intentos_hechos }) => [
    { en, texto: `Aviso ${tipo} para ${receptor}: ${estado}` },
    ...intentos_hechos.map(({ en: at, status, error, ms }, index) => ({
      en: new Date(at),
      texto: `Envío ${index + 1} de ${tipo} a ${receptor}: ${status ?? error ?? 'sin respuesta'} en ${seconds(ms)}`,
    })),
  ]);
}

/** What happened, in the order of time. */
function entriesOf(traza: Traza): Entry[] {
  const { movimientos, eventos, partes, auditoria, solicitud } = traza;
  const gone = [
    [solicitud.paquete_borrado_en, 'El paquete cumplió su plazo y ya no se entrega'],
    [solicitud.objetos_borrados_en, 'Se borraron sus objetos del almacén'],
    [solicitud.rastro_borrado_en, 'Se borró su rastro: partes, eventos y pasos'],
  ] as const;
  return [
    acceptedOf(traza),
    ...movimientos.map(({ en, tipo, importe, detalle }) => ({
      en,
      texto: `${tipo === 'cargo' ? 'Cargo' : 'Devolución'} de ${creditos(Math.abs(importe))}${aside(detalle)}`,
    })),
    ...pasosOf(traza),
    ...eventos.map(({ en, tipo, codigo, detalle, veces, ultima_en }) => ({
      en,
      texto: `${tipo}${times(veces)}${aside(codigo, detalle, ultima_en && `la última vez el ${ultima_en.toISOString()}`)}`,
    })),
    ...partes.flatMap(({ paquetes }) =>
      paquetes.flatMap(({ paquete, guardado_en, bytes }) =>
        guardado_en === null
          ? []
          : [
              {
                en: new Date(guardado_en),
                texto: `Paquete ${paquete} del SAT guardado${aside(bytes === null ? null : `${bytes} bytes`)}`,
              },
            ],
      ),
    ),
    ...webhooksOf(traza),
    ...auditoria.map(({ en, accion, actor, ip }) => ({ en, texto: `Auditoría: ${accion} por ${actor}${aside(ip)}` })),
    ...gone.flatMap(([en, texto]) => (en === null ? [] : [{ en, texto }])),
  ].sort((a, b) => a.en.getTime() - b.en.getTime());
}

/** Where it is now. */
function nowOf({ solicitud: s, partes, copias_selladas }: Traza): string[] {
  const lines = [
    `Estado: ${s.estado}${aside(s.motivo, s.terminada_en === null ? `fase ${s.fase}` : `${s.registros ?? 0} registros`, s.confianza)}`,
  ];
  if (s.terminada_en !== null) return lines;
  lines.push(`Plazo: ${s.plazo.toISOString()}; consultas al SAT: ${s.intentos}`);
  if (s.toma_hasta !== null) lines.push(`La tiene un worker hasta ${s.toma_hasta.toISOString()}, si no la renueva`);
  else if (s.timbre_en_cola_desde !== null)
    lines.push(
      `Su timbre está en la cola ${s.cola} desde ${s.timbre_en_cola_desde.toISOString()} y nadie lo ha tomado`,
    );
  else if (s.timbre_vence_en !== null) lines.push(`Siguiente paso (${s.cola}): ${s.timbre_vence_en.toISOString()}`);
  for (const { tipo, expira_en } of copias_selladas)
    lines.push(
      `${tipo === 'capsula' ? 'Cápsula de la e.firma' : `Copia sellada de la credencial (${tipo})`} hasta ${expira_en.toISOString()}`,
    );
  for (const { inicio, fin, estado, canal, envios, consultas, fallos, vence_en } of partes)
    if (estado !== 'DESCARGADA' && estado !== 'VACIA')
      lines.push(
        `Parte ${inicio}/${fin}: ${estado} por ${canal}${aside(`${envios} envíos`, `${consultas} consultas`, fallos > 0 && `${fallos} fallos seguidos`, `se mira el ${vence_en.toISOString()}`)}`,
      );
  return lines;
}

/** The story of a solicitud, line by line, for a person; times in UTC, as in the log. */
export function tellTraza(traza: Traza): string[] {
  const { id, traceparent } = traza.solicitud;
  return [
    `Solicitud ${id}${aside(traceparent && `traza de OpenTelemetry ${traceparent.split('-')[1]}`)}`,
    ...entriesOf(traza).map(({ en, texto }) => `${en.toISOString()}  ${texto}.`),
    ...nowOf(traza).map((line) => `${line}.`),
  ];
}
