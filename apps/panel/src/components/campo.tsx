import type { Child } from 'hono/jsx';

/** One choice of a list: what is sent and what is read. */
interface Opcion {
  readonly valor: string;
  readonly texto: string;
}

export interface CampoProps {
  readonly nombre: string;
  readonly etiqueta: string;
  /** A list when `opciones` are given, several lines when `filas` is given, else an input of this type. */
  readonly tipo?: 'text' | 'email' | 'password' | 'number' | 'date' | 'search' | 'file' | 'checkbox' | 'tel';
  /** What was typed before. Never shown for `password` and `file`: a secret is not sent back. */
  readonly valor?: string | undefined;
  readonly opciones?: readonly Opcion[];
  readonly filas?: number;
  readonly ayuda?: Child;
  /** What is wrong with the value and how to mend it. */
  readonly error?: string | undefined;
  readonly requerido?: boolean;
  /** May stay empty since what it asks for is known already; it is not called optional then. */
  readonly sabido?: boolean;
  readonly marcado?: boolean;
  readonly deshabilitado?: boolean;
  readonly autocompletar?: string;
  readonly teclado?: 'text' | 'numeric' | 'decimal' | 'email';
  readonly patron?: string;
  readonly minimo?: string | number;
  readonly maximo?: string | number;
  readonly paso?: string | number;
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

/**
 * A labelled field with its help and its fault, both tied to it for screen readers. A fault stands in the gap under its
 * field, so that it moves nothing.
 */
export function Campo(props: CampoProps) {
  const { nombre, etiqueta, tipo = 'text', ayuda, error, requerido = false } = props;
  const id = props.id ?? `campo-${nombre}`;
  const isCasilla = tipo === 'checkbox' && !props.opciones && props.filas === undefined;
  const notas = [ayuda ? `${id}-ayuda` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  const label = (
    <label for={id}>
      {etiqueta}
      {requerido || props.sabido || isCasilla ? null : <span class="suave chica"> (opcional)</span>}
    </label>
  );
  const control = <Control {...props} id={id} notas={notas || undefined} />;
  return (
    <div class={isCasilla ? 'campo casilla' : 'campo'}>
      {isCasilla ? control : label}
      {isCasilla ? label : control}
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

function Control(props: CampoProps & { readonly id: string; readonly notas: string | undefined }) {
  const { tipo = 'text', valor, opciones, filas } = props;
  const comunes = {
    id: props.id,
    name: props.nombre,
    required: props.requerido === true && !props.sabido,
    disabled: props.deshabilitado === true,
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
        {opciones.map((opcion) => (
          <option value={opcion.valor} selected={opcion.valor === valor}>
            {opcion.texto}
          </option>
        ))}
      </select>
    );
  if (filas !== undefined)
    return (
      <textarea {...comunes} rows={filas} maxlength={props.maxLargo}>
        {/* A browser drops the first line break of a textarea. */}
        {valor?.startsWith('\n') ? `\n${valor}` : valor}
      </textarea>
    );
  if (tipo === 'checkbox')
    return <input {...comunes} type="checkbox" value={valor ?? 'si'} checked={props.marcado === true} />;
  return (
    <input
      {...comunes}
      type={tipo}
      value={tipo === 'password' || tipo === 'file' ? undefined : valor}
      inputmode={props.teclado}
      pattern={props.patron}
      min={props.minimo}
      max={props.maximo}
      step={props.paso}
      minlength={props.minLargo}
      maxlength={props.maxLargo}
      accept={props.acepta}
    />
  );
}
