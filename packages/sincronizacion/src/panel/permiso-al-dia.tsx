import type { MotivoPausa } from '@acuse/contract';
import type { RfcVista } from '@acuse/db';
import { hrefRfc } from '@acuse/page';
import { Aviso, Tarjeta } from '@acuse/page/blocks';
import { Boton, Campo, Formulario, Secret } from '@acuse/page/form';
import { FRECUENCIAS, type Frecuencia, MAX_MESES } from '../index.ts';
import { type CampoPedido, CONTENIDOS, costText, type Pedido, TIPOS } from './pedido-al-dia.ts';

export const NOMBRES_FRECUENCIA: Readonly<Record<Frecuencia, string>> = { DIARIA: 'Cada día', SEMANAL: 'Cada semana' };

/** Why nothing is read, what to do, and where. */
const MOTIVOS: Readonly<Record<MotivoPausa, readonly [texto: string, donde?: 'saldo' | 'credenciales']>> = {
  PEDIDA: ['Está en pausa porque así se pidió. Lo leído se conserva; para seguir, reanude.'],
  SIN_SALDO: ['No alcanzó el saldo. Compre créditos y reanude: lee de una vez lo que tocaba.', 'saldo'],
  SIN_CONSENTIMIENTO: [
    'El permiso para usar la CIEC venció o se retiró. Lo leído se conserva; para seguir, dé uno nuevo abajo.',
  ],
  CIEC_CAMBIADA: ['La CIEC cambió, y con ella terminó el permiso. Para seguir, dé uno nuevo abajo.'],
  CIEC_RECHAZADA: [
    'El SAT no aceptó la CIEC, y no se vuelve a usar para no bloquear su acceso. Guarde la correcta y dé un permiso nuevo abajo.',
    'credenciales',
  ],
  LLAVE_CAMBIADA: [
    'La API key cambió, y con ella terminó el permiso. Guarde la CIEC con la nueva y dé un permiso nuevo abajo.',
    'credenciales',
  ],
  CUENTA_SUSPENDIDA: ['La cuenta está suspendida. Aclárelo con el operador del servicio y reanude.'],
};

/** Says of a subscription that is paused why, and what to do. */
export function EnPausa({ motivo, rfc }: { readonly motivo: MotivoPausa; readonly rfc: string }) {
  const [texto, donde] = MOTIVOS[motivo];
  return (
    <Aviso tono={motivo === 'PEDIDA' ? 'info' : 'alerta'}>
      {texto} {donde === 'saldo' ? <a href="/saldo">Ver el saldo</a> : null}
      {donde === 'credenciales' ? <a href={hrefRfc(rfc, '/credenciales')}>Ir a Credenciales</a> : null}
    </Aviso>
  );
}

interface PermisoProps {
  readonly rfc: RfcVista;
  readonly pedido: Pedido;
  /** It is not kept up to date yet. */
  readonly isNew: boolean;
  /** Credits of the account; null where its readings cost none, as those of a key for tests. */
  readonly saldo: number | null;
  /** Readings that these settings ask for. */
  readonly lecturas: Parameters<typeof costText>[0];
  /** The session has the key. */
  readonly isKnown: boolean;
  readonly faltas: Partial<Record<CampoPedido, string>>;
}

/** The form that keeps an RFC up to date, or changes how, and gives the consent for its CIEC. */
export function Permiso({ rfc, pedido, isNew, saldo, lecturas, isKnown, faltas }: PermisoProps) {
  return (
    <Tarjeta
      titulo={isNew ? 'Mantener al día' : 'Cambiar los ajustes y renovar el permiso'}
      isFolded={!isNew && Object.keys(faltas).length === 0}
    >
      <Antes rfc={rfc} />
      <Formulario
        accion={hrefRfc(rfc.rfc, '/al-dia')}
        descripcion="Mantener al día"
        valores={{ ...pedido }}
        faltas={faltas}
      >
        <div class="rejilla">
          <Campo nombre="tipo" label="CFDI" requerido opciones={TIPOS.map(([value, texto]) => [value, texto])} />
          <Campo
            nombre="desde"
            label="Desde qué día de emisión"
            tipo="date"
            requerido
            ayuda="A lo más seis años atrás."
          />
        </div>
        <div class="rejilla">
          <Campo
            nombre="frecuencia"
            label="Cada cuánto"
            requerido
            opciones={FRECUENCIAS.map((each) => [each, NOMBRES_FRECUENCIA[each]])}
          />
          <Campo
            nombre="meses"
            label="Meses de permiso"
            requerido
            ayuda={`De 1 a ${MAX_MESES}. Antes termina si lo retira, o si cambian la CIEC o la API key.`}
          />
        </div>
        <Campo
          nombre="contenido"
          label="Qué se guarda"
          requerido
          opciones={CONTENIDOS.map(([value, texto]) => [value, texto])}
          ayuda="Con el XML, cada lectura que encuentra CFDI nuevos pide además su XML, y eso cuesta otro crédito. La primera carga cuesta lo mismo."
        />
        {isKnown ? null : (
          <Secret nombre="api_key" label="API key del RFC" requerido ayuda="La CIEC está cifrada con ella." />
        )}
        <p>{saldo === null ? 'Con una API key de pruebas no cuesta nada.' : costText(lecturas, saldo)}</p>
        <p class="suave">
          Con el permiso se guarda una copia de la CIEC que solo abren los procesos que leen del SAT, para esto y por
          ese tiempo. Cada uso queda anotado en la auditoría.
        </p>
        <Boton>{isNew ? 'Dar permiso y mantener al día' : 'Guardar y dar permiso'}</Boton>
      </Formulario>
    </Tarjeta>
  );
}

/** Missing steps before the form. */
function Antes({ rfc: { rfc, llave, ciec } }: Pick<PermisoProps, 'rfc'>) {
  if (llave === null)
    return (
      <Aviso tono="alerta">
        Este RFC todavía no tiene API key, y sin ella no se puede guardar su CIEC. Genérela, o pídala a un propietario o
        a un desarrollador de la cuenta. <a href={hrefRfc(rfc)}>Ir al RFC</a>
      </Aviso>
    );
  if (ciec?.rechazadaEn === null) return null;
  return (
    <Aviso tono="alerta">
      {ciec === null
        ? 'Falta guardar la CIEC de este RFC: con ella se lee. La e.firma no sirve para esto, porque su llave se borra a la hora.'
        : 'El SAT rechazó la CIEC guardada, y no se vuelve a usar. Compruébela en el portal del SAT y guarde la correcta.'}{' '}
      <a href={hrefRfc(rfc, '/credenciales')}>Ir a Credenciales</a>
    </Aviso>
  );
}
