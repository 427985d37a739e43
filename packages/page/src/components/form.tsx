import { type Child, createContext, type PropsWithChildren, useContext } from 'hono/jsx';

/**
 * What may stand in an `href`: a path of this panel, a fragment, or an absolute http(s) or mailto address. Anything
 * else, above all `javascript:` and `//host`, becomes `#`, so that text from the authority or from a user can never
 * become a program.
 */
export function safeHref(href: string): string {
  if (/^(\/(?![/\\])|#|\?)/.test(href)) return hasControl(href) ? '#' : href;
  return /^(https?:\/\/|mailto:)[^\s]/i.test(href) && !hasControl(href) ? href : '#';
}

/** An address of the panel with these values in its query, except empty ones. */
export function hrefWith(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Browsers drop tabs and line breaks from addresses, so that `/\t/host` would be another host. */
function hasControl(text: string): boolean {
  return [...text].some((letter) => letter.charCodeAt(0) < 0x20 || letter.charCodeAt(0) === 0x7f);
}

type BotonProps = PropsWithChildren<{
  /** `primario` once a form, `peligro` for what cannot be undone, `discreto` for what looks like a link. */
  readonly variante?: 'primario' | 'secundario' | 'peligro' | 'discreto';
  /** With an address it is a link that looks like a button; without, it sends its form. */
  readonly href?: string;
  /** Name and value that the form sends when this button sent it. */
  readonly nombre?: string;
  readonly value?: string;
  /** For screen readers, where the text does not tell which row is meant: "Revocar la llave …f3a9". */
  readonly descripcion?: string;
  /** Offers the answer as a file instead of a page; only with `href`. */
  readonly descarga?: boolean;
}>;

/** A button that sends its form, or a link that looks like one. */
export function Boton(props: BotonProps) {
  const { variante = 'primario', href, nombre, value, descripcion, descarga, children } = props;
  if (href !== undefined)
    return (
      <a class={`boton ${variante}`} href={safeHref(href)} aria-label={descripcion} download={descarga}>
        {children}
      </a>
    );
  return (
    <button type="submit" class={`boton ${variante}`} name={nombre} value={value} aria-label={descripcion}>
      {children}
    </button>
  );
}

/** The button that sends a form, and beside it the way out to `cancelar`. */
export const Botones = ({
  cancelar,
  variante = 'primario',
  children,
}: PropsWithChildren<{ readonly cancelar: string; readonly variante?: 'primario' | 'peligro' }>) => (
  <div class="fila">
    <Boton variante={variante}>{children}</Boton>
    <Boton variante="discreto" href={cancelar}>
      Cancelar
    </Boton>
  </div>
);

/** One choice of a list: sent value and shown text, or both in one. */
type Opcion = string | readonly [value: string, texto: string];

export interface CampoProps {
  readonly nombre: string;
  readonly label: Child;
  /** A list when `opciones` are given, several lines when `filas` is given, else an input of this type. */
  readonly tipo?: 'text' | 'email' | 'password' | 'number' | 'date' | 'search' | 'file' | 'checkbox' | 'tel';
  /** Typed value. Never shown for `password` and `file`: secrets are not sent back. */
  readonly value?: string | undefined;
  readonly opciones?: readonly Opcion[];
  readonly filas?: number;
  readonly ayuda?: Child;
  /** Fault of the value, with its remedy. */
  readonly error?: string | undefined;
  readonly requerido?: boolean;
  /** May stay empty since what it asks for is known already; it is not called optional then. */
  readonly sabido?: boolean;
  /** Ticks a checkbox; by default it is ticked when the form was sent with it. */
  readonly marcado?: boolean;
  readonly autocompletar?: string;
  readonly teclado?: 'text' | 'numeric' | 'decimal' | 'email';
  readonly patron?: string;
  readonly minimo?: string | number;
  readonly maximo?: string | number;
  readonly minLargo?: number;
  readonly maxLargo?: number;
  /** File types, such as `.cer`. */
  readonly acepta?: string;
  /** Monospaced, without correction or capitals: identifiers, keys, addresses. */
  readonly literal?: boolean;
  readonly enfocado?: boolean;
  /** Sets the field apart from one of the same name in another form of the page. */
  readonly id?: string;
}

/** A labelled field with its help and its fault, both tied to it. A fault stands in a gap: it moves nothing. */
export function Campo(given: CampoProps) {
  const { valores = {}, faltas = {} } = useContext(Sent);
  const sent = valores[given.nombre];
  const { value = given.tipo === 'checkbox' ? 'si' : sent, error = faltas[given.nombre] } = given;
  const props = { marcado: sent === value, ...given, value, error };
  const { nombre, label, tipo = 'text', ayuda, requerido = false } = props;
  const id = props.id ?? `campo-${nombre}`;
  const isCasilla = tipo === 'checkbox' && !props.opciones && props.filas === undefined;
  const notas = [ayuda ? `${id}-ayuda` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  const caption = (
    <label for={id}>
      {label}
      {requerido || props.sabido || isCasilla ? null : <span class="suave chica"> (opcional)</span>}
    </label>
  );
  const control = <Control {...props} id={id} notas={notas || undefined} />;
  return (
    <div class={isCasilla ? 'campo casilla' : 'campo'}>
      {isCasilla ? control : caption}
      {isCasilla ? caption : control}
      {ayuda ? (
        <div class="ayuda" id={`${id}-ayuda`}>
          {ayuda}
        </div>
      ) : null}
      {error ? (
        <div class="falta" id={`${id}-error`}>
          {error}
        </div>
      ) : null}
    </div>
  );
}

/** The field of a secret: taken as it is typed, never shown again, and not offered for the browser to keep. */
export const Secret = (props: CampoProps) => <Campo {...props} tipo="password" literal autocompletar="off" />;

/** The field of a code of the second step: of the app, or a recovery code. */
export const CampoCodigo = (props: Pick<CampoProps, 'id' | 'enfocado'>) => (
  <Campo
    {...props}
    nombre="codigo"
    label="Código"
    requerido
    literal
    autocompletar="one-time-code"
    maxLargo={40}
    ayuda="Los 6 dígitos de su aplicación, o uno de sus códigos de recuperación."
  />
);

function Control(props: CampoProps & { readonly id: string; readonly notas: string | undefined }) {
  const { tipo = 'text', value, opciones, filas } = props;
  const comunes = {
    id: props.id,
    name: props.nombre,
    required: props.requerido === true && !props.sabido,
    autofocus: props.enfocado === true || Boolean(props.error),
    autocomplete: props.autocompletar,
    'aria-describedby': props.notas,
    'aria-invalid': props.error ? ('true' as const) : undefined,
    class: props.literal ? 'fija' : undefined,
    spellcheck: props.literal ? false : undefined,
    autocapitalize: props.literal ? ('none' as const) : undefined,
  };
  if (opciones)
    return (
      <select {...comunes}>
        {opciones.map((opcion) => {
          const [sent, texto] = typeof opcion === 'string' ? [opcion, opcion] : opcion;
          return (
            <option value={sent} selected={sent === value}>
              {texto}
            </option>
          );
        })}
      </select>
    );
  if (filas !== undefined)
    return (
      <textarea {...comunes} rows={filas} maxlength={props.maxLargo}>
        {/* A browser drops the first line break of a textarea. */}
        {value?.startsWith('\n') ? `\n${value}` : value}
      </textarea>
    );
  if (tipo === 'checkbox') return <input {...comunes} type="checkbox" value={value} checked={props.marcado} />;
  return (
    <input
      {...comunes}
      type={tipo}
      value={tipo === 'password' || tipo === 'file' ? undefined : value}
      inputmode={props.teclado}
      pattern={props.patron}
      min={props.minimo}
      max={props.maximo}
      minlength={props.minLargo}
      maxlength={props.maxLargo}
      accept={props.acepta}
    />
  );
}

/** A sent form: typed values and faults by field. */
interface SentForm {
  readonly valores?: Readonly<Record<string, string | undefined>>;
  readonly faltas?: Readonly<Record<string, string | undefined>>;
}

const Sent = createContext<SentForm>({});

type FormularioProps = PropsWithChildren<
  SentForm & {
    /** Path that the form is sent to. */
    readonly accion: string;
    /** `get` for filters: no token, since it would land in the address. */
    readonly metodo?: 'post' | 'get';
    /** The form carries files. */
    readonly archivos?: boolean;
    /** Fields and button side by side, for short forms. */
    readonly enLinea?: boolean;
    readonly descripcion?: string;
    /** Where scripts find it. */
    readonly id?: string;
  }
>;

/** The token of the session that a page is rendered for: the layout provides it, and posting forms carry it. */
export const Csrf = createContext('');

/** A form. A posting one carries the token against forged requests in the field `_csrf`. */
export function Formulario(props: FormularioProps) {
  const { accion, metodo = 'post', archivos = false, enLinea = false, descripcion, id, children, ...sent } = props;
  const orden = metodo === 'get' && sent.valores?.['orden'];
  return (
    <form
      id={id}
      action={safeHref(accion)}
      method={metodo}
      class={enLinea ? 'en-linea' : undefined}
      enctype={archivos && metodo === 'post' ? 'multipart/form-data' : undefined}
      aria-label={descripcion}
    >
      {metodo === 'post' ? <input type="hidden" name="_csrf" value={useContext(Csrf)} /> : null}
      {/* A filter keeps the order of its list. */}
      {orden ? <input type="hidden" name="orden" value={orden} /> : null}
      <Sent.Provider value={sent}>{children}</Sent.Provider>
    </form>
  );
}

type FiltrosProps = PropsWithChildren<
  SentForm & {
    /** Path of the list. */
    readonly accion: string;
    readonly descripcion: string;
    /** Active filters. */
    readonly activos: number;
    /** Above the fields, such as periods to choose with one click. */
    readonly antes?: Child;
  }
>;

/** Filters of a list, folded behind a button with the number of active ones; open while a field is at fault. */
export function Filtros({ accion, activos, antes, children, ...form }: FiltrosProps) {
  const isFaulty = Object.values(form.faltas ?? {}).some(Boolean);
  return (
    <div class="barra">
      <details class="filtros" open={isFaulty}>
        <summary class="boton secundario">
          Filtros
          {activos === 0 ? null : (
            <span class="activos">
              {activos}
              <span class="solo-lectores">{activos === 1 ? ' activo' : ' activos'}</span>
            </span>
          )}
        </summary>
        <div class="tarjeta">
          {antes}
          <Formulario accion={accion} metodo="get" {...form}>
            <div class="rejilla">{children}</div>
            <div class="fila">
              <Boton>Filtrar</Boton>
              {activos === 0 ? null : (
                <Boton variante="discreto" href={accion}>
                  Quitar filtros
                </Boton>
              )}
            </div>
          </Formulario>
        </div>
      </details>
      <Density />
    </div>
  );
}

/** Closer rows of the tables of a page; a script remembers the choice (tabla.js). */
export const Density = () => (
  <label class="densidad chica">
    <input type="checkbox" id="densidad" />
    Filas compactas
  </label>
);
