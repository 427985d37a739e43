import type { RfcVista } from '@acuse/db';
import { Boton } from '../../../components/boton.tsx';
import { Campo } from '../../../components/campo.tsx';
import { formatNumero, formatRelativo } from '../../../components/formato.ts';
import { Formulario } from '../../../components/formulario.tsx';
import { Tarjeta } from '../../../components/tarjeta.tsx';
import { guardadas } from '../reglas/estado-credenciales.ts';
import { hrefRfc } from '../reglas/ruta-rfc.ts';

/** What a refused form had, without its secrets. */
export interface GenerarTecleado {
  readonly errorAnterior?: string;
  readonly errorPerder?: string;
}

interface GenerarProps {
  readonly rfc: RfcVista;
  /** Open solicitudes of the active key. */
  readonly abiertas: number;
  readonly csrf: string;
  readonly now: Date;
  readonly tecleado: GenerarTecleado;
  /** Of the keys that are issued here. */
  readonly modo: 'live' | 'test';
  /** Whether the active key was typed in lately, so that what is stored goes on without it. */
  readonly isRecordada: boolean;
}

const PREFIJO = {
  live: 'La llave empieza con acuse_live_: lo que se pide con ella se pide al SAT.',
  test: 'La llave empieza con acuse_test_: esta instalación consulta un simulador del SAT, y las acuse_live_ existen solo donde se consulta al SAT.',
};

/** The form that makes a key, and what it does to what is there: said before the click. */
export function GenerarLlave({ rfc, abiertas, csrf, now, tecleado, modo, isRecordada }: GenerarProps) {
  const { llave } = rfc;
  const cosas = llave ? guardadas(rfc) : [];
  return (
    <Tarjeta titulo={llave ? 'Cambiar la llave' : 'Generar la API key'}>
      {llave ? (
        <Consecuencias rfc={rfc} cosas={cosas} abiertas={abiertas} now={now} />
      ) : (
        <p>
          La llave se muestra una sola vez. Tenga a la mano dónde guardarla: un gestor de secretos o las variables de
          entorno de su sistema, nunca el código ni un correo.
        </p>
      )}
      <Formulario
        accion={hrefRfc(rfc.rfc, '/llave')}
        csrf={csrf}
        descripcion={llave ? 'Cambiar la llave' : 'Generar la API key'}
      >
        <input type="hidden" name="vigente" value={llave?.id ?? ''} />
        {llave ? <Resguardo hayGuardadas={cosas.length > 0} tecleado={tecleado} isRecordada={isRecordada} /> : null}
        <p class="ayuda">{PREFIJO[modo]}</p>
        <div>
          <Boton>{llave ? 'Cambiar la llave' : 'Generar API key'}</Boton>
        </div>
      </Formulario>
    </Tarjeta>
  );
}

function Consecuencias({
  rfc,
  cosas,
  abiertas,
  now,
}: {
  readonly rfc: RfcVista;
  readonly cosas: readonly string[];
  readonly abiertas: number;
  readonly now: Date;
}) {
  const { llave, efirmaKey } = rfc;
  return (
    <ul>
      <li>
        La llave que termina en <code>…{llave?.ultimos4}</code> <strong>deja de servir de inmediato</strong>: su
        siguiente llamada responde 1002.
      </li>
      <li>
        {cosas.length === 0
          ? 'No hay credenciales guardadas con ella.'
          : `Lo que se guardó con ella (${cosas.join(', ')}) está cifrado con esa llave. Si la escribe abajo, se vuelve a cifrar con la nueva y nada se pierde; si no, se borra y hay que guardarlo otra vez.`}
        {efirmaKey && cosas.length > 0
          ? ` La llave privada de la e.firma conserva su hora: se borra ${formatRelativo(efirmaKey.expiraEn, now)}.`
          : ''}
      </li>
      <li>
        {abiertas === 0
          ? 'No hay solicitudes en curso.'
          : `${formatNumero(abiertas)} ${abiertas === 1 ? 'solicitud en curso sigue' : 'solicitudes en curso siguen'} hasta terminar y se consultan con la llave nueva.`}
      </li>
    </ul>
  );
}

function Resguardo({
  hayGuardadas,
  tecleado,
  isRecordada,
}: {
  readonly hayGuardadas: boolean;
  readonly tecleado: GenerarTecleado;
  readonly isRecordada: boolean;
}) {
  return (
    <>
      <Campo
        nombre="anterior"
        etiqueta="Llave actual"
        tipo="password"
        error={tecleado.errorAnterior}
        ayuda={
          isRecordada
            ? 'Se usa la que escribió hace poco: lo guardado se conserva, salvo que abajo marque lo contrario.'
            : hayGuardadas
              ? 'Con ella se conserva lo guardado y la asociación con el RFC. No se almacena.'
              : 'Con ella la nueva queda asociada con el RFC sin llamar otra vez a vault/rfc-registrar. No se almacena.'
        }
        literal
        autocompletar="off"
        maxLargo={100}
      />
      {hayGuardadas ? (
        <Campo
          nombre="perder"
          etiqueta="No tengo la llave actual: borrar lo guardado"
          tipo="checkbox"
          error={tecleado.errorPerder}
        />
      ) : null}
    </>
  );
}
