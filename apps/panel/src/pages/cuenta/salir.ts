import { defineRuta } from '../../http/ruta.ts';

/** Ends this browser's session. */
export const salir = defineRuta({
  metodo: 'POST',
  path: '/salir',
  acceso: 'publica',
  async handle(contexto) {
    await contexto.browser.close();
    return contexto.redirigir('/entrar', { tono: 'info', texto: 'Salió del panel.' });
  },
});
