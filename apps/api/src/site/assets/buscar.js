// Finds while somebody types, by the same index as the server's page of results. Fetched when the field is first used.
const form = document.querySelector('search > form');
const field = form.elements.q;
const box = document.createElement('div');
box.className = 'hallazgos';
box.hidden = true;
const count = document.createElement('p');
count.setAttribute('role', 'status');
const list = document.createElement('ul');
box.append(count, list);
form.append(box);

const processTerm = (term) => term.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const OPTIONS = { fields: ['title', 'page', 'text'], storeFields: ['title', 'page', 'href', 'excerpt'], processTerm };
const SEARCH = { prefix: true, fuzzy: 0.15, boost: { title: 4, page: 2 }, combineWith: 'AND' };
const SHOWN = 8;

let loading;
const load = () => {
  loading ??= Promise.all([import(form.dataset.library), fetch(form.dataset.index).then((answer) => answer.text())])
    .then(([{ default: MiniSearch }, json]) => MiniSearch.loadJSON(json, OPTIONS))
    .catch(() => {
      // The form still asks the server.
      loading = undefined;
      return null;
    });
  return loading;
};

async function find() {
  const question = field.value.trim();
  const index = question === '' ? null : await load();
  if (question !== field.value.trim()) return;
  const found = index?.search(question, SEARCH) ?? [];
  box.hidden = index === null;
  count.textContent = found.length === 0 ? form.dataset.none : '';
  list.replaceChildren(
    ...found.slice(0, SHOWN).map(({ title, page, href }) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = href;
      link.textContent = title === page ? title : `${title} · ${page}`;
      item.append(link);
      return item;
    }),
  );
}

field.addEventListener('focus', load, { once: true });
field.addEventListener('input', find);
const close = () => {
  box.hidden = true;
};
form.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || box.hidden) return;
  event.preventDefault();
  close();
  field.focus();
});
document.addEventListener('click', (event) => {
  if (!form.contains(event.target) || event.target.closest('.hallazgos a')) close();
});
form.addEventListener('focusout', ({ relatedTarget }) => {
  if (relatedTarget && !form.contains(relatedTarget)) close();
});
