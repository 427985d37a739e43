// Remembers in this browser whether rows of tables are close.
const box = document.getElementById('densidad');
if (box) {
  box.checked = localStorage.getItem('densidad') === 'compacta';
  box.addEventListener('change', () => localStorage.setItem('densidad', box.checked ? 'compacta' : ''));
}
