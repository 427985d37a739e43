import type { DatosDeSalud } from '@acuse/core';
import { createStaticFile, type StaticFile } from '@acuse/runtime';
import type { Child } from 'hono/jsx';
import { TEXTOS, type Textos } from './estado-textos.ts';
import { type Language, OTHER, STATUS, STATUS_JSON } from './pages.ts';

/** Reads the public health of the SAT; rejects when no reading ever succeeded. */
export type SaludPublicada = () => Promise<DatosDeSalud>;

/** A page that the site is drawn around. */
interface StatusPage {
  readonly language: Language;
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  readonly other: string;
  readonly children: Child;
}

/** Milliseconds after which figures are called old: a reading is tried every minute. */
const VIEJAS_MS = 5 * 60_000;
const DIA_MS = 24 * 3_600_000;

/** Files on the SAT's health, made again when there are new figures. `draw` draws the site around a page. */
export function createStatusFiles(options: {
  readonly salud: SaludPublicada;
  readonly now: () => Date;
  readonly draw: (page: StatusPage) => string;
}) {
  const { salud, now, draw } = options;
  let made: { readonly key: string; readonly files: Map<string, StaticFile> } | null = null;

  async function fileOf(name: string, extension: string, make: (datos: DatosDeSalud | null, isOld: boolean) => string) {
    const datos = await salud().catch(() => null);
    const isOld = datos !== null && now().getTime() - Date.parse(datos.cifras_de) > VIEJAS_MS;
    const key = `${datos?.cifras_de} ${isOld}`;
    if (made?.key !== key) made = { key, files: new Map() };
    const file = made.files.get(name) ?? createStaticFile(make(datos, isOld), extension);
    made.files.set(name, file);
    return { file, isKnown: datos !== null };
  }

  return {
    /** The page, and whether there is anything to tell. */
    page: (language: Language) =>
      fileOf(language, 'html', (datos, isOld) => {
        const textos = TEXTOS[language];
        const { title, summary } = textos;
        const children =
          datos === null ? <Nothing textos={textos} /> : <Figures textos={textos} datos={datos} isOld={isOld} />;
        return draw({ language, path: STATUS[language], title, summary, other: STATUS[OTHER[language]], children });
      }),
    /** The same for programs. */
    json: () => fileOf('json', 'json', (datos) => JSON.stringify(datos ?? { error: 'SIN_CIFRAS' })),
  };
}

function Nothing({ textos }: { readonly textos: Textos }) {
  return (
    <>
      <h1>{textos.title}</h1>
      <p>{textos.summary}</p>
      <h2>{textos.none}</h2>
      <p>{textos.noneText}</p>
    </>
  );
}

function Figures({
  textos,
  datos,
  isOld,
}: {
  readonly textos: Textos;
  readonly datos: DatosDeSalud;
  readonly isOld: boolean;
}) {
  const { canales, descargas, servicio, cifras_de, modo } = datos;
  const number = new Intl.NumberFormat(textos.locale, { maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(textos.locale, { style: 'percent' });
  const seconds = (ms: number | null) =>
    ms === null ? '—' : ms < 50 ? `< ${number.format(0.1)} s` : `${number.format(ms / 1_000)} s`;
  const when = (iso: string) => <Instante iso={iso} locale={textos.locale} />;
  const leida = Date.parse(cifras_de);
  return (
    <>
      <h1>{textos.title}</h1>
      <p>{textos.summary}</p>
      <p>
        {textos.of} {when(cifras_de)}. {isOld ? <strong>{textos.stale}</strong> : textos.reload}
      </p>
      {modo === 'test' ? <p>{textos.simulated}</p> : null}
      <h2 id="canales">{textos.channels}</h2>
      <Tabla
        titulo={textos.channels}
        heads={textos.channelHeads}
        rows={canales.map(({ canal, estado, desde, fallas, mediana_ms, p90_ms }) => [
          textos.channelNames[canal],
          <>
            <strong>{textos.states[estado]}</strong>{' '}
            {desde === null ? null : leida - Date.parse(desde) >= DIA_MS ? (
              textos.longer
            ) : (
              <>
                {textos.since} {when(desde)}
              </>
            )}
          </>,
          fallas === null ? '—' : percent.format(fallas),
          seconds(mediana_ms),
          seconds(p90_ms),
        ])}
      />
      <h2 id="descargas">{textos.downloads}</h2>
      <p>{textos.downloadsText}</p>
      <Tabla
        titulo={textos.downloads}
        heads={textos.downloadHeads}
        rows={descargas.map(({ canal, tipo, a_esta_hora, ultimas_24_horas }) => [
          `${textos.kinds[tipo]} ${textos.by[canal]}`,
          ...[a_esta_hora, ultimas_24_horas].map((espera) =>
            espera === null
              ? textos.few
              : textos.wait(
                  number.format(espera.mediana_minutos),
                  number.format(espera.p90_minutos),
                  number.format(espera.muestras),
                ),
          ),
        ])}
      />
      <h2 id="servicio">{textos.service}</h2>
      <ul>
        {textos.serviceItems(servicio).map((item) => (
          <li>{item}</li>
        ))}
      </ul>
      <h2 id="que-quiere-decir">{textos.meaning}</h2>
      <ul>
        {textos.meanings.map(([name, text]) => (
          <li>
            <strong>{name}</strong>: {text}
          </li>
        ))}
      </ul>
      <p>{textos.source}</p>
      <p>
        <a href={STATUS_JSON}>{textos.json}</a>
      </p>
    </>
  );
}

function Instante({ iso, locale }: { readonly iso: string; readonly locale: string }) {
  const formato = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
    timeZone: 'America/Mexico_City',
  });
  return <time datetime={iso}>{formato.format(new Date(iso))}</time>;
}

function Tabla(props: {
  readonly titulo: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly Child[])[];
}) {
  return (
    <section class="deslizable" tabindex={0} aria-label={props.titulo}>
      <table>
        <thead>
          <tr>
            {props.heads.map((head) => (
              <th scope="col">{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map(([first, ...rest]) => (
            <tr>
              <th scope="row">{first}</th>
              {rest.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
