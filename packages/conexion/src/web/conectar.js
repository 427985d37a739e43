import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';

const at = (id) => document.getElementById(id);
const utf8 = new TextEncoder();
const toBase64 = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
const concat = (...parts) => new Uint8Array(parts.flatMap((part) => [...part]));
const length4 = (value) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

/** Fields as `packages/vault/src/crypto/canonical.ts` encodes them: tag (1), length (4), bytes. */
const canonical = (...fields) =>
  concat(
    ...fields.map((field) => {
      const isText = typeof field === 'string';
      const bytes = isText ? utf8.encode(field) : field;
      return concat([isText ? 1 : 3], length4(bytes.length), bytes);
    }),
  );

/** Seals a CIEC to the workers, for one connection: the format of `packages/vault/src/sealing/browser-sealed.ts`. */
async function seal(ciec, { conexion_id, rfc, llave: { kid, publica } }) {
  const suite = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
  const recipientPublicKey = await suite.kem.deserializePublicKey(fromBase64(publica).buffer);
  const sender = await suite.createSenderContext({ recipientPublicKey, info: utf8.encode('acuse/v1/conexion') });
  const secret = utf8.encode(ciec);
  const plain = new Uint8Array(Math.ceil((5 + secret.length) / 32) * 32);
  plain.set([1, ...length4(secret.length)]);
  plain.set(secret, 5);
  const sealed = await sender.seal(plain, canonical(Uint8Array.of(2), conexion_id, rfc, kid));
  secret.fill(0);
  plain.fill(0);
  return toBase64(concat([2, kid.length], utf8.encode(kid), new Uint8Array(sender.enc), new Uint8Array(sealed)));
}

const isWithdrawal = location.pathname.endsWith('/retirar');
/** The token of the link, and behind a dot that of the revocation link once it was made. */
let [enlace = '', retiro = ''] = location.hash.slice(1).split('.');
if (isWithdrawal) [enlace, retiro] = ['', enlace];

async function post(path, body) {
  const answer = await fetch(`/conectar/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    cache: 'no-store',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  });
  if (!answer.ok) throw Object.assign(new Error(String(answer.status)), { status: answer.status });
  return answer;
}

const date = (text) =>
  new Intl.DateTimeFormat('es-MX', { dateStyle: 'long', timeZone: 'America/Mexico_City' }).format(new Date(text));
const show = (...ids) => {
  for (const id of ['quien', 'forma', 'hecho', 'retiro']) at(id).hidden = !ids.includes(id);
};
function say(text, isError = false) {
  at('aviso').textContent = isError ? '' : text;
  at('error').textContent = isError ? text : '';
}

const MOTIVOS = {
  CIEC_RECHAZADA:
    'El SAT no aceptó esa contraseña. Revísela y escríbala otra vez: después de tres intentos el enlace se cierra, para que el SAT no bloquee su cuenta.',
  SAT_NO_RESPONDE: 'El SAT no contestó. Espere unos minutos e inténtelo otra vez; este intento no cuenta.',
  ILEGIBLE:
    'No se pudo abrir lo que envió su navegador. Recargue la página e inténtelo otra vez; este intento no cuenta.',
};
const FINALES = {
  FALLIDA: 'Este enlace se cerró sin guardar su contraseña. Pida otro a quien se lo envió.',
  REVOCADA: 'El permiso se retiró y la contraseña se borró.',
  TERMINADA: 'El permiso terminó y la contraseña ya no está guardada con este enlace.',
  VENCIDA: 'Este enlace venció. Pida otro a quien se lo envió.',
};
const TRY_AGAIN = 'No hay conexión con el servicio. Revise su red e inténtelo otra vez.';
const UNKNOWN = 'Este enlace no existe o está incompleto. Ábralo otra vez desde el mensaje en que lo recibió.';

let datos = null;

function draw(next) {
  const before = datos?.estado;
  datos = next;
  const { estado, motivo, marca } = datos;
  at('titulo').textContent = isWithdrawal
    ? 'Su permiso para usar su CIEC'
    : `${datos.solicitante} pide conectarse con su RFC`;
  document.title = at('titulo').textContent;
  for (const name of ['solicitante', 'finalidad', 'rfc']) at(`dato-${name}`).textContent = datos[name];
  at('dato-hasta').textContent = date(datos.hasta);
  if (marca.color) document.documentElement.style.setProperty('--marca', marca.color);
  if (marca.logo && at('logo').hidden) {
    at('logo').src = marca.logo;
    at('logo').alt = datos.solicitante;
    at('logo').hidden = false;
  }
  if (estado === 'PENDIENTE') {
    show('quien', 'forma');
    at('enviar').disabled = false;
    say(MOTIVOS[motivo] ?? '', true);
    if (before === 'VERIFICANDO') at('ciec').focus();
  } else if (estado === 'VERIFICANDO') {
    show('quien');
    say('Se comprueba su contraseña en el SAT. Puede tardar un minuto…');
    setTimeout(refresh, 1_000);
  } else if (estado === 'CONECTADA') {
    say('');
    show('quien', 'hecho');
    const link = retiro === '' ? null : `${location.origin}/conectar/retirar#${retiro}`;
    at('con-retiro').hidden = link === null;
    at('sin-retiro').hidden = link !== null;
    if (link !== null) {
      at('enlace-retiro').href = link;
      at('enlace-retiro').textContent = link;
    }
    at('retiro').hidden = !isWithdrawal;
    at('regreso').hidden = !datos.regreso || isWithdrawal;
    if (datos.regreso) {
      at('regreso').href = datos.regreso;
      at('regreso').textContent = `Volver a ${new URL(datos.regreso).hostname}`;
    }
    if (before !== 'CONECTADA') at('hecho-titulo').focus();
  } else {
    show('quien');
    say(FINALES[estado]);
  }
}

