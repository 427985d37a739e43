import { Aviso } from '../../../components/aviso.tsx';
import { Copiar } from '../../../components/copiar.tsx';
import { Tarjeta } from '../../../components/tarjeta.tsx';
import { quien } from '../../../http/quien.ts';
import { Seccion } from '../seccion.tsx';
import { defineRutaCuenta, hrefCuenta } from './ruta-cuenta.ts';

/** How long the code is good: long enough to be told by telephone and used at once. */
const MINUTOS = 60;

/**
 * Makes the one-time code with which a person of the account chooses a new password. It is shown once; an earlier one
 * is over.
 */
export const ofrecerCodigo = defineRutaCuenta({
  metodo: 'POST',
  sub: '/codigo',
  async handle(contexto, { cuenta, personas }) {
    const { c, campos, deps, pagina } = contexto;
    const persona = personas.find(({ id }) => id === campos['usuario']);
    if (persona === undefined) return contexto.noEncontrada();
    const codigo = await deps.usuarios.offerCodigo(persona, MINUTOS * 60, quien(contexto));
    const titulo = `Código para ${persona.email}`;
    return pagina({
      titulo,
      contenido: (
        <Seccion titulo={titulo} ruta={c.req.path}>
          <Aviso tono="alerta" titulo="Se muestra una sola vez">
            Sirve una vez, durante {MINUTOS} minutos; el que se haya dado antes ya no sirve. Aquí solo se guarda su
            huella.
          </Aviso>
          <Tarjeta titulo="Cómo se usa">
            <p>
              Compruebe que habla con la persona y dele la dirección o el código. Al usarlo elige otra contraseña y
              terminan sus sesiones. La verificación en dos pasos, si la tiene, se le sigue pidiendo.
            </p>
            <Copiar
              etiqueta="Dirección para elegir contraseña"
              valor={`${deps.settings.publicUrl}/restablecer?codigo=${codigo}`}
            />
            <p class="suave">
              O bien, en <span class="fija">{deps.settings.publicUrl}/restablecer</span>, este código:
            </p>
            <Copiar etiqueta="Código" valor={codigo} />
          </Tarjeta>
          <p>
            <a href={hrefCuenta(cuenta.id)}>Volver a la cuenta</a>
          </p>
        </Seccion>
      ),
    });
  },
});
