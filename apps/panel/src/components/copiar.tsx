interface CopiarProps {
  readonly valor: string;
  /** What it is, said by screen readers: "Llave de API". */
  readonly etiqueta: string;
  /** Keeps line breaks, as in a command of several lines. */
  readonly bloque?: boolean;
}

/** Text to be copied. One click selects all of it; with scripts there is a button, which stays hidden without them. */
export function Copiar({ valor, etiqueta, bloque = false }: CopiarProps) {
  return (
    <div class="copiar" data-copiar>
      {bloque ? <pre>{valor}</pre> : <code>{valor}</code>}
      <button type="button" class="boton secundario" aria-label={`Copiar: ${etiqueta}`} hidden>
        Copiar
      </button>
      <span class="solo-lectores" role="status" />
    </div>
  );
}