async function refresh() {
  try {
    draw(await (await post(isWithdrawal ? 'permiso' : 'leer', isWithdrawal ? { retiro } : { enlace })).json());
  } catch (error) {
    if (error.status === 404) {
      show();
      say(UNKNOWN, true);
      return;
    }
    say(TRY_AGAIN, true);
    setTimeout(refresh, 3_000);
  }
}

async function send() {
  const input = at('ciec');
  const { min, max } = datos.ciec;
  const count = [...input.value].length;
  const refuse = (text, field) => {
    say(text, true);
    field.focus();
  };
  if (count < min || count > max)
    return refuse(
      min === max
        ? `La contraseña debe tener ${min} caracteres.`
        : `La contraseña debe tener de ${min} a ${max} caracteres.`,
      input,
    );
  if (!at('acepto').checked) return refuse('Marque la casilla para dar su permiso.', at('acepto'));
  at('enviar').disabled = true;
  say('Se envía…');
  try {
    const sobre = await seal(input.value, datos);
    input.value = '';
    input.type = 'password';
    if (retiro === '') {
      retiro = toBase64(crypto.getRandomValues(new Uint8Array(32)));
      history.replaceState(null, '', `#${enlace}.${retiro}`);
    }
    await post('enviar', {
      enlace,
      sobre,
      retiro: toBase64(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8.encode(retiro)))),
    });
  } catch (error) {
    at('enviar').disabled = false;
    const isOld = error.name === 'NotSupportedError' || /X25519|support/i.test(error.message);
    if (error.status !== 409)
      return refuse(
        isOld ? 'Este navegador es muy antiguo para cerrar su contraseña. Actualícelo o use otro.' : TRY_AGAIN,
        input,
      );
  }
  await refresh();
}

async function keep(format) {
  const answer = await post('recibo', { retiro, formato: format });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = `recibo-${datos.rfc}.${format}`;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function withdraw() {
  at('retirar').disabled = true;
  try {
    await post('retirar', { retiro });
    await refresh();
    at('titulo').focus();
  } catch {
    at('retirar').disabled = false;
    say(TRY_AGAIN, true);
  }
}

at('forma').addEventListener('submit', (event) => {
  event.preventDefault();
  void send();
});
at('ver').addEventListener('click', () => {
  const isShown = at('ciec').type === 'text';
  at('ciec').type = isShown ? 'password' : 'text';
  at('ver').textContent = isShown ? 'Mostrar' : 'Ocultar';
});
for (const format of ['json', 'pdf'])
  at(`recibo-${format}`).addEventListener('click', () => void keep(format).catch(() => say(TRY_AGAIN, true)));
at('retirar').addEventListener('click', () => void withdraw());
void refresh();
