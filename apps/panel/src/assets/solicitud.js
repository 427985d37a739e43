// Follows an open solicitud by server-sent events. When it ends the page is shown anew, with its package or the reason.
const box = document.querySelector('[data-seguir]');
if (box && typeof EventSource === 'function') {
  const bar = box.querySelector('progress');
  const note = box.querySelector('[data-conexion]');
  const show = (name, text) => {
    const place = box.querySelector(`[data-dato="${name}"]`);
    if (place && text !== null && place.textContent !== String(text)) place.textContent = text;
  };

  // The timeline comes from the page itself, so that it is written in one place. What the reader has unfolded stays so.
  let fetching = false;
  let wanted = false;
  async function freshen() {
    wanted = true;
    if (fetching) return;
    fetching = true;
    while (wanted) {
      wanted = false;
      try {
        const answer = await fetch(location.pathname);
        const next = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('#linea > ol');
        if (answer.ok && next) document.querySelector('#linea > ol').replaceWith(next);
      } catch {
        // The stream says when the connection is lost.
      }
    }
    fetching = false;
  }

  const source = new EventSource(box.dataset.seguir);
  const take = (event) => {
    const avance = JSON.parse(event.data);
    bar.value = avance.porcentaje;
    for (const [name, text] of Object.entries(avance)) show(name, text);
    freshen();
    // Another state has other things to say: what to do, or the package.
    if (avance.palabra !== box.dataset.palabra) location.reload();
  };
  source.addEventListener('open', () => {
    note.textContent = 'Se actualiza sola. El SAT puede tardar de minutos a días; puede cerrar esta página.';
  });
  source.addEventListener('avance', take);
  source.addEventListener('fin', (event) => {
    source.close();
    take(event);
  });
  source.addEventListener('error', () => {
    note.textContent =
      source.readyState === EventSource.CLOSED
        ? 'Ya no se actualiza sola: use “Actualizar”.'
        : 'Se perdió la conexión; se está intentando de nuevo.';
  });
  // A page kept for the way back would hold a connection that nobody sees.
  addEventListener('pagehide', () => source.close());
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });
}
