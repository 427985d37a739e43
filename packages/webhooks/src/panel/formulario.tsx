import { EVENTOS_WEBHOOK, type EventoWebhook, parseRfc } from '@acuse/contract';
import { CasillaEvento, elegidosOf } from '@acuse/page';
import { CopyButton, Tarjeta } from '@acuse/page/blocks';
import { Boton, Campo } from '@acuse/page/form';
import { type PoliticaDestino, REPAROS_URL, readReceptor } from '../index.ts';

/** A second webhook with the same address and RFCs would send everything twice. */
export const YA_HAY = 'Ya hay un webhook de esta dirección para los mismos RFC. Cámbielo, o bórrelo antes.';

type Campos = Readonly<Record<string, string>>;

/** Values of a form, or faults by field. */
export interface Pedido {
  readonly url: string;
  readonly descripcion: string;
  readonly eventos: readonly EventoWebhook[];
  readonly rfcs: readonly string[];
}
export type Faltas = Readonly<Partial<Record<'url' | 'eventos' | 'rfcs', string>>>;

export function readPedido(
  campos: Campos,
  politica: PoliticaDestino,
): { readonly pedido: Pedido } | { readonly faltas: Faltas } {
  const { url, reparo } = readReceptor((campos['url'] ?? '').trim(), politica);
  const eventos = elegidosOf(campos);
  const typed = (campos['rfcs'] ?? '').split(/[\s,]+/).filter((text) => text !== '');
  const rfcs = typed.map(parseRfc);
  const wrong = typed.filter((_, at) => rfcs[at] === null);
  const faltas: Faltas = {
    ...(reparo === undefined ? {} : { url: `La dirección ${REPAROS_URL[reparo]}.` }),
    ...(eventos.length > 0 ? {} : { eventos: 'Elija al menos un evento.' }),
    ...(wrong.length === 0 ? {} : { rfcs: `No son RFC: ${wrong.slice(0, 5).join(', ')}.` }),
  };
  if (url === undefined || Object.keys(faltas).length > 0) return { faltas };
  const descripcion = (campos['descripcion'] ?? '').trim().slice(0, MAX_DESCRIPCION);
  return { pedido: { url, descripcion, eventos, rfcs: rfcs.filter((rfc) => rfc !== null) } };
}

const MAX_DESCRIPCION = 200;

/** The fields of a webhook; what stands in them comes from the form around. */
export function CamposWebhook({ elegidos, faltas }: { readonly elegidos: readonly string[]; readonly faltas: Faltas }) {
  return (
    <>
      <Campo
        nombre="url"
        label="Dirección"
        ayuda="A dónde se envían los avisos, con POST: https y pública en internet."
        requerido
        literal
        maxLargo={2_048}
        autocompletar="off"
      />
      <Campo nombre="descripcion" label="Para qué es" maxLargo={MAX_DESCRIPCION} autocompletar="off" />
      <fieldset>
        <legend>De qué avisar</legend>
        {faltas.eventos === undefined ? null : <div class="falta">{faltas.eventos}</div>}
        {EVENTOS_WEBHOOK.map((evento) => (
          <CasillaEvento evento={evento} isElegido={elegidos.includes(evento)} conNombre />
        ))}
      </fieldset>
      <Campo
        nombre="rfcs"
        label="Solo de estos RFC"
        filas={2}
        ayuda="Separados por espacios o comas. Vacío: de todos los de la cuenta. El aviso de saldo es de la cuenta y llega de todos modos."
        literal
      />
    </>
  );
}

/** The values that the fields of a webhook show. */
export const valoresOf = ({ url, descripcion, rfcs }: Pedido) => ({ url, descripcion, rfcs: rfcs.join(' ') });

/** A secret that was just made: the only time that it is shown. */
export function SecretoNuevo({
  secreto,
  id,
  hasta,
}: {
  readonly secreto: string;
  readonly id: string;
  readonly hasta?: string;
}) {
  return (
    <Tarjeta titulo="Cópielo ahora: no se vuelve a mostrar">
      <p>
        Con este secreto su sistema comprueba que un aviso es de este servicio y nadie lo cambió.
        {hasta === undefined ? null : ` El anterior también firma hasta el ${hasta}: cámbielo en su receptor antes.`}
      </p>
      <CopyButton value={secreto} label="Secreto del webhook" />
      <div>
        <Boton variante="secundario" href={`/webhooks/${id}`}>
          Ya lo guardé
        </Boton>
      </div>
    </Tarjeta>
  );
}
