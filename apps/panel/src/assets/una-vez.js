// A form `[data-una-vez]` is sent once: its answer is a file with keys, and a second click would have the browser let go of it. What stands in
// `[data-una-vez-aviso]` is shown then.
document.addEventListener('submit', (event) => {
  const place = event.target.closest('[data-una-vez]');
  if (place === null) return;
  if (place.dataset.unaVez === 'enviada') event.preventDefault();
  place.dataset.unaVez = 'enviada';
  place.querySelector('button[type="submit"]').setAttribute('aria-disabled', 'true');
  place.querySelector('[data-una-vez-aviso]').hidden = false;
});
