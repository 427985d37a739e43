import { Boton } from '../../components/boton.tsx';
import { Campo, type CampoProps } from '../../components/campo.tsx';
import { formatCreditos } from '../../components/formato.ts';
import { Formulario } from '../../components/formulario.tsx';
import { periodosDe } from '../../fechas/periodos.ts';
import { Periodos } from '../../fechas/periodos-elegibles.tsx';
import type { CampoOperacion, SandboxOperation } from './catalogo.ts';
import { fieldName } from './cuerpo.ts';
import type { Valores } from './valores.ts';

interface FormularioOperacionProps {
  readonly operacion: SandboxOperation;
  readonly valores: Valores;
  readonly csrf: string;
  readonly now: Date;
  /** Whether the key of the taxpayer in the form was typed in lately. */
  readonly isRecordada: boolean;
  /** Names this form, so that sending it twice is one call. */
  readonly intento: string;
  readonly faltaLlave?: string | undefined;
}

/** The form of an operation, made from what the API says of it. */
export function FormularioOperacion(props: FormularioOperacionProps) {
  const { operacion, valores, csrf, now, isRecordada, intento, faltaLlave } = props;
  const { nombre, campos, costo } = operacion;
  return (
    <Formulario
      accion={`/pruebas/${nombre}`}
      csrf={csrf}
      id="llamar"
      archivos={campos.some(({ tipo }) => tipo === 'archivo')}
    >
      <input type="hidden" name="intento" value={intento} />
      <Campo
        nombre="llave"
        etiqueta="API key"
        tipo="password"
        requerido
        sabido={isRecordada}
        literal
        autocompletar="off"
        error={faltaLlave}
        maxLargo={512}
        ayuda={
          isRecordada
            ? 'Se usa la de este RFC que escribió hace poco; escriba otra solo si quiere usarla.'
            : 'No se muestra ni queda en la bitácora. Se recuerda sellada unos minutos, solo en esta sesión.'
        }
      />
      {hasPeriodo(campos) ? (
        <Periodos
          periodos={periodosDe(now)}
          elegido={valores}
          formulario="llamar"
          href={({ desde, hasta }) => `/pruebas/${nombre}?${new URLSearchParams({ ...valores, desde, hasta })}`}
        />
      ) : null}
      {campos.map((campo) => (
        <CampoDeOperacion campo={campo} valor={valores[campo.nombre]} />
      ))}
      <div class="fila">
        <Boton>Llamar a la API</Boton>
        <span class="suave chica">{costo === 0 ? 'Sin costo' : `Cuesta ${formatCreditos(costo)} de su saldo`}</span>
      </div>
    </Formulario>
  );
}

const hasPeriodo = (campos: readonly CampoOperacion[]) =>
  ['desde', 'hasta'].every((nombre) => campos.some((campo) => campo.nombre === nombre));

function CampoDeOperacion({ campo, valor }: { readonly campo: CampoOperacion; readonly valor: string | undefined }) {
  const { nombre, tipo, requerido, secreto, descripcion, patron, maxLargo, opciones } = campo;
  const base: CampoProps = {
    nombre: fieldName(campo),
    id: `campo-${nombre}`,
    etiqueta: nombre,
    requerido,
    ayuda: descripcion,
    literal: true,
    autocompletar: 'off',
    valor,
    ...(patron === undefined ? {} : { patron: patron.replace(/^\^|\$$/g, '') }),
    ...(maxLargo === undefined ? {} : { maxLargo }),
  };
  if (tipo === 'lista')
    return <Campo {...base} opciones={opciones.map((opcion) => ({ valor: opcion, texto: opcion }))} />;
  if (tipo === 'archivo') return <Campo {...base} tipo="file" acepta={`.${nombre}`} />;
  if (secreto) return <Campo {...base} tipo="password" autocompletar="off" />;
  if (tipo === 'fecha') return <Campo {...base} tipo="date" />;
  if (tipo === 'entero' || tipo === 'numero')
    return <Campo {...base} teclado={tipo === 'entero' ? 'numeric' : 'decimal'} />;
  return <Campo {...base} />;
}
